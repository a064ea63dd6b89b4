import {
  createMemoryDeadLetters,
  describeMessagingConformance,
  first,
  probe,
  probes,
  second,
  waitUntil,
} from '@boxoffice/messaging/conformance';
import { describe, expect, test } from '@jest/globals';
import { createInProcessBus, type InProcessOptions, Unreadable } from '../../src/index.ts';
import { inProcess } from './engine.ts';

describeMessagingConformance('the in-process bus', inProcess);

const logger = { info() {}, warn() {}, error() {} };
const open = (options: Partial<InProcessOptions> = {}) =>
  createInProcessBus({
    deadLetters: createMemoryDeadLetters(),
    logger,
    retryDelaysMs: [5],
    declared: probes,
    ...options,
  });

describe('publish of the in-process bus', () => {
  test('resolves when every handler has resolved, and not before', async () => {
    const bus = open();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await bus.subscribe(first, () => gates[0]?.promise ?? Promise.resolve());
    await bus.subscribe(second, () => gates[1]?.promise ?? Promise.resolve());
    let published = false;
    const publishing = bus.publish(probe({ type: 'probe.happened' })).then(() => {
      published = true;
    });
    gates[0]?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(published).toBe(false);
    gates[1]?.resolve();
    await publishing;
    await bus.close();
  });

  test('resolves when the message is a stored dead letter, and rejects if it cannot be stored', async () => {
    const letters = createMemoryDeadLetters();
    let storing = false;
    const deadLetters = {
      ...letters,
      add: async (letter: Parameters<typeof letters.add>[0]) => {
        if (!storing) throw new Error('the store is down');
        await letters.add(letter);
      },
    };
    const bus = open({ deadLetters });
    await bus.subscribe(first, async () => {
      throw new Unreadable('planted');
    });
    const message = probe();
    await expect(bus.publish(message)).rejects.toThrow('the store is down');
    storing = true;
    await bus.publish(message);
    expect((await bus.deadLetters.list()).map((letter) => letter.message)).toEqual([message]);
    await bus.close();
  });

  test('resolves for a fact whose declared queue this process does not serve', async () => {
    const bus = open();
    await bus.publish(probe());
    await bus.close();
  });

  test('rejects while a queue that this process serves has no subscriber, and does not affect other queues', async () => {
    const bus = open({ serves: [first] });
    let received = 0;
    await bus.subscribe(second, async () => void received++);
    const message = probe({ type: 'probe.happened' });
    await expect(bus.publish(message)).rejects.toThrow(`${first.name} has no subscriber`);
    const subscription = await bus.subscribe(first, async () => {});
    await bus.publish(message);
    await subscription.close();
    await expect(bus.publish(message)).rejects.toThrow();
    expect(received).toBe(1);
    await bus.close();
  });

  test('rejects when the bus closes while the message waits for its next attempt', async () => {
    const bus = open({ retryDelaysMs: [60_000] });
    let attempts = 0;
    await bus.subscribe(first, async () => {
      attempts++;
      throw new Error('planted');
    });
    const publishing = expect(bus.publish(probe())).rejects.toThrow('has no subscriber');
    await waitUntil('the first attempt', () => attempts === 1);
    await bus.close();
    await publishing;
  });

  test('gives the handlers of a queue at most ten messages at once', async () => {
    const bus = open();
    const gate = Promise.withResolvers<void>();
    let inHand = 0;
    let most = 0;
    await bus.subscribe(first, async () => {
      most = Math.max(most, ++inHand);
      await gate.promise;
      inHand--;
    });
    const publishing = Promise.all(Array.from({ length: 50 }, () => bus.publish(probe())));
    gate.resolve();
    await publishing;
    expect(most).toBe(10);
    await bus.close();
  });
});

describe('replay of the in-process bus', () => {
  test('leaves the letter until the message is handled, and delivers it once for several concurrent requests', async () => {
    const bus = open();
    const message = probe();
    const gate = Promise.withResolvers<void>();
    let mended = false;
    let handled = 0;
    const subscription = await bus.subscribe(first, async () => {
      if (!mended) throw new Unreadable('planted');
      handled++;
      await gate.promise;
    });
    await bus.publish(message);
    mended = true;
    const id = `${first.name}:${message.id}`;
    expect(await bus.deadLetters.replay(id)).toBe(true);
    expect(await bus.deadLetters.replay(id)).toBe(true);
    await waitUntil('it in hand', () => handled === 1);
    expect((await bus.deadLetters.list()).length).toBe(1);
    gate.resolve();
    await waitUntil('an empty list', async () => (await bus.deadLetters.list()).length === 0);
    expect(handled).toBe(1);
    await subscription.close();
    await bus.close();
  });

  test('needs a subscriber; without one it rejects and the letter stays', async () => {
    const bus = open();
    const subscription = await bus.subscribe(first, async () => {
      throw new Unreadable('planted');
    });
    const message = probe();
    await bus.publish(message);
    await subscription.close();
    await expect(bus.deadLetters.replay(`${first.name}:${message.id}`)).rejects.toThrow();
    expect((await bus.deadLetters.list()).length).toBe(1);
    await bus.close();
  });
});
