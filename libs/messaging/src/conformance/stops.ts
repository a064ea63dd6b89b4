import assert from 'node:assert/strict';
import { createLedger } from './ledger.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { type Check, first, probe, rejection, until } from './subject.ts';

const silent = { info() {}, warn() {}, error() {} };
const eager = { logger: silent, sweepMs: 30, orphanedAfterMs: 0, drainMs: 0 };

/** Orderly stop of a process. */
export const stops: readonly Check[] = [
  {
    rule: 'a closed subscription finishes the messages in hand and leaves the rest to the next one',
    async run(subject) {
      const outbox = createMemoryOutbox();
      const ledger = createLedger();
      const gate = subject.gate();
      const { bus } = await subject.start();
      const started: string[] = [];
      const finished: string[] = [];
      const subscription = await bus.subscribe(first, async ({ id }) => {
        started.push(id);
        await gate.passed;
        ledger.write(id, false);
        finished.push(id);
      });
      const process = outbox.process();
      subject.relay({ ...eager, ...process, bus, outbox: process });
      const messages = Array.from({ length: 50 }, () => probe());
      outbox.commit(process, messages);
      await until('messages in hand', () => started.length >= 5, subject);
      const closing = subscription.close();
      gate.open();
      await closing;
      assert.deepEqual(finished.sort(), started.sort(), 'a handler was cut off, or started while closing');
      assert.ok(finished.length < messages.length, 'the first one took all messages: the check proves nothing');
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
    rule: 'a closed bus finishes the messages in hand, then it neither publishes nor answers',
    async run(subject) {
      const { bus } = await subject.start();
      const gate = subject.gate();
      let started = 0;
      let finished = 0;
      await bus.subscribe(first, async () => {
        started++;
        await gate.passed;
        finished++;
      });
      const publishing = Promise.allSettled([bus.publish(probe()), bus.publish(probe())]);
      await until('both in hand', () => started === 2, subject);
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
