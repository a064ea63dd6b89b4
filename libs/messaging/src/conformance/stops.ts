import assert from 'node:assert/strict';
import { createLedger } from './ledger.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { type Check, first, probe, rejection, until } from './subject.ts';

const silent = { info() {}, warn() {}, error() {} };
const eager = { logger: silent, sweepMs: 30, orphanedAfterMs: 0, drainMs: 0 };

/** Orderly stop of a process. */
export const stops: readonly Check[] = [
  {
    rule: 'a closed subscription finished what was in hand and left the rest to the next one',
    async run(subject) {
      const outbox = createMemoryOutbox();
      const ledger = createLedger();
      const gate = subject.gate();
      const { bus } = await subject.start();
      const begun: string[] = [];
      const finished: string[] = [];
      const subscription = await bus.subscribe(first, async ({ id }) => {
        begun.push(id);
        await gate.passed;
        ledger.write(id, false);
        finished.push(id);
      });
      const process = outbox.process();
      subject.relay({ ...eager, ...process, bus, outbox: process });
      const messages = Array.from({ length: 50 }, () => probe());
      outbox.commit(process, messages);
      await until('messages in hand', () => begun.length >= 5, subject);
      const closing = subscription.close();
      gate.open();
      await closing;
      assert.deepEqual(finished.sort(), begun.sort(), 'a handler was cut off, or begun while closing');
      assert.ok(finished.length < messages.length, 'everything was taken: the check shows nothing');
      const before = finished.length;
      await bus.subscribe(first, async ({ id }) => ledger.write(id, false));
      await until('the rest', () => ledger.effects.size === messages.length, subject);
      await until('an empty outbox', () => outbox.pending.size === 0, subject);
      assert.equal(finished.length, before, 'the closed subscription took another one');
      const twice = [...ledger.effects.values()].filter((count) => count !== 1);
      assert.equal(twice.length, 0, `${twice.length} messages were handled twice`);
    },
  },
  {
    rule: 'a closed bus finished what was in hand, then publishes and answers no more',
    async run(subject) {
      const { bus } = await subject.start();
      const gate = subject.gate();
      let begun = 0;
      let finished = 0;
      await bus.subscribe(first, async () => {
        begun++;
        await gate.passed;
        finished++;
      });
      const publishing = Promise.allSettled([bus.publish(probe()), bus.publish(probe())]);
      await until('both in hand', () => begun === 2, subject);
      await bus.ping();
      const closing = bus.close();
      gate.open();
      await closing;
      assert.equal(finished, 2);
      assert.deepEqual(
        (await publishing).map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      );
      await rejection(bus.publish(probe()));
      await rejection(bus.ping());
    },
  },
];
