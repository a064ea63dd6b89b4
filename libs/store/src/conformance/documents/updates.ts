import assert from 'node:assert/strict';
import { type Check, check, fresh, thing, thingsOf } from '../subject.ts';

/** update(id, fn): compare-and-swap on the version. */
export const updates: readonly Check[] = [
  check('64 concurrent increments are all counted', async ({ store, mine, elsewhere }) => {
    const handles = [mine, await elsewhere()];
    const { id } = await mine.insert(thing({ count: 0 }));
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (handles[i % 2] ?? mine).update(id, (current) => ({
          next: { ...current, count: (current.count ?? 0) + 1 },
          events: [{ type: 'thing.counted', data: { count: (current.count ?? 0) + 1 } }],
        })),
      ),
    );
    const stored = await mine.get(id);
    assert.equal(stored?.count, 64, 'increments were lost');
    assert.equal(stored?.version, 65);
    assert.equal(new Set(results.map((one) => one?.version)).size, 64, 'two updates returned the same version');
    const events = (await store.outbox.pending(100_000)).filter((one) => one.key === id);
    assert.deepEqual(
      events.map((one) => one.version),
      Array.from({ length: 64 }, (_, i) => i + 2),
    );
  }),
  check('an update returns the next version of the document, as it is then read', async ({ mine }) => {
    const first = await mine.insert(thing({ rank: 1, email: 'x@example.org' }));
    const second = await mine.update(first.id, ({ email: _email, ...rest }) => ({ next: { ...rest, rank: 2 } }));
    assert.equal(second?.version, 2);
    assert.equal(second?.rank, 2);
    assert.deepEqual(await mine.get(first.id), second);
    assert.equal('email' in (second ?? {}), false, '`next` replaces the document as a whole');
    assert.equal(await mine.count({ email: 'x@example.org' }), 0);
  }),
  check('a function that returns undefined leaves the document unchanged', async ({ store, mine }) => {
    const first = await mine.insert(thing());
    const events = [{ type: 'thing.changed', data: {} }];
    assert.deepEqual(await mine.update(first.id, () => undefined, { events }), first);
    assert.deepEqual(await mine.get(first.id), first);
    assert.equal(
      (await store.outbox.pending(100_000)).some((one) => one.key === first.id),
      false,
    );
  }),
  check('an unknown id returns undefined and does not call the function', async ({ store }) => {
    const update = thingsOf(store)
      .of(fresh('inst'))
      .update(fresh(), () => assert.fail('called'));
    assert.equal(await update, undefined);
  }),
  check('an error of the function aborts the update', async ({ mine }) => {
    const first = await mine.insert(thing());
    const refusal = new Error('no');
    await assert.rejects(
      mine.update(first.id, () => {
        throw refusal;
      }),
      (thrown) => thrown === refusal,
    );
    assert.deepEqual(await mine.get(first.id), first);
  }),
  check('an update cannot change the id', async ({ mine }) => {
    const first = await mine.insert(thing());
    await assert.rejects(mine.update(first.id, (current) => ({ next: { ...current, id: fresh() } })));
    assert.deepEqual(await mine.get(first.id), first);
  }),
  check('a delete that races with updates wins, and no update restores the document', async ({ mine }) => {
    for (let round = 0; round < 20; round++) {
      const { id } = await mine.insert(thing());
      await Promise.all([
        mine.update(id, (current) => ({ next: { ...current, name: 'late' } })),
        mine.delete(id),
        mine.update(id, (current) => ({ next: { ...current, name: 'later' } })),
      ]);
      assert.equal(await mine.get(id), undefined);
    }
  }),
];
