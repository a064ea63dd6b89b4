import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Bounds, bounded, boundedCollection } from '../bounds.ts';
import type { Condition, Where } from '../port.ts';
import { type Check, check, fresh, type Thing, thing, thingsOf } from './subject.ts';

const ranks = [null, 0, 1, 2, 3] as const;
const names = ['a', 'b', 'Ü', '\u{10000}'] as const;

const conditionOn = <Value extends string | number | null>(values: readonly Value[]): fc.Arbitrary<Condition> => {
  const value = fc.constantFrom(...values);
  return fc.oneof(
    value,
    value.map((ne) => ({ ne })),
    fc.uniqueArray(value).map((members) => ({ in: members })),
    fc.record({ gt: value, gte: value, lt: value, lte: value }, { requiredKeys: [] }),
  );
};

const where = fc.record({ name: conditionOn(names), rank: conditionOn(ranks) }, { requiredKeys: [] });

const bounds: fc.Arbitrary<Bounds> = fc.record(
  { name: fc.uniqueArray(fc.constantFrom(...names)), rank: fc.uniqueArray(fc.constantFrom(...ranks)) },
  { requiredKeys: [] },
);

const isWithin = (limits: Bounds, one: Thing): boolean =>
  (limits.name?.includes(one.name) ?? true) && (limits.rank?.includes(one.rank ?? null) ?? true);

/** Bounds: what a restricted reader sees of a collection is what it would see if nothing else were stored. */
export const boundsOfReaders: readonly Check[] = [
  check(
    'find, count and get within bounds are those of a collection that holds nothing else, for any conditions',
    async ({ mine: all }) => {
      await all.insertMany(names.flatMap((name) => ranks.map((rank) => thing({ name, rank }))));
      const stored = await all.find();
      await fc.assert(
        fc.asyncProperty(bounds, where, async (limits, conditions) => {
          const seen = bounded(all, limits);
          const asked: Where = conditions;
          const expected = (await all.find({ where: asked, orderBy: 'rank' })).filter((one) => isWithin(limits, one));
          assert.deepEqual(await seen.find({ where: asked, orderBy: 'rank' }), expected);
          assert.equal(await seen.count(asked), expected.length);
          const [first] = stored;
          assert.ok(first);
          assert.deepEqual(await seen.get(first.id), isWithin(limits, first) ? first : undefined);
        }),
        { numRuns: 150 },
      );
    },
    300_000,
  ),
  check(
    'update, delete and claim leave a document out of bounds alone, and its function is not called',
    async ({ mine: all }) => {
      const other = await all.insert(thing({ name: 'theirs', state: 'free' }));
      const mine = bounded(all, { name: ['mine'] });
      let called = false;
      const change = (current: Thing) => {
        called = true;
        return { next: { ...current, name: 'mine' } };
      };
      assert.equal(await mine.update(other.id, change), undefined);
      assert.equal(called, false);
      assert.equal(await mine.delete(other.id), false);
      assert.equal(await mine.delete(other.id, other.version), false);
      assert.deepEqual(await mine.claim({ where: { state: 'free' }, set: { state: 'held' } }), []);
      assert.deepEqual(await all.get(other.id), other);
    },
  ),
  check('a document within bounds is written as ever; a change may lead out of them', async ({ mine: all }) => {
    const mine = bounded(all, { name: ['mine'] });
    const own = await mine.insert(thing({ name: 'mine' }));
    assert.equal(await mine.insertMany([thing({ name: 'mine' })]), 1);
    assert.equal((await mine.update(own.id, (current) => ({ next: { ...current, rank: 1 } })))?.version, 2);
    const given = await mine.update(own.id, (current) => ({ next: { ...current, name: 'theirs' } }));
    assert.equal(given?.name, 'theirs');
    assert.equal(await mine.get(own.id), undefined);
    assert.equal(await mine.count(), 1);
  }),
  check(
    'a new document out of bounds is refused, alone or among others, and nothing is written',
    async ({ mine: all }) => {
      const mine = bounded(all, { name: ['mine'] });
      await assert.rejects(mine.insert(thing({ name: 'theirs' })), /lacks a permitted name/);
      const some = [thing({ name: 'mine' }), thing({ name: 'theirs' })];
      await assert.rejects(mine.insertMany(some), /lacks a permitted name/);
      assert.equal(await all.count(), 0);
    },
  ),
  check('a bounded collection has its own institution only, and no look across institutions', async ({ store }) => {
    const [institution, other] = [fresh('inst'), fresh('inst')];
    const own = await thingsOf(store).of(institution).insert(thing());
    const mine = boundedCollection(thingsOf(store), institution, {});
    assert.deepEqual(await mine.of(institution).find(), [own]);
    assert.throws(() => mine.of(other), /reached for/);
    assert.throws(() => mine.acrossInstitutions, /reached for/);
  }),
];
