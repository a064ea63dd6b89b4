import assert from 'node:assert/strict';
import { createLedger } from './ledger.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { type Check, first, probe, type Subject, until } from './subject.ts';

const silent = { info() {}, warn() {}, error() {} };
/** Relays in these checks look for orphaned events at once. */
const eager = { logger: silent, sweepMs: 30, orphanedAfterMs: 0, drainMs: 0 };

const times = (effects: ReadonlyMap<string, number>) => [...new Set(effects.values())];

/**
 * A consumer is killed with uncommitted messages in hand. The next process handles them: every fact takes effect
 * exactly once.
 */
export const killedInMidConsume = async (subject: Subject): Promise<void> => {
  const outbox = createMemoryOutbox();
  const ledger = createLedger();
  const react = subject.react(ledger);
  const never = subject.gate();
  const messages = Array.from({ length: 40 }, (_, n) => probe({ key: `key-${n % 7}` }));

  const doomed = await subject.start();
  const doomedOutbox = outbox.process();
  let started = 0;
  let lastAt = 0;
  await doomed.bus.subscribe(first, async (message, attempt) => {
    lastAt = Date.now();
    if (++started <= 5) return react(message, attempt);
    await never.passed; // its commit never comes
    throw new Error('killed');
  });
  const doomedRelay = subject.relay({ ...eager, ...doomedOutbox, outbox: doomedOutbox, bus: doomed.bus });
  outbox.commit(doomedOutbox, messages);
  // A quiet period: by now the engine has sent any premature acknowledgement, and the relay has marked it done.
  await until('messages in hand', () => started > 5 && Date.now() > lastAt + 500, subject);
  doomedOutbox.cut();
  await doomed.kill();
  await doomedRelay.close();

  const heir = await subject.start();
  const heirOutbox = outbox.process();
  await heir.bus.subscribe(first, react);
  subject.relay({ ...eager, ...heirOutbox, outbox: heirOutbox, bus: heir.bus });
  await until('every fact to take effect', () => ledger.effects.size === messages.length, subject);
  await until('an empty outbox', () => outbox.pending.size === 0, subject);
  assert.deepEqual(times(ledger.effects), [1], 'a fact took effect more than once');
  assert.deepEqual(await heir.bus.deadLetters.list(), []);
};

/**
 * A process is killed after it published and before it marked the events done: they are published again, with one
 * effect each.
 */
export const killedBeforeDone = async (subject: Subject): Promise<void> => {
  const outbox = createMemoryOutbox();
  const ledger = createLedger();
  const { bus } = await subject.start();
  let deliveries = 0;
  const react = subject.react(ledger);
  await bus.subscribe(first, async (message, attempt) => {
    await react(message, attempt);
    deliveries++;
  });
  const messages = Array.from({ length: 20 }, (_, n) => probe({ key: `key-${n % 5}` }));
  const doomed = outbox.process();
  const doomedRelay = subject.relay({
    ...eager,
    ...doomed,
    bus,
    outbox: { ...doomed, done: () => new Promise(() => {}) },
  });
  outbox.commit(doomed, messages);
  await until('every message once', () => deliveries >= messages.length, subject);
  doomed.cut();
  await doomedRelay.close();

  const heir = outbox.process();
  subject.relay({ ...eager, ...heir, bus, outbox: heir });
  await until('every message twice', () => deliveries >= 2 * messages.length, subject);
  await until('an empty outbox', () => outbox.pending.size === 0, subject);
  assert.equal(ledger.effects.size, messages.length);
  assert.deepEqual(times(ledger.effects), [1], 'a repeated message took effect again');
};

/** The bus refuses every message at first: the events stay pending until it accepts them, and then they arrive. */
export const doneOnlyWhenPublished = async (subject: Subject): Promise<void> => {
  const outbox = createMemoryOutbox();
  const ledger = createLedger();
  const { bus } = await subject.start();
  await bus.subscribe(first, subject.react(ledger));
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
  subject.relay({ ...eager, ...process, bus: moody, outbox: process });
  outbox.commit(process, messages);
  await until('a refusal of every key', () => refused >= 5, subject);
  refusing = false;
  await until('every fact to take effect', () => ledger.effects.size === messages.length, subject);
  await until('an empty outbox', () => outbox.pending.size === 0, subject);
  assert.deepEqual(times(ledger.effects), [1]);
};

/** At-least-once delivery with one effect each, whichever process is killed at whichever step. */
export const crashes: readonly Check[] = [
  { rule: 'a consumer killed before it committed: every fact takes effect, each once', run: killedInMidConsume },
  {
    rule: 'a publisher killed before it marked events done: they come again and take effect once',
    run: killedBeforeDone,
  },
  { rule: 'an event is done when the bus has it, not before', run: doneOnlyWhenPublished },
];
