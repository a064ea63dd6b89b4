import { describe, expect, test } from '@jest/globals';
import { crashes, stops } from './crashes.ts';
import { delivery, order } from './delivery.ts';
import { deadLetters, retries } from './retries.ts';
import type { Check, Engine } from './subject.ts';

export { doneOnlyWhenPublished, killedBeforeDone, killedInMidConsume } from './crashes.ts';
export { inOrderPerKey } from './delivery.ts';
export { onlyPoisonDies } from './retries.ts';
export type { Broken, Check, Engine, Process } from './subject.ts';
export {
  createLedger,
  createMemoryDeadLetters,
  createMemoryOutbox,
  first,
  probe,
  probes,
  publishAll,
  reactOnce,
  second,
  silent,
  untaken,
  waitUntil,
} from './subject.ts';

export const topics: Readonly<Record<string, readonly Check[]>> = {
  delivery,
  order,
  retries,
  'dead letters': deadLetters,
  crashes,
  stops,
};

/** The checks of a topic run at once, each with its own installation. */
export function describeMessagingConformance(name: string, engine: Engine): void {
  describe(`${name} satisfies the contract of messaging`, () => {
    test.each(Object.entries(topics))('%s', async (_topic, checks) => {
      const outcomes = await Promise.allSettled(checks.map(({ run }) => run(engine)));
      const broken = outcomes.map((one, index) => one.status === 'rejected' && [checks[index]?.rule, one.reason]);
      expect(broken.filter(Boolean)).toEqual([]);
    });
  });
}
