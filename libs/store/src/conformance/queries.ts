import assert from 'node:assert/strict';
import type { Documents, New, Query, Where } from '../port.ts';
import { type Check, check, createId, createThing, getThings, type Subject, type Thing } from './subject.ts';

const sample: readonly Partial<New<Thing>>[] = [
  { name: 'a', rank: 1, active: true, address: { city: 'Lyon' } },
  { name: 'b', rank: 2, active: false, address: { city: 'Paris' } },
  { name: 'c', rank: null, active: null, address: { city: null } },
  { name: 'd' },
  { name: 'É', rank: 2.5, address: { city: 'lyon' } },
  { name: '100%', rank: 10, address: { city: "L'Île" } },
];

/** Inserts the sample and compares the names that each condition matches, through find, count and order by id. */
const finds = async ({ store }: Subject, expected: readonly (readonly [Where, string])[]) => {
  const mine = getThings(store).of(createId('inst'));
  await mine.insertMany(sample.map((fields) => createThing(fields)));
  for (const [where, names] of expected) {
    const found = (await mine.find({ where })).map((one) => one.name);
    assert.deepEqual(found.sort(), names === '' ? [] : names.split(' ').sort(), JSON.stringify(where));
    assert.equal(await mine.count(where), found.length, JSON.stringify(where));
  }
};

export const conditions: readonly Check[] = [
  check('equality, on text, numbers, booleans and dotted paths, is exact', (its) =>
    finds(its, [
      [{ name: 'a' }, 'a'],
      [{ name: 'A' }, ''],
      [{ name: 'É' }, 'É'],
      [{ name: '100%' }, '100%'],
      [{ rank: 2 }, 'b'],
      [{ active: true }, 'a'],
      [{ active: false }, 'b'],
      [{ 'address.city': 'Lyon' }, 'a'],
      [{ 'address.city': "L'Île" }, '100%'],
      [{ name: 'a', rank: 2 }, ''],
      [{}, 'a b c d É 100%'],
    ]),
  ),
  check('absent fields compare as null', (its) =>
    finds(its, [
      [{ rank: null }, 'c d'],
      [{ 'address.city': null }, 'c d'],
      [{ rank: { ne: null } }, 'a b É 100%'],
      [{ active: { ne: true } }, 'b c d É 100%'],
      [{ missing: null }, 'a b c d É 100%'],
      [{ missing: 1 }, ''],
    ]),
  ),
  check('`in` finds any of the values, null among them, and nothing for an empty list', (its) =>
    finds(its, [
      [{ name: { in: ['a', 'd', 'x'] } }, 'a d'],
      [{ rank: { in: [1, null] } }, 'a c d'],
      [{ active: { in: [true, false] } }, 'a b'],
      [{ name: { in: [] } }, ''],
    ]),
  ),
  check('ranges combine, and neither null nor a comparison with null is ever within one', (its) =>
    finds(its, [
      [{ rank: { gt: 1 } }, 'b É 100%'],
      [{ rank: { gte: 1, lt: 2.5 } }, 'a b'],
      [{ rank: { lte: 2 } }, 'a b'],
      [{ name: { gte: 'a', lt: 'c' } }, 'a b'],
      [{ rank: { lt: 100 } }, 'a b É 100%'],
      [{ rank: { gte: null } }, ''],
      [{ rank: { lte: null } }, ''],
      [{ rank: { gt: null } }, ''],
    ]),
  ),
  check('conditions on the id and the version work like any other', async ({ mine }) => {
    const [first, second] = [await mine.insert(createThing()), await mine.insert(createThing())];
    await mine.update(second.id, (current) => ({ next: current }));
    assert.deepEqual(await mine.find({ where: { id: { in: [first.id, createId()] } } }), [first]);
    assert.equal(await mine.count({ version: 2 }), 1);
    assert.equal(await mine.count({ id: { ne: first.id } }), 1);
  }),
  check('a field name that is not a path is refused', async ({ mine }) => {
    for (const field of ['', 'a b', "a'", 'a"', '$where', 'a..b', '.a']) {
      await assert.rejects(mine.find({ where: { [field]: 1 } }), `where ${field}`);
      await assert.rejects(mine.find({ orderBy: field }), `orderBy ${field}`);
    }
  }),
  check('an undefined condition is refused: it must not match every document', async ({ mine }) => {
    const where = { name: undefined } as object as Where;
    await assert.rejects(mine.find({ where }));
    await assert.rejects(mine.count(where));
    await assert.rejects(mine.claim({ where, set: { state: 'held' } }));
  }),
];

const idOnly = (one: Thing) => one.id;

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

const createMixedThings = (): New<Thing>[] =>
  Array.from({ length: 97 }, (_, i) =>
    createThing({
      name: `n${i % 5}`,
      show: i % 2 ? 'odd' : 'even',
      ...(i % 7 === 0 ? { rank: null } : i % 11 === 0 ? {} : { rank: i % 4 }),
    }),
  );

export const pages: readonly Check[] = [
  check('the pages over ties and nulls, in both directions, are exactly the whole ordered list', async ({ mine }) => {
    await mine.insertMany(createMixedThings());
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
    const inputs = createMixedThings();
    await mine.insertMany(inputs);
    const expected = inputs
      .map((one) => ({ id: one.id, rank: one.rank ?? -1 }))
      .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
      .map((one) => one.id);
    assert.deepEqual((await mine.find({ orderBy: 'rank' })).map(idOnly), expected);
    assert.deepEqual((await mine.find({ orderBy: 'rank', descending: true })).map(idOnly), expected.reverse());
  }),
  check('the index that a query names does not change its result', async ({ mine }) => {
    await mine.insertMany(createMixedThings());
    const where = { name: { in: ['n1', 'n3'] } };
    for (const descending of [false, true]) {
      const query = { where, orderBy: 'rank', descending, limit: 15 };
      const expected = (await mine.find(query)).map(idOnly);
      assert.equal(expected.length, 15);
      assert.deepEqual((await mine.find({ ...query, index: 'by_name' })).map(idOnly), expected);
    }
  }),
  check('documents inserted while paging neither repeat nor hide others', async ({ mine }) => {
    const before = Array.from({ length: 60 }, (_, i) => createThing({ rank: i % 6 }));
    await mine.insertMany(before);
    const seen = await allPages(mine, { orderBy: 'rank', limit: 7 }, async () => {
      await Promise.all([
        mine.insert(createThing({ rank: 0 })),
        mine.insert(createThing({ rank: 3 })),
        mine.insert(createThing({ rank: 9 })),
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
    await mine.insertMany(Array.from({ length: 1200 }, () => createThing()));
    assert.equal((await mine.find({ limit: 0 })).length, 0);
    assert.equal((await mine.find()).length, 1200);
  }),
];
