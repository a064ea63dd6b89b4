import assert from 'node:assert/strict';
import type { Collection, Store } from '../port.ts';
import { rewrite } from '../reading.ts';
import { type Check, check, createThing, type Thing, things } from './subject.ts';

/** The next release: `count`, optional until now, is a number in every document. */
const counted: Collection<Thing> = {
  ...things,
  upgrade: (stored) => (stored.count === undefined ? { ...stored, count: 0 } : stored),
};

const countedOf = (store: Store, institution: string) => store.collection(counted).of(institution);

export const shapes: readonly Check[] = [
  check(
    'every read returns the shape that the reader declares, and writes nothing',
    async ({ store, institution, elsewhere }) => {
      const old = await elsewhere();
      const { id } = await old.insert(createThing({ show: institution, state: 'free' }));
      const mine = countedOf(store, institution);
      assert.equal((await mine.get(id))?.count, 0);
      assert.deepEqual(
        (await mine.find({ where: { show: institution } })).map(({ count }) => count),
        [0],
      );
      assert.equal(
        (await mine.update(id, () => undefined))?.count,
        0,
        'an update that changes nothing returns the new shape',
      );
      assert.equal((await store.collection(counted).acrossInstitutions.get(id))?.count, 0);
      const stored = await old.get(id);
      assert.equal(stored?.version, 1);
      assert.equal(stored?.count, undefined);
      const where = { show: institution, state: 'free' };
      const [claimed] = await mine.claim({ where, set: { state: 'held' } });
      assert.equal(claimed?.count, 0);
    },
  ),
  check(
    'documents of several collections are read in one call: those of the institution, in the shape of the reader',
    async ({ store, institution, elsewhere }) => {
      const old = await elsewhere();
      const [one, other] = [await old.insert(createThing({})), await old.insert(createThing({ rank: 7 }))];
      const foreign = await store.collection(things).of(`${institution}-other`).insert(createThing({}));
      const ids = [one.id, foreign.id, 'thing-unknown', one.id];
      const looks = { counted: { collection: counted, ids }, plain: { collection: things, ids: [other.id] } };
      const found = await store.getTogether(institution, looks);
      assert.deepEqual([...found.counted], [[one.id, { ...one, count: 0 }]]);
      assert.deepEqual([...found.plain], [[other.id, other]]);
    },
  ),
  check(
    'an update gets the new shape and writes it; a release that does not know a member preserves it',
    async ({ store, institution, elsewhere }) => {
      const old = await elsewhere();
      const mine = countedOf(store, institution);
      const { id } = await old.insert(createThing({ rank: 1 }));
      await mine.update(id, (current) => {
        assert.equal(current.count, 0);
        return { next: { ...current, count: 1 } };
      });
      await old.update(id, (current) => ({ next: { ...current, rank: 2 } }));
      const both = await mine.get(id);
      assert.deepEqual([both?.rank, both?.count, both?.version], [2, 1, 3]);
    },
  ),
  check(
    'a rewrite writes every document in the new shape during other writes, and writes nothing when repeated',
    async ({ store, elsewhere }) => {
      const old = await elsewhere();
      const all = Array.from({ length: 450 }, (_, index) => createThing({ rank: index }));
      await old.insertMany(all);
      const writers = all
        .slice(0, 20)
        .map(({ id }) => old.update(id, (current) => ({ next: { ...current, rank: -1 } })));
      await Promise.all([rewrite(store, counted), ...writers]);
      assert.equal(await old.count({ count: 0 }), 450, 'a query by the new shape finds all of them');
      assert.equal(await old.count({ rank: -1 }), 20, 'no write was lost');
      const versions = async () => (await old.find({ orderBy: 'id' })).map(({ version }) => version);
      const before = await versions();
      await rewrite(store, counted);
      assert.deepEqual(await versions(), before);
    },
  ),
];
