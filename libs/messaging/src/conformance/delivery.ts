import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Message } from '../port.ts';
import { type Check, check, first, probe, publishAll, second, untaken } from './subject.ts';

export const delivery: readonly Check[] = [
  check('a message arrives as it was published, as its first attempt', async ({ bus, until }) => {
    const received: [Message, number][] = [];
    await bus.subscribe(first, async (message, attempt) => void received.push([message, attempt]));
    const traced = probe({
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      data: { name: 'Zoë ✓', list: [1, null, { deep: true }] },
    });
    const plain = probe();
    await publishAll(bus, [traced, plain]);
    await until('both messages', () => received.length === 2);
    received.sort(([a], [b]) => a.version - b.version);
    assert.deepEqual(received, [
      [traced, 1],
      [plain, 1],
    ]);
  }),
  check('every queue gets its own copy of messages of its types, and no others', async ({ bus, until }) => {
    const received: { queue: string; message: Message }[] = [];
    for (const queue of [first, second]) {
      await bus.subscribe(queue, async (message) => {
        received.push({ queue: queue.name, message });
        Object.assign(message.data, { touched: true });
      });
    }
    const both = probe({ type: 'probe.happened' });
    const one = probe({ type: 'probe.repeated' });
    await publishAll(bus, [both, one]);
    await until('three deliveries', () => received.length === 3);
    const ids = (queue: string) => received.filter((each) => each.queue === queue).map(({ message }) => message.id);
    assert.deepEqual(ids(first.name).sort(), [both.id, one.id].sort());
    assert.deepEqual(ids(second.name), [both.id]);
    assert.deepEqual(both.data, {}, 'a handler reached the publisher’s object');
  }),
  check(
    'a fact that is not in the topology cannot be published, and does not affect others',
    async ({ bus, until }) => {
      let received = 0;
      await bus.subscribe(first, async () => void received++);
      const published = publishAll(
        bus,
        Array.from({ length: 20 }, () => probe()),
      );
      await Promise.all(
        ['probe.nowhere', 'nowhere.at-all', 'probe.nowhere'].map((type) =>
          assert.rejects(bus.publish(probe({ type })), { name: 'Unroutable' }),
        ),
      );
      await published;
      await until('the routable messages', () => received === 20);
    },
  ),
  check('a fact that no queue takes is published all the same, and reaches none', async ({ bus, until }) => {
    const received: string[] = [];
    await bus.subscribe(first, async ({ type }) => void received.push(type));
    await bus.publish(probe({ type: untaken }));
    await bus.publish(probe({ type: 'probe.repeated' }));
    await until('the other fact', () => received.length > 0);
    assert.deepEqual(received, ['probe.repeated']);
  }),
  check(
    'the instances of a group share its queue: each message goes to one of them',
    async ({ start, bus, until, makeGate }) => {
      const received: string[][] = [[], []];
      const bothBusy = makeGate();
      for (const [index, one] of [bus, (await start()).bus].entries()) {
        await one.subscribe(first, async ({ id }) => {
          received[index]?.push(id);
          if (received.every((own) => own.length > 0)) bothBusy.open();
          await bothBusy.passed;
        });
      }
      const messages = Array.from({ length: 40 }, () => probe());
      const publishing = publishAll(bus, messages);
      await until('all messages', () => received.flat().length >= messages.length);
      await publishing;
      assert.deepEqual(received.flat().sort(), messages.map(({ id }) => id).sort());
    },
  ),
];

export const inOrderPerKey = check(
  '3,000 messages arrive in order per key, one of a key at a time',
  async ({ bus, until }) => {
    const seen = new Map<string, number[]>();
    const busy = new Set<string>();
    let overlaps = 0;
    let count = 0;
    await bus.subscribe(first, async ({ key, data }) => {
      if (busy.has(key)) overlaps++;
      busy.add(key);
      await turn();
      const { n } = data as { n: number };
      seen.set(key, [...(seen.get(key) ?? []), n]);
      busy.delete(key);
      count++;
    });
    const messages = Array.from({ length: 3_000 }, (_, n) => probe({ key: `key-${n % 100}`, data: { n } }));
    await publishAll(bus, messages);
    await until('3,000 messages', () => count >= messages.length);
    assert.equal(overlaps, 0, 'two messages of a key were in hand at once');
    assert.equal(seen.size, 100);
    for (const [key, numbers] of seen) {
      const expected = messages.filter((message) => message.key === key).map(({ data }) => (data as { n: number }).n);
      assert.deepEqual(numbers, expected, `the order of ${key}`);
    }
  },
);

export const order: readonly Check[] = [
  inOrderPerKey,
  check('a slow handler of one key does not delay other keys', async ({ bus, until, makeGate }) => {
    const gate = makeGate();
    const messages: string[] = [];
    await bus.subscribe(first, async ({ key, version }) => {
      if (key === 'slow' && !messages.includes('slow')) {
        messages.push('slow');
        await gate.passed;
      }
      messages.push(`${key} ${version}`);
    });
    const slow = [probe({ key: 'slow', version: 1 }), probe({ key: 'slow', version: 2 })];
    const others = Array.from({ length: 30 }, (_, n) => probe({ key: `quick-${n}`, version: 1 }));
    const publishing = publishAll(bus, slow);
    await until('the slow one in hand', () => messages.includes('slow'));
    await publishAll(bus, others);
    await until('the others', () => messages.filter((one) => one.startsWith('quick')).length === 30);
    assert.ok(!messages.includes('slow 2'), 'two messages of a key at once');
    gate.open();
    await publishing;
    await until('the slow ones', () => messages.includes('slow 2'));
  }),
  check(
    'a message that waits for its next attempt delays neither other keys nor the next one of its own',
    async ({ bus, until }) => {
      const messages: string[] = [];
      await bus.subscribe(first, async ({ key, version }, attempt) => {
        messages.push(`${key} ${version} ${attempt}`);
        if (version === 1 && attempt === 1) throw new Error('not yet');
      });
      // Concurrently: an engine whose publish waits for the handler must not delay the next one by the retry.
      await Promise.all([
        bus.publish(probe({ key: 'a', version: 1 })),
        bus.publish(probe({ key: 'a', version: 2 })),
        bus.publish(probe({ key: 'b', version: 2 })),
      ]);
      await until('the second attempt', () => messages.includes('a 1 2'));
      const at = (entry: string) => messages.indexOf(entry);
      assert.ok(at('a 1 1') < at('a 2 1'), `order of publishing: ${messages}`);
      assert.ok(at('a 2 1') >= 0 && at('a 2 1') < at('a 1 2'), `a 2 was held up: ${messages}`);
      assert.ok(at('b 2 1') >= 0 && at('b 2 1') < at('a 1 2'), `b 2 was held up: ${messages}`);
    },
  ),
];
