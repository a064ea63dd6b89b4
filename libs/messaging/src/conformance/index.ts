// The conformance suite of the messaging port: every engine passes the same checks.

import { describe, test } from '@jest/globals';
import { broadcasts } from './broadcasts.ts';
import { crashes } from './crashes.ts';
import { deadLetters } from './dead-letters.ts';
import { delivery } from './delivery.ts';
import { order } from './order.ts';
import { retries } from './retries.ts';
import { stops } from './stops.ts';
import { type Check, type Engine, openSubject } from './subject.ts';

export { doneOnlyWhenPublished, killedBeforeDone, killedInMidConsume } from './crashes.ts';
export { createLedger, type Ledger, reactOnce } from './ledger.ts';
export { createMemoryDeadLetters } from './memory-dead-letters.ts';
export { createMemoryOutbox, type MemoryOutbox, type OutboxProcess } from './memory-outbox.ts';
export { inOrderPerKey } from './order.ts';
export { onlyPoisonDies } from './retries.ts';
export type { Broken, Check, Engine, Gate, Installation, InstallationSettings, Process, Subject } from './subject.ts';
export { announced, first, openSubject, probe, probes, publishAll, rejection, second, until } from './subject.ts';

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

/** Declares the port's conformance tests for an engine; each check has an installation of its own. */
export const messagingConformance = (name: string, engine: Engine): void => {
  describe(`${name} satisfies the contract of messaging`, () => {
    for (const [topic, checks] of Object.entries(topics)) {
      describe(topic, () => {
        for (const check of checks) {
          test(
            check.rule,
            async () => {
              const subject = await openSubject(engine);
              try {
                await check.run(subject);
              } finally {
                await subject.close();
              }
            },
            check.timeoutMs,
          );
        }
      });
    }
  });
};
