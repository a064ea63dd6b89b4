import assert from 'node:assert/strict';
import type { Documents } from '../port.ts';
import { type Check, check, createId, createThing, type Thing } from './subject.ts';

const places = async (mine: Documents<Thing>, count: number) => {
  const show = createId('show');
  await mine.insertMany(
    Array.from({ length: count }, (_, rank) =>
      createThing({ show, state: 'free', rank, spread: (rank + 0.5) / count }),
    ),
  );
  return show;
};

export const claims: readonly Check[] = [
  check('300 concurrent claims of 200 places take 200, no place twice', async ({ mine, elsewhere }) => {
    const handles = [mine, await elsewhere()];
    const show = await places(mine, 200);
    const won = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        (handles[i % 2] ?? mine).claim({
          where: { show, state: 'free' },
          set: { state: 'held', email: `claimer-${i}` },
          limit: 1,
          spread: 'spread',
        }),
      ),
    );
    assert.deepEqual(
      won.map((one) => one.length).sort(),
      [...new Array(100).fill(0), ...new Array(200).fill(1)],
      '200 claimers get one place each and 100 none',
    );
    const ids = won.flat().map((one) => one.id);
    assert.equal(new Set(ids).size, 200, 'a place went to two claimers');
    const stored = await mine.find({ where: { show } });
    for (const [i, documents] of won.entries()) {
      for (const one of documents) {
        assert.equal(one.version, 2);
        assert.equal(stored.find(({ id }) => id === one.id)?.email, `claimer-${i}`);
      }
    }
  }),
  check('a claim takes at most the limit, and fewer if fewer are left', async ({ mine }) => {
    const show = await places(mine, 10);
    const request = { where: { show, state: 'free' }, set: { state: 'held' }, spread: 'spread' };
    assert.equal((await mine.claim({ ...request, limit: 7 })).length, 7);
    assert.equal((await mine.claim({ ...request, limit: 7 })).length, 3);
    assert.equal((await mine.claim({ ...request, limit: 7 })).length, 0);
    assert.equal((await mine.claim({ ...request, limit: 0 })).length, 0);
  }),
  check('a claim without limit changes all matching documents, and returns them as written', async ({ mine }) => {
    const show = await places(mine, 50);
    const claimed = await mine.claim({ where: { show, rank: { lt: 30 } }, set: { state: 'sold' } });
    assert.equal(claimed.length, 30);
    const byId = (a: Thing, b: Thing) => (a.id < b.id ? -1 : 1);
    assert.deepEqual(claimed.sort(byId), (await mine.find({ where: { show, state: 'sold' } })).sort(byId));
    assert.equal(await mine.count({ show, state: 'free', version: 1 }), 20);
  }),
  check(
    '`set` replaces top-level members, nested objects as a whole; null is stored, undefined removes',
    async ({ mine }) => {
      const before = await mine.insert({
        ...createThing({ rank: 1, email: 'a@b.c', tags: ['x'] }),
        address: { city: 'Lyon' },
      });
      const address = { city: 'Nîmes', zip: [{ code: '30000' }] };
      const set = { address, active: true, rank: null, email: undefined, name: '"; --', tags: [] };
      const [claimed] = await mine.claim({ where: { id: before.id }, set });
      const { email: _email, ...rest } = before;
      assert.deepEqual(claimed, { ...rest, address, active: true, rank: null, name: '"; --', tags: [], version: 2 });
      assert.deepEqual(await mine.get(before.id), claimed);
    },
  ),
  check('claimers start at different places, and wrap around to the last one left', async ({ mine }) => {
    const show = await places(mine, 100);
    const order: number[] = [];
    for (let i = 0; i < 100; i++) {
      const [one] = await mine.claim({
        where: { show, state: 'free' },
        set: { state: 'held' },
        limit: 1,
        spread: 'spread',
      });
      assert.ok(one, `claim ${i} found nothing though ${100 - i} were left`);
      order.push(one.rank ?? -1);
    }
    assert.equal(new Set(order).size, 100);
    const early = new Set(order.slice(0, 10).map((rank) => Math.floor(rank / 25)));
    assert.ok(early.size > 1, `the first ten claims all fell into one quarter: ${order.slice(0, 10)}`);
  }),
  check('concurrent claims of the same ids take each document once', async ({ mine }) => {
    const show = await places(mine, 8);
    const ids = (await mine.find({ where: { show } })).map((one) => one.id);
    const won = await Promise.all(
      Array.from({ length: 20 }, () =>
        mine.claim({ where: { id: { in: ids.slice(0, 4) }, state: 'free' }, set: { state: 'held' } }),
      ),
    );
    assert.equal(won.flat().length, 4);
    assert.equal(await mine.count({ show, state: 'free' }), 4);
  }),
  check('a set of the id, version or institution is refused', async ({ mine }) => {
    const { id } = await mine.insert(createThing());
    for (const set of [{ id: createId() }, { version: 9 }, { institution: 'x' }]) {
      await assert.rejects(mine.claim({ where: { id }, set: set as object }));
    }
  }),
];
