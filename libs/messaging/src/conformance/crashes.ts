import assert from 'node:assert/strict';
import { createLedger, createMemoryOutbox } from './memory.ts';
import { type Check, check, eager, first, probe } from './subject.ts';

const times = (effects: ReadonlyMap<string, number>) => [...new Set(effects.values())];

/**
 * A consumer is killed with uncommitted messages in hand. The next process handles them: every fact takes effect
 * exactly once.
 */
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

/**
 * A process is killed after it published and before it marked the events done: they are published again, with one
 * effect each.
 */
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

/** The bus refuses every message at first: the events stay pending until it accepts them, and then they arrive. */
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

/** At-least-once delivery with one effect each, whichever process is killed at whichever step. */
export const crashes: readonly Check[] = [killedInMidConsume, killedBeforeDone, doneOnlyWhenPublished];
