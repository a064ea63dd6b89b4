import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Bounds, restrictCollection, restrictDocuments } from '../bounds.ts';
import type { Condition, Where } from '../port.ts';
import { type Check, check, createId, createThing, getThings, requireUniqueViolation, type Thing } from './subject.ts';

export const tenants: readonly Check[] = [
  check('get, find and count see their own institution only', async ({ mine, theirs }) => {
    const own = await mine.insert(createThing({ name: 'shared' }));
    const other = await theirs.insert(createThing({ name: 'shared' }));
    assert.equal(await mine.get(other.id), undefined);
    assert.deepEqual(await mine.find(), [own]);
    assert.deepEqual(await mine.find({ where: { name: 'shared' }, orderBy: 'name' }), [own]);
    assert.deepEqual(await mine.find({ where: { id: { in: [own.id, other.id] } } }), [own]);
    assert.equal(await mine.count(), 1);
    assert.equal(await mine.count({ name: 'shared' }), 1);
  }),
  check('a condition on `institution` does not match other institutions', async ({ mine, theirs }) => {
    const { institution } = await theirs.insert(createThing());
    assert.deepEqual(await mine.find({ where: { institution } }), []);
    assert.equal(await mine.count({ institution: { ne: '' } }), 0);
  }),
  check("update and delete leave another institution's document alone", async ({ mine, theirs }) => {
    const other = await theirs.insert(createThing());
    let called = false;
    const updated = await mine.update(other.id, (current) => {
      called = true;
      return { next: { ...current, name: 'stolen' } };
    });
    assert.equal(updated, undefined);
    assert.equal(called, false);
    assert.equal(await mine.delete(other.id), false);
    assert.deepEqual(await theirs.get(other.id), other);
  }),
  check('a claim takes documents of its own institution only', async ({ mine, theirs }) => {
    const show = createId('show');
    const place = () => createThing({ show, state: 'free', spread: Math.random() });
    await mine.insertMany([place(), place()]);
    await theirs.insertMany([place(), place(), place()]);
    const where = { show, state: 'free' };
    assert.equal((await mine.claim({ where, set: { state: 'held' }, limit: 10, spread: 'spread' })).length, 2);
    assert.equal((await mine.claim({ where, set: { state: 'held' } })).length, 0);
    assert.equal(await theirs.count(where), 3);
  }),
  check(
    'an id belongs to one institution of the installation: another can neither insert nor overwrite it',
    async ({ mine, theirs }) => {
      const other = await theirs.insert(createThing());
      await requireUniqueViolation(mine.insert(createThing({ id: other.id, name: 'stolen' })), 'id');
      assert.equal(await mine.insertMany([createThing({ id: other.id, name: 'stolen' })]), 0);
      assert.deepEqual(await theirs.get(other.id), other);
      assert.equal(await mine.count(), 0);
    },
  ),
  check('the institution of the writer replaces one that the document names', async ({ institution, mine }) => {
    const forged = { ...createThing(), institution: createId('inst'), version: 7 };
    assert.equal((await mine.insert(forged)).institution, institution);
    await mine.update(forged.id, (current) => ({
      next: { ...current, institution: 'x', version: 9 } as typeof current,
    }));
    const stored = await mine.get(forged.id);
    assert.equal(stored?.institution, institution);
    assert.equal(stored?.version, 2);
  }),
  check(
    'acrossInstitutions reads, updates, claims and deletes documents of all institutions, and each stays in its own',
    async ({ store }) => {
      const institutions = [createId('inst'), createId('inst')];
      const show = createId('show');
      for (const one of institutions)
        await getThings(store)
          .of(one)
          .insert(createThing({ show, state: 'held' }));
      const all = getThings(store).acrossInstitutions;
      const found = await all.find({ where: { show } });
      assert.deepEqual(found.map((one) => one.institution).sort(), institutions.sort());
      assert.equal(await all.count({ show }), 2);
      const [first] = found;
      assert.ok(first);
      assert.deepEqual(await all.get(first.id), first);
      const updated = await all.update(first.id, (current) => ({ next: { ...current, name: 'swept' } }));
      assert.equal(updated?.institution, first.institution);
      const claimed = await all.claim({ where: { show, state: 'held' }, set: { state: 'free' } });
      assert.deepEqual(claimed.map((one) => one.institution).sort(), institutions);
      assert.equal(await all.delete(first.id), true);
      assert.equal(await all.count({ show }), 1);
    },
  ),
];

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

export const boundsOfReaders: readonly Check[] = [
  check(
    'find, count and get within bounds are those of a collection that holds nothing else, for any conditions',
    async ({ mine: all }) => {
      await all.insertMany(names.flatMap((name) => ranks.map((rank) => createThing({ name, rank }))));
      const stored = await all.find();
      await fc.assert(
        fc.asyncProperty(bounds, where, async (limits, conditions) => {
          const seen = restrictDocuments(all, limits);
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
      const other = await all.insert(createThing({ name: 'theirs', state: 'free' }));
      const mine = restrictDocuments(all, { name: ['mine'] });
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
    const mine = restrictDocuments(all, { name: ['mine'] });
    const own = await mine.insert(createThing({ name: 'mine' }));
    assert.equal(await mine.insertMany([createThing({ name: 'mine' })]), 1);
    assert.equal((await mine.update(own.id, (current) => ({ next: { ...current, rank: 1 } })))?.version, 2);
    const given = await mine.update(own.id, (current) => ({ next: { ...current, name: 'theirs' } }));
    assert.equal(given?.name, 'theirs');
    assert.equal(await mine.get(own.id), undefined);
    assert.equal(await mine.count(), 1);
  }),
  check(
    'a new document out of bounds is refused, alone or among others, and nothing is written',
    async ({ mine: all }) => {
      const mine = restrictDocuments(all, { name: ['mine'] });
      await assert.rejects(mine.insert(createThing({ name: 'theirs' })), /lacks a permitted name/);
      const some = [createThing({ name: 'mine' }), createThing({ name: 'theirs' })];
      await assert.rejects(mine.insertMany(some), /lacks a permitted name/);
      assert.equal(await all.count(), 0);
    },
  ),
  check('a bounded collection has its own institution only, and no look across institutions', async ({ store }) => {
    const [institution, other] = [createId('inst'), createId('inst')];
    const own = await getThings(store).of(institution).insert(createThing());
    const mine = restrictCollection(getThings(store), institution, {});
    assert.deepEqual(await mine.of(institution).find(), [own]);
    assert.throws(() => mine.of(other), /reached for/);
    assert.throws(() => mine.acrossInstitutions, /reached for/);
  }),
];
