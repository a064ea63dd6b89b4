import type { Documents } from '@boxoffice/store';
import { beforeAll, expect, test } from '@jest/globals';
import type { PlaceDocument } from '../../src/store.ts';
import { hold, newShow, placeIdsOf, stalls } from '../fixture/data.ts';
import { describeOnEachEngine, type Instance } from '../fixture/service.ts';
import { withPlaces } from '../releases/facts.ts';

// Holds, sales and releases of many orders at once: releases/random-order-endings-release-the-right-places.test.ts.

const CAPACITY = 40;
const CLIENTS = 64;

/** Places whose claim reads first and writes afterwards, so that it is not atomic. */
const withoutAtomicClaim = (documents: Documents<PlaceDocument>): Documents<PlaceDocument> => ({
  ...documents,
  claim: async ({ where, set, limit }) => {
    const found = await documents.find({ where, ...(limit === undefined ? {} : { limit }) });
    const written = await Promise.all(
      found.map(({ id }) => documents.update(id, (current) => ({ next: { ...current, ...set } }))),
    );
    return written.filter((one) => one !== undefined);
  },
});

/** The outcomes of clients that want one place each, at the same time. */
const compete = async (instances: readonly Instance[]) => {
  const [first] = instances as [Instance];
  const show = await newShow(first, stalls(CAPACITY));
  const all = await Promise.all(
    Array.from({ length: CLIENTS }, (_, number) => hold(instances[number % instances.length] ?? first, show)),
  );
  return { all, ids: all.flatMap(placeIdsOf) };
};

describeOnEachEngine('64 clients', (first) => {
  let second: Instance;
  beforeAll(async () => {
    second = await first.another(await first.engine.open());
  });

  test('of 64 clients of two instances that want one of 40 places, 40 get one, no place twice', async () => {
    const { all, ids } = await compete([first, second]);
    expect([ids.length, new Set(ids).size]).toEqual([CAPACITY, CAPACITY]);
    expect(all.filter(({ outcome }) => outcome === 'held')).toHaveLength(CAPACITY);
  });

  test('negative control: with a claim that is not atomic, places have two holders', async () => {
    const careless = await first.another(withPlaces(await first.engine.open(), withoutAtomicClaim));
    // Two claims collide by chance: rounds are repeated until they do.
    for (let twice = 0; twice === 0; ) {
      const { ids } = await compete([careless]);
      twice = ids.length - new Set(ids).size;
    }
  });
});
