import { describe, expect, test } from '@jest/globals';
import type { Feed, Stretch } from '../../src/feed/read.ts';
import { shareReads } from '../../src/feed/read.ts';

/** A feed that counts its reads; `newest` is what each of them finds at its beginning. */
const counted = () => {
  const reads: string[] = [];
  const state = { newest: 1, fails: false };
  const feed = {
    async read(institution: string, after: number): Promise<Stretch> {
      reads.push(`${institution} after ${after}`);
      if (state.fails) throw new Error('the store is away');
      return { events: [], upTo: state.newest };
    },
  } as unknown as Feed;
  return { feed: shareReads(feed), reads, state };
};

const all = { types: ['order.created'] };

describe('reads of the feed', () => {
  test('equal ones of a turn are one', async () => {
    const { feed, reads } = counted();
    const found = await Promise.all(Array.from({ length: 100 }, () => feed.read('opera', 7, all, 100)));
    expect(reads).toEqual(['opera after 7']);
    expect(new Set(found).size).toBe(1);
  });

  test('others are not', async () => {
    const { feed, reads } = counted();
    await Promise.all([
      feed.read('opera', 7, all, 100),
      feed.read('museum', 7, all, 100),
      feed.read('opera', 8, all, 100),
      feed.read('opera', 7, { types: ['order.created'], resource: 'ord_1' }, 100),
      feed.read('opera', 7, { types: ['order.paid'] }, 100),
      feed.read('opera', 7, {}, 100),
      feed.read('opera', 7, all, 1),
    ]);
    expect(reads).toHaveLength(7);
  });

  test('one that is wanted later finds what was added meanwhile', async () => {
    const { feed, state } = counted();
    const first = feed.read('opera', 0, all, 100);
    await new Promise((resolve) => setImmediate(resolve));
    state.newest = 2;
    const second = feed.read('opera', 0, all, 100);
    expect([(await first).upTo, (await second).upTo]).toEqual([1, 2]);
  });

  test('one that fails fails for all, and the next one is tried', async () => {
    const { feed, state } = counted();
    state.fails = true;
    const failed = await Promise.allSettled([feed.read('opera', 0, all, 1), feed.read('opera', 0, all, 1)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    state.fails = false;
    expect((await feed.read('opera', 0, all, 1)).upTo).toBe(1);
  });
});
