import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createPartitions } from '../src/partitions.ts';

interface Item {
  readonly key: string;
  readonly n: number;
  /** The number of retries before it is finished. */
  putOff: number;
}

const items = fc.array(
  fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), putOff: fc.constantFrom(0, 0, 0, 1, 2), turns: fc.nat(2) }),
  { maxLength: 40 },
);

/** Partitions that record what they do; each item takes several turns of the event loop. */
const watched = (limit: number) => {
  const busy = new Set<string>();
  const finished: Item[] = [];
  const faults: string[] = [];
  const partitions = createPartitions<Item & { readonly turns: number }>({
    limit,
    async work(item) {
      if (busy.has(item.key)) faults.push(`two of ${item.key} at once`);
      busy.add(item.key);
      if (busy.size > limit) faults.push(`${busy.size} at work`);
      for (let turn = 0; turn < item.turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      busy.delete(item.key);
      if (item.putOff-- > 0) return 1;
      finished.push(item);
      return undefined;
    },
  });
  return { partitions, finished, faults };
};

describe('partitions', () => {
  test('finish every item, in order per key, within the limit', async () => {
    await fc.assert(
      fc.asyncProperty(items, fc.integer({ min: 1, max: 5 }), async (pushed, limit) => {
        const { partitions, finished, faults } = watched(limit);
        const numbered = pushed.map((item, n) => ({ ...item, n }));
        for (const item of numbered) {
          partitions.push(item.key, item);
          if (item.n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await partitions.quiet();
        expect(faults).toEqual([]);
        expect(partitions.size).toBe(0);
        expect(finished.length).toBe(numbered.length);
        for (const key of ['a', 'b', 'c', 'd']) {
          const order = (all: readonly Item[]) => all.filter((one) => one.key === key).map(({ n }) => n);
          expect(order(finished)).toEqual(order(numbered));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('drop returns the items that were not started; started ones are finished; none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(items, fc.nat(10), async (pushed, turns) => {
        const { partitions, finished, faults } = watched(3);
        const numbered = pushed.map((item, n) => ({ ...item, putOff: 0, n }));
        for (const item of numbered) partitions.push(item.key, item);
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        const dropped = partitions.drop();
        await partitions.quiet();
        expect(faults).toEqual([]);
        expect([...finished, ...dropped].map(({ n }) => n).sort((a, b) => a - b)).toEqual(numbered.map(({ n }) => n));
      }),
      { numRuns: 100 },
    );
  });

  test('hold starts nothing new, resume continues', async () => {
    const { partitions, finished } = watched(2);
    partitions.hold();
    partitions.push('a', { key: 'a', n: 1, putOff: 0, turns: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    expect([finished.length, partitions.size]).toEqual([0, 1]);
    partitions.resume();
    await partitions.quiet();
    expect(finished.length).toBe(1);
  });
});
