import { randomUUID } from 'node:crypto';
import type { Documents, Store } from '@boxoffice/store';
import { beforeAll, expect, test } from '@jest/globals';
import { type PlaceDocument, places } from '../../src/store.ts';
import { act, availabilityOf, hold, newShow, placeIdsOf, type Show, stalls } from '../fixture/data.ts';
import { describeOnEachEngine, type Instance } from '../fixture/service.ts';

const CAPACITY = 40;
const CLIENTS = 64;

/** The holder of each place according to the clients. A second holder of one place is an oversale. */
interface Journal {
  readonly owner: Map<string, string>;
  readonly oversold: string[];
  readonly wrongSums: string[];
}

const record = ({ owner, oversold }: Journal, holder: string, ids: readonly string[]) => {
  for (const id of ids) {
    if ((owner.get(id) ?? holder) !== holder) oversold.push(id);
    owner.set(id, holder);
  }
};

/** Holds, then sells or releases, and checks the counts while other clients do the same. */
const client = async (on: Instance, show: Show, journal: Journal, number: number) => {
  for (let round = 0; round < 3; round += 1) {
    const holder = `ord_${number}_${round}_${randomUUID()}`;
    const held = await hold(on, show, { holder, quantity: 1 + ((number + round) % 3) });
    const ids = placeIdsOf(held);
    record(journal, holder, ids);
    const { capacity, free, held: others, sold } = await availabilityOf(on, show);
    if (free + others + sold !== CAPACITY || capacity !== CAPACITY || Math.min(free, others, sold) < 0) {
      journal.wrongSums.push(`${free} + ${others} + ${sold} of ${capacity}`);
    }
    if (ids.length === 0) continue;
    if ((number + round) % 4 === 0) {
      const sold = await act(on, holder, 'sale', { placeIds: ids });
      expect(sold.outcome).toBe('done');
    } else {
      for (const id of ids) journal.owner.delete(id);
      await act(on, holder, 'release', {});
    }
  }
};

const compete = async (instances: readonly Instance[], show: Show): Promise<Journal> => {
  const journal: Journal = { owner: new Map(), oversold: [], wrongSums: [] };
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, number) => {
      const on = instances[number % instances.length];
      return on && client(on, show, journal, number);
    }),
  );
  return journal;
};

const sameCollection = (asked: { readonly name: string }) => asked.name === places.name;

/** A store whose claim reads first and writes afterwards, so that it is not atomic. */
const withoutAtomicClaim = (store: Store): Store => {
  const careless = (documents: Documents<PlaceDocument>): Documents<PlaceDocument> => ({
    ...documents,
    claim: async ({ where, set, limit }) => {
      const found = await documents.find({ where, ...(limit === undefined ? {} : { limit }) });
      const written = await Promise.all(
        found.map(({ id }) => documents.update(id, (current) => ({ next: { ...current, ...set } }))),
      );
      return written.filter((one) => one !== undefined);
    },
  });
  return {
    ...store,
    collection: (asked) => {
      const handle = store.collection(asked);
      if (!sameCollection(asked)) return handle;
      const of = (institution: string) => careless(store.collection(places).of(institution));
      return { ...handle, of } as unknown as typeof handle;
    },
  };
};

describeOnEachEngine('64 clients', (first) => {
  let instances: Instance[];
  beforeAll(async () => {
    instances = [first, await first.another(await first.engine.open())];
  });

  test('holds, sales and releases on two instances: no place has two holders, and the counts always add up', async () => {
    const show = await newShow(first, stalls(CAPACITY));
    const journal = await compete(instances, show);
    expect(journal.oversold).toEqual([]);
    expect(journal.wrongSums).toEqual([]);
    const acknowledged = journal.owner.size;
    expect(acknowledged).toBeGreaterThan(0);
    expect(await availabilityOf(first, show)).toEqual({
      capacity: CAPACITY,
      free: CAPACITY - acknowledged,
      held: 0,
      sold: acknowledged,
    });
  });

  test('of 64 clients that want one of 40 places, 40 get one', async () => {
    const show = await newShow(first, stalls(CAPACITY));
    const all = await Promise.all(
      Array.from({ length: CLIENTS }, (_, number) => hold(instances[number % 2] ?? first, show)),
    );
    expect(new Set(all.flatMap(placeIdsOf)).size).toBe(CAPACITY);
    expect(all.filter(({ outcome }) => outcome === 'held')).toHaveLength(CAPACITY);
  });

  test('negative control: with a claim that is not atomic, the journal shows places with two holders', async () => {
    const careless = await first.another(withoutAtomicClaim(await first.engine.open()));
    // Two claims collide by chance: rounds are repeated until they do.
    for (let twice = 0; twice === 0; ) {
      const show = await newShow(careless, stalls(CAPACITY));
      const all = await Promise.all(Array.from({ length: CLIENTS }, () => hold(careless, show)));
      const ids = all.flatMap(placeIdsOf);
      twice = ids.length - new Set(ids).size;
    }
  });
});
