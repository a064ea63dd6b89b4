import assert from 'node:assert/strict';
import { UniqueViolation } from '../engines.ts';
import { type Collection, collection, type Document } from '../port.ts';
import { type Check, check, createId, type Thing, things, waitUntil } from './subject.ts';

const widgets = (...indexes: Collection<Document>['indexes'][number][]) => collection<Thing>('widgets', indexes);
const byName = { name: 'by_name', fields: ['name'] };
const uniqueEmail = { name: 'email', fields: ['email'], unique: true };

export const starts: readonly Check[] = [
  check('six instances that start at once on empty data all serve', async ({ engine, institution }) => {
    const gadgets = collection<Thing>('gadgets', [byName, uniqueEmail, { name: 'by_rank', fields: ['rank', 'name'] }]);
    const stores = await Promise.all(Array.from({ length: 6 }, () => engine.open([gadgets])));
    try {
      await Promise.all(
        stores.map((one) => one.collection(gadgets).of(institution).insert({ id: createId(), name: 'x' })),
      );
      for (const one of stores) assert.equal(await one.collection(gadgets).of(institution).count({ name: 'x' }), 6);
    } finally {
      for (const one of stores) await one.close();
    }
  }),
  check(
    'added, changed and removed indexes take effect at the next start, and the data stays',
    async ({ engine, institution }) => {
      const insertTwins = async (declared: Collection<Thing>) => {
        const store = await engine.open([declared]);
        const mine = store.collection(declared).of(institution);
        const email = `${createId()}@example.org`;
        try {
          await mine.insert({ id: createId(), name: 'a', email });
          await mine.insert({ id: createId(), name: 'a', email });
          return 'both';
        } catch (error) {
          assert.ok(error instanceof UniqueViolation, String(error));
          await mine.claim({ where: { name: 'a' }, set: { email: null } });
          return error.index;
        } finally {
          await mine.claim({ where: { name: 'a' }, set: { email: null } });
          await store.close();
        }
      };
      assert.equal(await insertTwins(widgets(byName)), 'both');
      assert.equal(await insertTwins(widgets(byName, uniqueEmail)), 'email');
      assert.equal(await insertTwins(widgets(byName, { ...uniqueEmail, fields: ['email', 'name'] })), 'email');
      assert.equal(await insertTwins(widgets(byName, { ...uniqueEmail, unique: false })), 'both');
      assert.equal(await insertTwins(widgets(byName, { ...uniqueEmail, acrossInstitutions: true })), 'email');
      assert.equal(await insertTwins(widgets()), 'both');
      const store = await engine.open([widgets()]);
      assert.equal(await store.collection(widgets()).of(institution).count(), 9);
      await store.close();
    },
  ),
  check(
    'a unique index over colliding values is refused at start, and the data stays unchanged',
    async ({ engine, institution }) => {
      const plain = collection<Thing>('twins', [byName]);
      const store = await engine.open([plain]);
      for (let i = 0; i < 2; i++)
        await store.collection(plain).of(institution).insert({ id: createId(), name: 'a', email: 'e' });
      await store.close();
      await assert.rejects(engine.open([collection<Thing>('twins', [byName, uniqueEmail])]), /email/);
      const again = await engine.open([plain]);
      assert.equal(await again.collection(plain).of(institution).count(), 2);
      await again.close();
    },
  ),
  check('names that are not allowed are refused at start', async ({ engine }) => {
    const wrong = [
      collection('Bad Name'),
      collection('fine', [{ name: 'bad name', fields: ['a'] }]),
      collection('fine', [{ name: 'fields', fields: ["a'b"] }]),
      collection('fine', [{ name: 'none', fields: [] }]),
    ];
    for (const one of wrong) await assert.rejects(engine.open([one]));
  }),
  check('a collection that was not opened is refused', async ({ store }) => {
    assert.throws(() => store.collection(collection('never_opened')));
  }),
  check(
    'ping resolves while the store is open; close finishes the accepted calls and refuses later ones',
    async ({ engine, institution }) => {
      const declared = widgets(byName);
      const store = await engine.open([declared]);
      await store.ping();
      const mine = store.collection(declared).of(institution);
      const accepted = Promise.all(Array.from({ length: 100 }, () => mine.insert({ id: createId(), name: 'b' })));
      const closing = store.close();
      assert.equal((await accepted).length, 100);
      await closing;
      await store.close();
      await assert.rejects(mine.insert({ id: createId(), name: 'c' }));
      await assert.rejects(store.ping());
      const again = await engine.open([declared]);
      assert.equal(await again.collection(declared).of(institution).count(), 100);
      await again.close();
    },
  ),
];

export const leases: readonly Check[] = [
  check('of several concurrent instances one gets the lease, and can renew it', async ({ store, another }) => {
    const stores = [store, await another(), await another()];
    const name = createId('lease');
    const held = await Promise.all(stores.map((one) => one.lease(name, 60_000)));
    assert.equal(held.filter(Boolean).length, 1);
    const again = await Promise.all(stores.map((one) => one.lease(name, 60_000)));
    assert.deepEqual(again, held);
  }),
  check('of concurrent calls of one instance all get the lease', async ({ store }) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const name = createId('lease');
      const held = await Promise.all(Array.from({ length: 4 }, () => store.lease(name, 60_000)));
      assert.deepEqual(held, [true, true, true, true]);
    }
  }),
  check('a lease that was not renewed can be taken', async ({ store, another }) => {
    const name = createId('lease');
    const second = await another();
    assert.equal(await store.lease(name, 50), true);
    await waitUntil(() => second.lease(name, 60_000));
    assert.equal(await store.lease(name, 50), false);
  }),
  check('leases of different names are independent', async ({ store, another }) => {
    const second = await another();
    assert.equal(await store.lease(createId('lease'), 60_000), true);
    assert.equal(await second.lease(createId('lease'), 60_000), true);
  }),
];

/** The revision, of engines that have one. */
export const revisions: readonly Check[] = [
  check('the revision changes with the writes of every instance, and with nothing else', async ({ store, another }) => {
    if (store.revision() === undefined) return;
    const other = await another();
    const id = createId('revision');
    const own = store.collection(things).of('revisions');
    const writes: readonly (() => Promise<unknown>)[] = [
      () => own.insert({ id, name: 'a' }),
      () => own.update(id, (current) => ({ next: { ...current, name: 'b' } })),
      () => other.outbox.add('revisions', [{ type: 'thing.changed', key: id, version: 2, data: {} }]),
      () => other.collection(things).of('revisions').delete(id),
    ];
    for (const write of writes) {
      const before = store.revision();
      await write();
      assert.notEqual(store.revision(), before);
    }
    const before = store.revision();
    await own.find();
    await own.update(id, () => undefined);
    await store.lease(createId('lease'), 60_000);
    await store.ping();
    assert.equal(store.revision(), before);
  }),
];
