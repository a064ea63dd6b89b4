import assert from 'node:assert/strict';
import type { Documents, New, Query, Where } from '../../port.ts';
import { type Check, check, type Thing, thing } from '../subject.ts';

const idOnly = (one: Thing) => one.id;

/** Reads all pages of a query, calling `between` after each. */
const allPages = async (
  mine: Documents<Thing>,
  query: Query & { readonly limit: number },
  between: (page: number) => Promise<void> = async () => {},
): Promise<Thing[]> => {
  const all: Thing[] = [];
  for (let page = 0; ; page++) {
    const last = all.at(-1);
    const field = query.orderBy as keyof Thing | undefined;
    const value = last && field ? (last[field] as string | number | null | undefined) : null;
    const found = await mine.find({ ...query, ...(last ? { after: { value: value ?? null, id: last.id } } : {}) });
    all.push(...found);
    if (found.length < query.limit) return all;
    await between(page);
  }
};

const mixed = (): New<Thing>[] =>
  Array.from({ length: 97 }, (_, i) =>
    thing({
      name: `n${i % 5}`,
      show: i % 2 ? 'odd' : 'even',
      ...(i % 7 === 0 ? { rank: null } : i % 11 === 0 ? {} : { rank: i % 4 }),
    }),
  );

/** Keyset pagination. */
export const pages: readonly Check[] = [
  check('the pages over ties and nulls, in both directions, are exactly the whole ordered list', async ({ mine }) => {
    await mine.insertMany(mixed());
    for (const orderBy of ['rank', 'name', 'id', undefined]) {
      for (const descending of [false, true]) {
        for (const where of [undefined, { show: 'odd' }] as (Where | undefined)[]) {
          const query = { where, orderBy, descending };
          const whole = (await mine.find(query)).map(idOnly);
          assert.equal(whole.length, where ? 48 : 97);
          const joined = (await allPages(mine, { ...query, limit: 10 })).map(idOnly);
          assert.deepEqual(joined, whole, JSON.stringify(query));
        }
      }
    }
  }),
  check('the order is by value with null first, then by id; descending is its exact reverse', async ({ mine }) => {
    const inputs = mixed();
    await mine.insertMany(inputs);
    const expected = inputs
      .map((one) => ({ id: one.id, rank: one.rank ?? -1 }))
      .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
      .map((one) => one.id);
    assert.deepEqual((await mine.find({ orderBy: 'rank' })).map(idOnly), expected);
    assert.deepEqual((await mine.find({ orderBy: 'rank', descending: true })).map(idOnly), expected.reverse());
  }),
  check('the index that a query names does not change its result', async ({ mine }) => {
    await mine.insertMany(mixed());
    const where = { name: { in: ['n1', 'n3'] } };
    for (const descending of [false, true]) {
      const query = { where, orderBy: 'rank', descending, limit: 15 };
      const expected = (await mine.find(query)).map(idOnly);
      assert.equal(expected.length, 15);
      assert.deepEqual((await mine.find({ ...query, index: 'by_name' })).map(idOnly), expected);
    }
  }),
  check('documents inserted while paging neither repeat nor hide others', async ({ mine }) => {
    const before = Array.from({ length: 60 }, (_, i) => thing({ rank: i % 6 }));
    await mine.insertMany(before);
    const seen = await allPages(mine, { orderBy: 'rank', limit: 7 }, async () => {
      await Promise.all([
        mine.insert(thing({ rank: 0 })),
        mine.insert(thing({ rank: 3 })),
        mine.insert(thing({ rank: 9 })),
      ]);
    });
    const ids = seen.map(idOnly);
    assert.equal(new Set(ids).size, ids.length, 'a document came twice');
    for (const { id } of before) assert.ok(ids.includes(id), 'a document was skipped');
    const ranks = seen.map((one) => one.rank ?? 0);
    assert.deepEqual(
      ranks,
      [...ranks].sort((a, b) => a - b),
    );
  }),
  check('a limit of 0 returns nothing, and no limit returns all', async ({ mine }) => {
    await mine.insertMany(Array.from({ length: 1200 }, () => thing()));
    assert.equal((await mine.find({ limit: 0 })).length, 0);
    assert.equal((await mine.find()).length, 1200);
  }),
];
