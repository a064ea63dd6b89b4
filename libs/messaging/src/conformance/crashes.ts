import assert from 'node:assert/strict';
import { type Check, check, createLedger, createMemoryOutbox, eager, first, probe } from './subject.ts';

const times = (effects: ReadonlyMap<string, number>) => [...new Set(effects.values())];

export const killedInMidConsume = check(
  'a consumer killed before it committed: every fact takes effect, each once',
  async ({ start, until, makeGate, startRelay, makeReaction }) => {
    const outbox = createMemoryOutbox();
    const ledger = createLedger();
    const react = makeReaction(ledger);
    const never = makeGate();
    const messages = Array.from({ length: 40 }, (_, n) => probe({ key: `key-${n % 7}` }));

    const doomed = await start();
    const doomedOutbox = outbox.process();
    let started = 0;
    let lastAt = 0;
    await doomed.bus.subscribe(first, async (message, attempt) => {
      lastAt = Date.now();
      if (++started <= 5) return react(message, attempt);
      await never.passed; // its commit never comes
      throw new Error('killed');
    });
    const doomedRelay = startRelay({ ...eager, ...doomedOutbox, outbox: doomedOutbox, bus: doomed.bus });
    outbox.commit(doomedOutbox, messages);
    // A quiet period: by now the engine has sent any premature acknowledgement, and the relay has marked it done.
    await until('messages in hand', () => started > 5 && Date.now() > lastAt + 500);
    doomedOutbox.cut();
    await doomed.kill();
    await doomedRelay.close();

    const heir = await start();
    const heirOutbox = outbox.process();
    await heir.bus.subscribe(first, react);
    startRelay({ ...eager, ...heirOutbox, outbox: heirOutbox, bus: heir.bus });
    await until('every fact to take effect', () => ledger.effects.size === messages.length);
    await until('an empty outbox', () => outbox.pending.size === 0);
    assert.deepEqual(times(ledger.effects), [1], 'a fact took effect more than once');
    assert.deepEqual(await heir.bus.deadLetters.list(), []);
  },
);

export const killedBeforeDone = check(
  'a publisher killed before it marked events done: they come again and take effect once',
  async ({ bus, until, startRelay, makeReaction }) => {
    const outbox = createMemoryOutbox();
    const ledger = createLedger();
    let deliveries = 0;
    const react = makeReaction(ledger);
    await bus.subscribe(first, async (message, attempt) => {
      await react(message, attempt);
      deliveries++;
    });
    const messages = Array.from({ length: 20 }, (_, n) => probe({ key: `key-${n % 5}` }));
    const doomed = outbox.process();
    const doomedRelay = startRelay({
      ...eager,
      ...doomed,
      bus,
      outbox: { ...doomed, done: () => new Promise(() => {}) },
    });
    outbox.commit(doomed, messages);
    await until('every message once', () => deliveries >= messages.length);
    doomed.cut();
    await doomedRelay.close();

    const heir = outbox.process();
    startRelay({ ...eager, ...heir, bus, outbox: heir });
    await until('every message twice', () => deliveries >= 2 * messages.length);
    await until('an empty outbox', () => outbox.pending.size === 0);
    assert.equal(ledger.effects.size, messages.length);
    assert.deepEqual(times(ledger.effects), [1], 'a repeated message took effect again');
  },
);

export const doneOnlyWhenPublished = check(
  'an event is done when the bus has it, not before',
  async ({ bus, until, startRelay, makeReaction }) => {
    const outbox = createMemoryOutbox();
    const ledger = createLedger();
    await bus.subscribe(first, makeReaction(ledger));
    const messages = Array.from({ length: 20 }, (_, n) => probe({ key: `key-${n % 5}` }));
    let refusing = true;
    let refused = 0;
    const moody = {
      ping: async () => {},
      publish: async (message: (typeof messages)[number]) => {
        if (!refusing) return bus.publish(message);
        refused++;
        throw new Error('refused');
      },
    };
    const process = outbox.process();
    startRelay({ ...eager, ...process, bus: moody, outbox: process });
    outbox.commit(process, messages);
    await until('a refusal of every key', () => refused >= 5);
    refusing = false;
    await until('every fact to take effect', () => ledger.effects.size === messages.length);
    await until('an empty outbox', () => outbox.pending.size === 0);
    assert.deepEqual(times(ledger.effects), [1]);
  },
);

export const crashes: readonly Check[] = [killedInMidConsume, killedBeforeDone, doneOnlyWhenPublished];

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
