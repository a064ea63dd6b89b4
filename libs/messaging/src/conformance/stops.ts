import assert from 'node:assert/strict';
import { createLedger, createMemoryOutbox } from './memory.ts';
import { type Check, check, eager, first, probe } from './subject.ts';

/** Orderly stop of a process. */
export const stops: readonly Check[] = [
  check(
    'a closed subscription finishes the messages in hand and leaves the rest to the next one',
    async ({ bus, until, makeGate, startRelay }) => {
      const outbox = createMemoryOutbox();
      const ledger = createLedger();
      const gate = makeGate();
      const started: string[] = [];
      const finished: string[] = [];
      const subscription = await bus.subscribe(first, async ({ id }) => {
        started.push(id);
        await gate.passed;
        ledger.write(id, false);
        finished.push(id);
      });
      const process = outbox.process();
      startRelay({ ...eager, ...process, bus, outbox: process });
      const messages = Array.from({ length: 50 }, () => probe());
      outbox.commit(process, messages);
      await until('messages in hand', () => started.length >= 5);
      const closing = subscription.close();
      gate.open();
      await closing;
      assert.deepEqual(finished.sort(), started.sort(), 'a handler was cut off, or started while closing');
      assert.ok(finished.length < messages.length, 'the first one took all messages: the check proves nothing');
      const before = finished.length;
      await bus.subscribe(first, async ({ id }) => ledger.write(id, false));
      await until('the rest', () => ledger.effects.size === messages.length);
      await until('an empty outbox', () => outbox.pending.size === 0);
      assert.equal(finished.length, before, 'the closed subscription took another one');
      const twice = [...ledger.effects.values()].filter((count) => count !== 1);
      assert.equal(twice.length, 0, `${twice.length} messages were handled twice`);
    },
  ),
  check(
    'a closed bus finishes the messages in hand, then it neither publishes nor answers',
    async ({ bus, until, makeGate }) => {
      const gate = makeGate();
      let started = 0;
      let finished = 0;
      await bus.subscribe(first, async () => {
        started++;
        await gate.passed;
        finished++;
      });
      const publishing = Promise.allSettled([bus.publish(probe()), bus.publish(probe())]);
      await until('both in hand', () => started === 2);
      await bus.ping();
      const closing = bus.close();
      gate.open();
      await closing;
      assert.equal(finished, 2);
      assert.deepEqual(
        (await publishing).map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      );
      await assert.rejects(bus.publish(probe()));
      await assert.rejects(bus.ping());
    },
  ),
];
