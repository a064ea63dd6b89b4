import { setTimeout as pause } from 'node:timers/promises';
import { createInProcessBus, startRelay, topology } from '@boxoffice/messaging';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions.ts';
import { releaseAll, releaseNamed } from '../../src/stock/releases.ts';
import { collectionsOf } from '../../src/store.ts';
import { act, availabilityOf, hold, newShow, placeIdsOf, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';
import { fact, publishedOf } from './facts.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const noLetters = { add: async () => {}, list: async () => [], get: async () => undefined, remove: async () => false };

describe.each(engines)(`published releases on $name${notExercised}`, (engine) => {
  let catalog: Started;
  let react: ReturnType<typeof reactTo>;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
    react = reactTo(catalog.store);
  });
  afterAll(() => catalog.close());

  /** A sold order of three places, and what tickets says about it: one stays controlled. */
  const soldOrder = async () => {
    const show = await newShow(catalog, stalls(4));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 3 });
    const all = placeIdsOf(held);
    await act(catalog, orderId, 'sale', { placeIds: all });
    const [kept = '', ...placeIds] = all;
    return { show, orderId, all, placeIds, keptPlaceIds: [kept] };
  };

  test('a message that arrives twice, also concurrently, is published once', async () => {
    const { show, orderId, placeIds, keptPlaceIds } = await soldOrder();
    const message = fact(catalog.institution, 'tickets.cancelled', { orderId, placeIds, keptPlaceIds });
    await Promise.all([react(message, 1), react(message, 1), react(message, 2)]);
    await react(message, 1);
    expect(await publishedOf(catalog.store, orderId)).toMatchObject([{ placeIds, placesReleased: 2 }]);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 4, free: 3, held: 0, sold: 1 });
  });

  test('a repeat releases no places that were bought since', async () => {
    const { show, orderId, all } = await soldOrder();
    const message = fact(catalog.institution, 'order.cancelled', { orderId, placeIds: all });
    await react(message, 1);
    const other = await hold(catalog, show, { placeIds: all.slice(0, 2) });
    await act(catalog, other.holder, 'sale', { placeIds: placeIdsOf(other) });
    await react(message, 1);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 4, free: 2, held: 0, sold: 2 });
    expect(await publishedOf(catalog.store, orderId)).toHaveLength(1);
  });

  test('after a crash between release and publication the next attempt publishes the same numbers', async () => {
    const collections = collectionsOf(catalog.store, catalog.institution);
    const { show, orderId, placeIds, keptPlaceIds } = await soldOrder();
    await releaseNamed(collections, orderId, placeIds, keptPlaceIds);
    expect(await publishedOf(catalog.store, orderId)).toEqual([]);
    // Another buyer takes a place before the next attempt.
    await hold(catalog, show, { placeIds: placeIds.slice(0, 1) });
    await react(fact(catalog.institution, 'tickets.cancelled', { orderId, placeIds, keptPlaceIds }), 2);
    expect(await publishedOf(catalog.store, orderId)).toMatchObject([{ placeIds, placesReleased: 2 }]);
    const unsold = await hold(catalog, await newShow(catalog, stalls(1)));
    await releaseAll(collections, unsold.holder);
    const cancelled = { orderId: unsold.holder, placeIds: placeIdsOf(unsold) };
    await react(fact(catalog.institution, 'order.cancelled', cancelled), 2);
    expect(await publishedOf(catalog.store, unsold.holder)).toMatchObject([{ placesReleased: 1 }]);
  });

  test('through the bus: the fact arrives, the places become free, orders receives the release once', async () => {
    const bus = createInProcessBus({ deadLetters: noLetters, logger: quiet });
    const heard: unknown[] = [];
    const subscriptions = [
      await bus.subscribe(topology.catalogReleases, react),
      await bus.subscribe(topology.ordersFulfilment, async ({ key, data }) => void heard.push({ key, ...data })),
    ];
    const { outbox, lease } = catalog.store;
    const { orderId, all } = await soldOrder();
    const relay = startRelay({ outbox, lease: (name, ms) => lease(name, ms), bus, logger: quiet });
    const message = fact(catalog.institution, 'order.cancelled', { orderId, placeIds: all });
    await bus.publish(message);
    await bus.publish(message);
    const ofOrder = () => heard.filter((one) => (one as { key: string }).key === orderId);
    while (ofOrder().length === 0) await pause(2);
    await relay.close();
    expect(ofOrder()).toEqual([{ key: orderId, orderId, cause: 'order.cancelled', placeIds: all, placesReleased: 3 }]);
    for (const subscription of subscriptions) await subscription.close();
    await bus.close();
  });
});
