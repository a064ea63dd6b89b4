import assert from 'node:assert/strict';
import { type Check, check, fresh, thing, thingsOf, violates } from './subject.ts';

/** Tenant isolation: no method of one institution reads or writes another's documents. */
export const tenants: readonly Check[] = [
  check('get, find and count see their own institution only', async ({ mine, theirs }) => {
    const own = await mine.insert(thing({ name: 'shared' }));
    const other = await theirs.insert(thing({ name: 'shared' }));
    assert.equal(await mine.get(other.id), undefined);
    assert.deepEqual(await mine.find(), [own]);
    assert.deepEqual(await mine.find({ where: { name: 'shared' }, orderBy: 'name' }), [own]);
    assert.deepEqual(await mine.find({ where: { id: { in: [own.id, other.id] } } }), [own]);
    assert.equal(await mine.count(), 1);
    assert.equal(await mine.count({ name: 'shared' }), 1);
  }),
  check('a condition on `institution` does not match other institutions', async ({ mine, theirs }) => {
    const { institution } = await theirs.insert(thing());
    assert.deepEqual(await mine.find({ where: { institution } }), []);
    assert.equal(await mine.count({ institution: { ne: '' } }), 0);
  }),
  check("update and delete leave another institution's document alone", async ({ mine, theirs }) => {
    const other = await theirs.insert(thing());
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
    const show = fresh('show');
    const place = () => thing({ show, state: 'free', spread: Math.random() });
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
      const other = await theirs.insert(thing());
      await violates(mine.insert(thing({ id: other.id, name: 'stolen' })), 'id');
      assert.equal(await mine.insertMany([thing({ id: other.id, name: 'stolen' })]), 0);
      assert.deepEqual(await theirs.get(other.id), other);
      assert.equal(await mine.count(), 0);
    },
  ),
  check('the institution of the writer replaces one that the document names', async ({ institution, mine }) => {
    const forged = { ...thing(), institution: fresh('inst'), version: 7 };
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
      const institutions = [fresh('inst'), fresh('inst')];
      const show = fresh('show');
      for (const one of institutions)
        await thingsOf(store)
          .of(one)
          .insert(thing({ show, state: 'held' }));
      const all = thingsOf(store).acrossInstitutions;
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
