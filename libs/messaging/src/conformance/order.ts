import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { type Check, check, first, probe, publishAll } from './subject.ts';

/** 3,000 messages of 100 keys reach the handler in the order of their keys, one of a key at a time. */
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

/** Order per key only. */
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
