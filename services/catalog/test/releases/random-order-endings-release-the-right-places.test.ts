import type { Message } from '@boxoffice/messaging';
import type { OpenEngine } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { reactTo } from '../../src/reactions.ts';
import { openCollections } from '../../src/store.ts';
import {
  act,
  addInstitution,
  addMinutesToNow,
  createShow,
  createStalls,
  engines,
  getHeldPlaceIds,
  hold,
  type Instance,
  type RenewedHold,
  readAvailability,
  type Show,
  startInstance,
} from '../fixture/service.ts';
import { createFact, createForgetfulStore, listPublishedFacts } from './facts.ts';

const CAPACITY = 90;
const ORDERS = 64;

/** The end of an order. `late`: it expires and is paid afterwards. */
const ends = ['bought', 'released', 'expired', 'late', 'cancelled unpaid', 'cancelled with tickets'] as const;

/** One order's history: its end, its number of places, and how often and in which order its messages arrive. */
const history = fc.record({
  end: fc.constantFrom(...ends),
  quantity: fc.integer({ min: 1, max: 3 }),
  copies: fc.integer({ min: 1, max: 3 }),
  early: fc.boolean(),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** What the clients were answered, and the messages that are not delivered yet. */
interface Journal {
  readonly bought: Map<string, readonly string[]>;
  readonly releases: Map<string, number>;
  readonly wrongSums: string[];
  readonly late: { readonly on: number; readonly message: Message }[];
}

interface Deployment {
  readonly instances: readonly Instance[];
  readonly stores: readonly Store[];
  readonly institution: string;
}

const EXPIRED = 3;

/** Runs one order on one instance; its messages go to any. */
const runOrder = async (
  deployment: Deployment,
  show: Show,
  journal: Journal,
  number: number,
  one: History,
): Promise<void> => {
  const { instances, stores, institution } = deployment;
  const on = instances[number % instances.length] as Instance;
  const expires = one.end === 'expired' || one.end === 'late';
  const held = await hold(on, show, { quantity: one.quantity, ...(expires ? { heldUntil: addMinutesToNow(-1) } : {}) });
  if (held.outcome !== 'held') return;
  const { holder: orderId } = held;
  const placeIds = getHeldPlaceIds(held);
  const deliver = async (message: Message): Promise<void> => {
    for (let copy = 0; copy < one.copies; copy += 1) {
      const at = (number + copy) % stores.length;
      if (one.early) await reactTo(stores[at] as Store)(message, 1 + copy);
      else journal.late.push({ on: at, message });
    }
  };
  const sell = async (ids: readonly string[]) => (await act(on, orderId, 'sale', { placeIds: ids })).outcome === 'done';
  const { capacity, free, held: others, sold } = await readAvailability(on, show);
  if (free + others + sold !== CAPACITY || capacity !== CAPACITY) journal.wrongSums.push(`${free}+${others}+${sold}`);

  if (one.end === 'bought' && (await sell(placeIds))) journal.bought.set(orderId, placeIds);
  if (one.end === 'released') await act(on, orderId, 'release', {});
  if (one.end === 'expired') await deliver(createFact(institution, 'order.expired', { orderId, placeIds }, EXPIRED));
  if (one.end === 'late') {
    const requested = { requestId: 'late', heldUntil: addMinutesToNow(5), placeIds, asOf: EXPIRED + 1 };
    const renewed = await act<RenewedHold>(on, orderId, 'renewal', requested);
    const ids = renewed.places.map(({ id }) => id);
    if (renewed.outcome === 'done' && (await sell(ids))) journal.bought.set(orderId, ids);
    await deliver(createFact(institution, 'order.expired', { orderId, placeIds }, EXPIRED));
  }
  if (one.end === 'cancelled unpaid') {
    journal.releases.set(orderId, placeIds.length);
    await deliver(createFact(institution, 'order.cancelled', { orderId, placeIds }));
  }
  if (one.end === 'cancelled with tickets' && (await sell(placeIds))) {
    const [kept = '', ...ended] = placeIds;
    journal.bought.set(orderId, [kept]);
    journal.releases.set(orderId, ended.length);
    await deliver(createFact(institution, 'order.cancelled', { orderId, placeIds, hadTickets: true }));
    await deliver(createFact(institution, 'tickets.cancelled', { orderId, placeIds: ended, keptPlaceIds: [kept] }));
  }
};

/**
 * Runs all orders at once, then brings the messages that are late, all at once as well; throws where a promise is
 * broken.
 */
const runAll = async (deployment: Deployment, histories: readonly History[]): Promise<void> => {
  const { instances, stores, institution } = deployment;
  const [first] = instances;
  const [store] = stores;
  if (!first || !store) throw new Error('nothing was started');
  const show = await createShow(first, createStalls(CAPACITY));
  const journal: Journal = { bought: new Map(), releases: new Map(), wrongSums: [], late: [] };
  await Promise.all(histories.map((one, number) => runOrder(deployment, show, journal, number, one)));
  const reactions = stores.map(reactTo);
  await Promise.all(journal.late.map(({ on, message }) => reactions[on]?.(message, 1)));

  expect(journal.wrongSums).toEqual([]);
  const acknowledged = [...journal.bought.values()].flat();
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  const { places } = openCollections(store, institution);
  for (const [holder, ids] of journal.bought) {
    const sold = await places.find({ where: { holder, state: 'sold' } });
    expect(sold.map(({ id }) => id).sort()).toEqual([...ids].sort());
  }
  expect(await readAvailability(first, show)).toEqual({
    capacity: CAPACITY,
    free: CAPACITY - acknowledged.length,
    held: 0,
    sold: acknowledged.length,
  });
  for (const [orderId, placesReleased] of journal.releases) {
    expect(await listPublishedFacts(store, orderId)).toMatchObject([{ type: 'places.released', placesReleased }]);
  }
};

const histories = fc.array(history, { minLength: ORDERS, maxLength: ORDERS });

describe.each(engines)('64 orders on $name', ({ name, start }) => {
  let engine: OpenEngine;
  let institution: string;
  beforeAll(async () => {
    engine = await start();
    institution = await addInstitution(await engine.open());
  });
  afterAll(() => engine.close());

  /** Runs random histories on two instances over stores as `careful` leaves them. */
  const tryOut = async (numRuns: number, careful: (store: Store) => Store = (store) => store): Promise<void> => {
    const stores = [careful(await engine.open()), careful(await engine.open())];
    const instances = await Promise.all(stores.map((store) => startInstance(store, institution)));
    try {
      const property = fc.asyncProperty(histories, (all) => runAll({ instances, stores, institution }, all));
      await fc.assert(property, { numRuns, endOnFailure: true });
    } finally {
      for (const instance of instances) await instance.close();
    }
  };

  test('in any order of ends and messages: bought places stay, all others become free, each release is published once', async () => {
    await tryOut(name === 'SQLite' ? 2 : 1);
  });

  test('negative control: releases that ignore the version lose late payments', async () => {
    await expect(tryOut(20, (store) => createForgetfulStore(store, 'asOf'))).rejects.toThrow();
  });
});
