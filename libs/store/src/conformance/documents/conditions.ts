import assert from 'node:assert/strict';
import type { New, Where } from '../../port.ts';
import { type Check, check, fresh, type Subject, type Thing, thing, thingsOf } from '../subject.ts';

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
  const mine = thingsOf(store).of(fresh('inst'));
  await mine.insertMany(sample.map((fields) => thing(fields)));
  for (const [where, names] of expected) {
    const found = (await mine.find({ where })).map((one) => one.name);
    assert.deepEqual(found.sort(), names === '' ? [] : names.split(' ').sort(), JSON.stringify(where));
    assert.equal(await mine.count(where), found.length, JSON.stringify(where));
  }
};

/** Semantics of the conditions in `where`. */
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
    const [first, second] = [await mine.insert(thing()), await mine.insert(thing())];
    await mine.update(second.id, (current) => ({ next: current }));
    assert.deepEqual(await mine.find({ where: { id: { in: [first.id, fresh()] } } }), [first]);
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
    const where = { name: undefined } as unknown as Where;
    await assert.rejects(mine.find({ where }));
    await assert.rejects(mine.count(where));
    await assert.rejects(mine.claim({ where, set: { state: 'held' } }));
  }),
];
