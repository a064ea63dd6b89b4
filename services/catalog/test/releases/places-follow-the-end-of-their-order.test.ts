import { Unreadable } from '@boxoffice/messaging';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions.ts';
import { act, availabilityOf, hold, inMinutes, newShow, placeIdsOf, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';
import { type FactData, type FactType, fact, publishedOf } from './facts.ts';

describe.each(engines)(`the end of orders on $name${notExercised}`, (engine) => {
  let catalog: Started;
  let react: ReturnType<typeof reactTo>;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
    react = reactTo(catalog.store);
  });
  afterAll(() => catalog.close());

  const tell = <Type extends FactType>(type: Type, data: FactData<Type>) =>
    react(fact(catalog.institution, type, data), 1);

  test('cancelled without tickets: all places of the order become free, held or sold, named or not', async () => {
    const show = await newShow(catalog, stalls(5));
    const first = await hold(catalog, show, { quantity: 2 });
    const { holder: orderId } = first;
    const placeIds = placeIdsOf(first);
    await act(catalog, orderId, 'sale', { placeIds: placeIds.slice(0, 1) });
    await hold(catalog, show, { holder: orderId, requestId: 'more', quantity: 2 });
    await tell('order.cancelled', { orderId, placeIds });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 5, free: 5, held: 0, sold: 0 });
    expect(await publishedOf(catalog.store, orderId)).toEqual([
      { type: 'places.released', orderId, cause: 'order.cancelled', placeIds, placesReleased: 2 },
    ]);
  });

  test('cancelled with tickets: no place changes until tickets publishes its fact', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
    const placeIds = placeIdsOf(held);
    await act(catalog, orderId, 'sale', { placeIds });
    await tell('order.cancelled', { orderId, placeIds, hadTickets: true });
    expect((await availabilityOf(catalog, show)).sold).toBe(2);
    expect(await publishedOf(catalog.store, orderId)).toEqual([]);
  });

  test('cancelled tickets: their places become free, the place of a controlled ticket does not, held places do', async () => {
    const show = await newShow(catalog, stalls(6));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 3 });
    const [one = '', two = '', kept = ''] = placeIdsOf(held);
    await act(catalog, orderId, 'sale', { placeIds: [one, two, kept] });
    await hold(catalog, show, { holder: orderId, requestId: 'leftover', quantity: 1 });
    await tell('tickets.cancelled', { orderId, placeIds: [one, two], keptPlaceIds: [kept], controlled: 1 });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 6, free: 5, held: 0, sold: 1 });
    expect(await publishedOf(catalog.store, orderId)).toEqual([
      { type: 'places.released', orderId, cause: 'tickets.cancelled', placeIds: [one, two], placesReleased: 2 },
    ]);
  });

  test('expired: held and sold places become free, and nothing is published', async () => {
    const show = await newShow(catalog, stalls(4));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 3 });
    const [sold = ''] = placeIdsOf(held);
    await act(catalog, orderId, 'sale', { placeIds: [sold] });
    await tell('order.expired', { orderId, placeIds: placeIdsOf(held) });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 4, free: 4, held: 0, sold: 0 });
    expect(await publishedOf(catalog.store, orderId)).toEqual([]);
  });

  test('expired places that others took count as released and stay with the others', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2, heldUntil: inMinutes(-1) });
    const placeIds = placeIdsOf(held);
    await hold(catalog, show, { placeIds: placeIds.slice(0, 1) });
    await tell('order.cancelled', { orderId, placeIds });
    expect(await publishedOf(catalog.store, orderId)).toMatchObject([{ placesReleased: 2 }]);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 2, free: 1, held: 1, sold: 0 });
  });

  test('an order of another institution with the same id is unchanged', async () => {
    const show = await newShow(catalog, stalls(1));
    const { holder: orderId, ...held } = await hold(catalog, show);
    const placeIds = placeIdsOf(held);
    for (const type of ['order.cancelled', 'order.expired', 'tickets.cancelled'] as const) {
      await react(fact('elsewhere', type, { orderId: `${orderId}`, placeIds }), 1);
    }
    expect((await availabilityOf(catalog, show)).held).toBe(1);
  });

  test('a malformed fact becomes a dead letter at once', async () => {
    for (const data of [{ orderId: 7 }, { placeIds: 'all' }, { hadTickets: undefined }]) {
      await expect(tell('order.cancelled', data)).rejects.toBeInstanceOf(Unreadable);
    }
    await expect(tell('tickets.cancelled', { keptPlaceIds: null })).rejects.toBeInstanceOf(Unreadable);
    const unknown = { ...fact(catalog.institution, 'order.expired', {}), type: 'order.praised' };
    await expect(react(unknown, 1)).rejects.toBeInstanceOf(Unreadable);
  });

  test('the catalog feed and its ETag do not depend on stock; the list of places does', async () => {
    const show = await newShow(catalog, stalls(3));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
    const etag = async () => (await catalog.call('GET', '/svc/v3/catalog')).headers.get('etag');
    const listed = async (state: string) => {
      const path = `/svc/v3/catalog/performances/${show.performance.id}/places?state=${state}`;
      return (await catalog.call<{ items: { state: string }[] }>('GET', path)).data.items.map((place) => place.state);
    };
    const before = await etag();
    expect(await listed('held')).toEqual(['held', 'held']);
    await tell('order.expired', { orderId, placeIds: placeIdsOf(held) });
    expect(await listed('free')).toEqual(['free', 'free', 'free']);
    expect(await listed('held')).toEqual([]);
    expect(await etag()).toBe(before);
  });
});
