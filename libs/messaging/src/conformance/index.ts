// The conformance suite of the messaging port: every engine passes the same checks.

import { describe, expect, test } from '@jest/globals';
import { broadcasts } from './broadcasts.ts';
import { crashes } from './crashes.ts';
import { deadLetters } from './dead-letters.ts';
import { delivery } from './delivery.ts';
import { order } from './order.ts';
import { retries } from './retries.ts';
import { stops } from './stops.ts';
import type { Check, Engine } from './subject.ts';

export { doneOnlyWhenPublished, killedBeforeDone, killedInMidConsume } from './crashes.ts';
export { createLedger, createMemoryDeadLetters, createMemoryOutbox, reactOnce } from './memory.ts';
export { inOrderPerKey } from './order.ts';
export { onlyPoisonDies } from './retries.ts';
export type { Broken, Check, Engine, Process } from './subject.ts';
export { announced, first, probe, probes, publishAll, second, silent, until } from './subject.ts';

/** Every check by topic. */
export const topics: Readonly<Record<string, readonly Check[]>> = {
  delivery,
  order,
  retries,
  'dead letters': deadLetters,
  crashes,
  broadcasts,
  stops,
};

/** Declares the port's conformance tests for an engine: the checks of a topic at once, each with its own installation. */
export const messagingConformance = (name: string, engine: Engine): void => {
  describe(`${name} satisfies the contract of messaging`, () => {
    test.each(Object.entries(topics))('%s', async (_topic, checks) => {
      const outcomes = await Promise.allSettled(checks.map(({ run }) => run(engine)));
      const broken = outcomes.map((one, index) => one.status === 'rejected' && [checks[index]?.rule, one.reason]);
      expect(broken.filter(Boolean)).toEqual([]);
    });
  });
};
