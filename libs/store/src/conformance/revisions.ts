import assert from 'node:assert/strict';
import { type Check, check, fresh, things } from './subject.ts';

/** The revision, of engines that have one. */
export const revisions: readonly Check[] = [
  check('the revision changes with the writes of every instance, and with nothing else', async ({ store, another }) => {
    if (store.revision() === undefined) return;
    const other = await another();
    const id = fresh('revision');
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
    await store.lease(fresh('lease'), 60_000);
    await store.ping();
    assert.equal(store.revision(), before);
  }),
];
