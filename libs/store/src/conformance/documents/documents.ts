// The conformance checks of documents: writes, queries, pages, uniqueness and claims.

import assert from 'node:assert/strict';
import { type Check, check, others, thing, violates } from '../subject.ts';

/** Insert, get, insertMany, delete, as far as the model's histories do not have it. */
export const documents: readonly Check[] = [
  check(
    'an inserted document has version 1 and its institution, and is read back unchanged',
    async ({ institution, mine }) => {
      const input = thing({
        name: 'Zoë "quoted" – \u0000 😀',
        rank: -1.5,
        active: false,
        address: { city: null },
        tags: ['a', ''],
      });
      const inserted = await mine.insert(input);
      assert.deepEqual(inserted, { ...input, version: 1, institution });
      assert.deepEqual(await mine.get(input.id), inserted);
    },
  ),
  check('members that are undefined are absent when read back', async ({ mine }) => {
    const input = thing({ email: undefined });
    await mine.insert(input);
    assert.equal('email' in ((await mine.get(input.id)) ?? {}), false);
  }),
  check('the next read sees an acknowledged insert, also in another instance', async ({ mine, elsewhere }) => {
    const other = await elsewhere();
    for (let i = 0; i < 20; i++) {
      const { id } = await mine.insert(thing());
      assert.equal((await other.get(id))?.id, id);
    }
  }),
  check('changes of the caller’s object after the call are not stored', async ({ mine }) => {
    const input = { ...thing(), tags: ['before'] };
    const pending = mine.insert(input);
    input.tags.push('after');
    await pending;
    assert.deepEqual((await mine.get(input.id))?.tags, ['before']);
  }),
  check('insertMany inserts, skips ids that exist, and counts only the new ones', async ({ mine }) => {
    const many = Array.from({ length: 2500 }, (_, rank) => thing({ rank }));
    assert.equal(await mine.insertMany(many.slice(0, 1000)), 1000);
    const renamed = many.map((one) => ({ ...one, name: 'again' }));
    assert.equal(await mine.insertMany(renamed), 1500);
    assert.equal(await mine.count(), 2500);
    assert.equal(await mine.count({ name: 'Ada' }), 1000);
    assert.equal((await mine.get(many[2000]?.id ?? ''))?.version, 1);
    assert.equal(await mine.insertMany([]), 0);
  }),
  check('insertMany skips the repetition of an id in the same call', async ({ mine }) => {
    const one = thing();
    assert.equal(await mine.insertMany([one, { ...one, name: 'twin' }]), 1);
    assert.equal((await mine.get(one.id))?.name, 'Ada');
  }),
  check('insertMany refuses a document that violates another unique index', async ({ mine }) => {
    await violates(mine.insertMany([thing({ email: 'a@b.c' }), thing({ email: 'a@b.c' })]), 'email');
  }),
  check('delete with a version leaves a document that was changed since', async ({ mine }) => {
    const { id, version } = await mine.insert(thing());
    const changed = await mine.update(id, (current) => ({ next: { ...current, name: 'Eve' } }));
    assert.equal(await mine.delete(id, version), false);
    assert.equal((await mine.get(id))?.name, 'Eve');
    assert.equal(await mine.delete(id, changed?.version), true);
    assert.equal(await mine.get(id), undefined);
    assert.equal(await mine.delete(id, version), false);
  }),
  check('documents of one collection do not appear in another', async ({ store, institution, mine }) => {
    const { id } = await mine.insert(thing());
    const elsewhere = store.collection(others).of(institution);
    assert.equal(await elsewhere.get(id), undefined);
    assert.deepEqual(await elsewhere.find(), []);
    await elsewhere.insert(thing({ id }));
  }),
  check('200 concurrent inserts are all stored', async ({ mine }) => {
    const written = await Promise.all(Array.from({ length: 200 }, (_, rank) => mine.insert(thing({ rank }))));
    const found = await mine.find({ orderBy: 'rank' });
    assert.deepEqual(found, written);
  }),
];
