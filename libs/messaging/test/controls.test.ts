import {
  type Broken,
  type Check,
  createLedger,
  doneOnlyWhenPublished,
  type Engine,
  inOrderPerKey,
  killedBeforeDone,
  killedInMidConsume,
  onlyPoisonDies,
} from '@boxoffice/messaging/conformance';
import { expect, test } from '@jest/globals';
import { type Bus, type Message, startRelay } from '../src/index.ts';
import { inProcess } from './in-process/engine.ts';
import { brokerUrl, createRabbitmqEngine } from './rabbitmq/broker.ts';

/** An engine with sabotaged buses. */
const spoilt = (engine: Engine, spoil: (bus: Bus) => Bus): Engine => ({
  async open(settings) {
    const installation = await engine.open(settings);
    const buses = new Map<Bus, Bus>();
    return {
      ...installation,
      async start() {
        const process = await installation.start();
        const bus = buses.get(process.bus) ?? spoil(process.bus);
        buses.set(process.bus, bus);
        return { ...process, bus };
      },
    };
  },
});

/** Acknowledges when the handler starts, not when it has committed. */
const ackBeforeCommit = (bus: Bus): Bus => ({
  ...bus,
  subscribe: (queue, handler) =>
    bus.subscribe(queue, async (message, attempt) => {
      handler(message, attempt).catch(() => {});
    }),
});

/** Delivers every second message of a key before the first one. */
const unordered = (bus: Bus): Bus => ({
  ...bus,
  async subscribe(queue, handler) {
    const heldBack = new Map<string, Message>();
    return bus.subscribe(queue, async (message, attempt) => {
      const earlier = heldBack.get(message.key);
      heldBack.delete(message.key);
      if (!earlier) return void heldBack.set(message.key, message);
      await handler(message, attempt);
      await handler(earlier, attempt);
    });
  },
});

/** Treats a failed attempt as a success. */
const swallowsFailures = (bus: Bus): Bus => ({
  ...bus,
  subscribe: (queue, handler) => bus.subscribe(queue, (message, attempt) => handler(message, attempt).catch(() => {})),
});

/** Confirms an event to the relay before the bus has it. */
const doneBeforeConfirm: typeof startRelay = (options) =>
  startRelay({
    ...options,
    bus: {
      ...options.bus,
      publish: async (message) => {
        options.bus.publish(message).catch(() => {});
      },
    },
  });

const noDedupe: Broken['react'] = (ledger) => async (message) => ledger.write(message.id, false);

/** For a check that fails by waiting for this in vain; it waits patiently for everything else. */
const inVain = (lost: string): Broken => ({ lost, patienceMs: 2_500 });

const effects = 'every fact to take effect';
const sum = 'done + dead = published';

const outcome = ({ run }: Check, engine: Engine, broken: Broken = {}): Promise<string> =>
  run(engine, broken).then(
    () => 'passed',
    (error: Error) => error.message,
  );

const engines: [string, Engine][] = [['the in-process bus', inProcess]];
if (brokerUrl !== undefined) engines.push(['RabbitMQ', createRabbitmqEngine(brokerUrl)]);

test.each(engines)('on %s the checks find each planted fault', async (_name, engine) => {
  const found = await Promise.all([
    // An acknowledgement before the commit.
    outcome(killedInMidConsume, spoilt(engine, ackBeforeCommit), inVain(effects)),
    // A consumer that does not deduplicate.
    outcome(killedBeforeDone, engine, { react: noDedupe }),
    // An event marked done before the bus confirmed it.
    outcome(doneOnlyWhenPublished, engine, { relay: doneBeforeConfirm, ...inVain(effects) }),
  ]);
  const lost = expect.stringContaining(effects);
  expect(found).toEqual([lost, expect.stringContaining('took effect again'), lost]);
});

// These two sabotage code that all engines share.
test('on every engine the checks find messages of a key out of order, and a failure that is treated as a success', async () => {
  const found = await Promise.all([
    outcome(inOrderPerKey, spoilt(inProcess, unordered)),
    outcome(onlyPoisonDies, spoilt(inProcess, swallowsFailures), inVain(sum)),
  ]);
  expect(found).toEqual([expect.stringMatching(/the order of|at once/), expect.stringContaining(sum)]);
});

test('the ledger counts an effect that is written twice', () => {
  const ledger = createLedger();
  ledger.write('a', true);
  ledger.write('a', true);
  ledger.write('b', false);
  ledger.write('b', false);
  expect([...ledger.effects]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});
