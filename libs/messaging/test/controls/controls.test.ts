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
import { describe, expect, test } from '@jest/globals';
import { type Bus, type Message, startRelay } from '../../src/index.ts';
import { inProcess } from '../in-process/engine.ts';
import { brokerUrl } from '../rabbitmq/broker.ts';
import { rabbitmq } from '../rabbitmq/engine.ts';

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

/** For a check that fails by waiting in vain. Milliseconds. */
const briefly = { patienceMs: 1_500 };

const outcome = ({ run }: Check, engine: Engine, broken: Broken = {}): Promise<string> =>
  run(engine, broken).then(
    () => 'passed',
    (error: Error) => error.message,
  );

const engines: [string, Engine][] = [['the in-process bus', inProcess]];
if (brokerUrl !== undefined) engines.push(['RabbitMQ', rabbitmq(brokerUrl)]);

describe.each(engines)('the checks fail on %s for', (_name, engine) => {
  test('an acknowledgement before the commit', async () => {
    expect(await outcome(killedInMidConsume, spoilt(engine, ackBeforeCommit), briefly)).toMatch(
      'every fact to take effect',
    );
  });

  test('a consumer that does not deduplicate', async () => {
    expect(await outcome(killedBeforeDone, engine, { react: noDedupe })).toMatch('took effect again');
  });

  test('an event marked done before the bus confirmed it', async () => {
    expect(await outcome(doneOnlyWhenPublished, engine, { relay: doneBeforeConfirm, ...briefly })).toMatch(
      /every fact to take effect/,
    );
  });
});

// These two sabotage code that all engines share.
describe('the checks fail for', () => {
  test('messages of a key out of order', async () => {
    expect(await outcome(inOrderPerKey, spoilt(inProcess, unordered), { patienceMs: 10_000 })).toMatch(
      /the order of|at once/,
    );
  });

  test('a failure that is treated as a success', async () => {
    expect(await outcome(onlyPoisonDies, spoilt(inProcess, swallowsFailures), briefly)).toMatch(
      'done + dead = published',
    );
  });
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
