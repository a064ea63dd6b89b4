import assert from 'node:assert/strict';
import { type Check, check, fresh, until } from './subject.ts';

/** Leases. */
export const leases: readonly Check[] = [
  check('of several concurrent instances one gets the lease, and can renew it', async ({ store, another }) => {
    const stores = [store, await another(), await another()];
    const name = fresh('lease');
    const held = await Promise.all(stores.map((one) => one.lease(name, 60_000)));
    assert.equal(held.filter(Boolean).length, 1);
    const again = await Promise.all(stores.map((one) => one.lease(name, 60_000)));
    assert.deepEqual(again, held);
  }),
  check('a lease that was not renewed can be taken', async ({ store, another }) => {
    const name = fresh('lease');
    const second = await another();
    assert.equal(await store.lease(name, 50), true);
    await until(() => second.lease(name, 60_000));
    assert.equal(await store.lease(name, 50), false);
  }),
  check('leases of different names are independent', async ({ store, another }) => {
    const second = await another();
    assert.equal(await store.lease(fresh('lease'), 60_000), true);
    assert.equal(await second.lease(fresh('lease'), 60_000), true);
  }),
];
