import assert from 'node:assert/strict';
import type { Documents } from '../../port.ts';
import { type Check, check, fresh, type Thing, thing, thingsOf } from '../subject.ts';

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const fill = async (mine: Documents<Thing>, count: number) => {
  for (let start = 0; start < count; start += 20_000) {
    const length = Math.min(20_000, count - start);
    await mine.insertMany(
      Array.from({ length }, (_, i) =>
        thing({
          name: `name-${(start + i) % 1000}`,
          rank: start + i,
          show: 'show',
          state: 'free',
          spread: Math.random(),
        }),
      ),
    );
  }
};

/** Median milliseconds of 40 pages of 20 that start at random ranks. Comparable within one run only. */
const pageMs = async (mine: Documents<Thing>, count: number) => {
  const times: number[] = [];
  for (let i = 0; i < 60; i++) {
    const value = Math.floor(Math.random() * (count - 30));
    // biome-ignore lint/plugin: compares a page of many documents with one of few, which a slow machine lengthens alike
    const started = performance.now();
    const page = await mine.find({ orderBy: 'rank', after: { value, id: '~' }, limit: 20 });
    // biome-ignore lint/plugin: as above
    times.push(performance.now() - started);
    assert.equal(page[0]?.rank, value + 1);
    assert.equal(page.length, 20);
  }
  return median(times.slice(20));
};

/** Cost on large collections: indexed reads do not grow with the number of documents. */
export const large: readonly Check[] = [
  check(
    '100,000 documents are inserted, paged deeply, counted and claimed about as fast per document as 1,000',
    async ({ store }) => {
      const [small, big] = [thingsOf(store).of(fresh('inst')), thingsOf(store).of(fresh('inst'))];
      await fill(small, 1_000);
      await fill(big, 100_000);
      assert.equal(await big.count(), 100_000);
      assert.equal(await big.count({ name: 'name-7' }), 100);
      const [smallMs, bigMs] = [await pageMs(small, 1_000), await pageMs(big, 100_000)];
      // A scan of 100,000 documents takes two orders of magnitude more than a page; noise does not.
      assert.ok(bigMs < smallMs * 8 + 2, `a page took ${bigMs} ms of 100,000 and ${smallMs} ms of 1,000`);
      for (let i = 0; i < 50; i++) {
        const set = { state: 'held' };
        const where = { show: 'show', state: 'free' };
        assert.equal((await big.claim({ where, set, limit: 2, spread: 'spread' })).length, 2);
      }
    },
    120_000,
  ),
];
