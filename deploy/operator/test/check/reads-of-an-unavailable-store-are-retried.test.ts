import { randomUUID } from 'node:crypto';
import { type Store, StoreUnavailable } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { verify } from '../../src/check/verify.ts';
import { engines, found } from './institution-fixture.ts';

/** A store whose first read of every kind, including the outbox's, finds the database unavailable. */
const awayAtFirst = (store: Store, refused: string[]): Store => {
  const once = <T extends object>(of: T, names: readonly string[]): T =>
    new Proxy(of, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || !names.includes(String(name))) return member;
        return (...given: readonly unknown[]) => {
          if (refused.includes(String(name))) return member.apply(target, given);
          refused.push(String(name));
          return Promise.reject(new StoreUnavailable('the database is away'));
        };
      },
    });
  return {
    ...store,
    outbox: once(store.outbox, ['pending']),
    collection: (spec) => {
      const handle = store.collection(spec);
      return {
        ...handle,
        acrossInstitutions: once(handle.acrossInstitutions, ['find', 'get']),
        of: (institution) => once(handle.of(institution), ['find']),
      };
    },
  };
};

test.each(engines)('$name: a check goes on after the database was away for a moment', async ({ open }) => {
  const { stores, close } = await open();
  try {
    const { setPlace, institution } = await found(stores, `check-${randomUUID()}`);
    await setPlace(5, { state: 'sold' });
    const refused = { catalog: [] as string[], orders: [] as string[] };
    const verified = await verify({
      stores: {
        ...stores,
        catalog: awayAtFirst(stores.catalog, refused.catalog),
        orders: awayAtFirst(stores.orders, refused.orders),
      },
      queues: async () => [],
      institution,
      settleMs: 10,
    });
    expect(verified.violations.map(({ invariant }) => invariant)).toContain('place_state');
    expect(refused.catalog.sort()).toEqual(['find', 'get', 'pending']);
    expect(refused.orders.sort()).toEqual(['find', 'pending']);
  } finally {
    await close();
  }
});
