import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { act, availabilityOf, type Held, hold, newShow, placeIdsOf, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

describe.each(engines)(`holds on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  test('a hold returns all data that an order needs, and counts in the availability', async () => {
    const show = await newShow(catalog, stalls(10));
    const held = await hold(catalog, show, { quantity: 3 });
    expect(held).toMatchObject({ outcome: 'held', refusal: null, pointOfSale: null });
    expect(held.lines).toHaveLength(3);
    expect(held.lines[0]).toMatchObject({
      item: 0,
      productId: show.product.id,
      performanceId: show.performance.id,
      seatCategoryId: show.categoryId,
      tariffId: show.tariff.id,
      criterion: null,
      amount: 4_200,
      currency: 'CHF',
      place: { label: expect.stringMatching(/^STALLS \d+$/), row: null, seat: null },
    });
    expect(Math.round((Date.parse(held.heldUntil ?? '') - Date.now()) / 60_000)).toBe(15);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 10, free: 7, held: 3, sold: 0 });
  });

  test("what a ticket shows has the institution's languages first", async () => {
    const show = await newShow(catalog, stalls(2));
    const name = { it: 'Flauto', en: 'Flute', fr: 'Flûte', 'fr-CH': 'Flûte (CH)' };
    const path = `/svc/v3/catalog/products/${show.product.id}`;
    expect((await catalog.call('PATCH', path, { body: { name } })).status).toBe(200);
    const { lines } = await hold(catalog, show, { quantity: 1 });
    expect(Object.keys(lines[0]?.about?.product ?? {})).toEqual(['fr', 'en', 'it', 'fr-CH']);
  });

  test('too few places: nothing is held, and the answer names the item', async () => {
    const show = await newShow(catalog, stalls(2));
    const refused = await hold(catalog, show, { quantity: 3 });
    expect(refused).toMatchObject({
      outcome: 'refused',
      lines: [],
      refusal: { reason: 'places_unavailable', item: 0 },
    });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 2, free: 2, held: 0, sold: 0 });
  });

  test('several performances in one request: one without enough places leaves the other unchanged', async () => {
    const [one, other] = [await newShow(catalog, stalls(5)), await newShow(catalog, stalls(1))];
    const items = [one, other].map(({ performance, categoryId, tariff }) => ({
      performanceId: performance.id,
      seatCategoryId: categoryId,
      tariffId: tariff.id,
      quantity: 2,
    }));
    const body = { holder: `ord_${randomUUID()}`, requestId: 'one', items };
    const { data } = await catalog.call<Held>('POST', '/internal/stock/holds', { body });
    expect(data).toMatchObject({ outcome: 'refused', refusal: { reason: 'places_unavailable', item: 1 } });
    expect((await availabilityOf(catalog, one)).free).toBe(5);
    expect((await availabilityOf(catalog, other)).free).toBe(1);
  });

  test('the same request again gives the same places; another request of the holder gives more', async () => {
    const show = await newShow(catalog, stalls(10));
    const first = await hold(catalog, show, { quantity: 2 });
    const { holder } = first;
    const again = await hold(catalog, show, { holder, quantity: 2 });
    expect(placeIdsOf(again).sort()).toEqual(placeIdsOf(first).sort());
    const more = await hold(catalog, show, { holder, requestId: 'two', quantity: 2 });
    expect(new Set([...placeIdsOf(first), ...placeIdsOf(more)]).size).toBe(4);
    expect((await availabilityOf(catalog, show)).held).toBe(4);
  });

  test('the same request at the same time holds once', async () => {
    const show = await newShow(catalog, stalls(30));
    const holder = `ord_${randomUUID()}`;
    const all = await Promise.all(Array.from({ length: 8 }, () => hold(catalog, show, { holder, quantity: 2 })));
    expect(new Set(all.flatMap(placeIdsOf)).size).toBe(2);
    expect((await availabilityOf(catalog, show)).held).toBe(2);
  });

  test('sale and release are idempotent, and only an explicit release frees sold places', async () => {
    const show = await newShow(catalog, stalls(5));
    const held = await hold(catalog, show, { quantity: 3 });
    const placeIds = placeIdsOf(held);
    for (const _ of [1, 2]) {
      const sold = await act(catalog, held.holder, 'sale', { placeIds });
      expect(sold.outcome).toBe('done');
      expect(sold.places.map(({ state }) => state)).toEqual(['sold', 'sold', 'sold']);
    }
    expect(await act(catalog, held.holder, 'release', {})).toEqual({ released: [] });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 5, free: 2, held: 0, sold: 3 });
    const released = await act<{ released: string[] }>(catalog, held.holder, 'release', { sold: true });
    expect(released.released.sort()).toEqual(placeIds.sort());
    expect(await act(catalog, held.holder, 'release', { sold: true })).toEqual({ released: [] });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 5, free: 5, held: 0, sold: 0 });
  });

  test('places of another holder cannot be sold, extended or released', async () => {
    const show = await newShow(catalog, stalls(2));
    const held = await hold(catalog, show, { quantity: 2 });
    const placeIds = placeIdsOf(held);
    const heldUntil = new Date(Date.now() + 60_000).toISOString();
    expect(await act(catalog, 'ord_other', 'sale', { placeIds })).toMatchObject({
      outcome: 'refused',
      missing: placeIds,
    });
    expect(await act(catalog, 'ord_other', 'extension', { placeIds, heldUntil })).toMatchObject({ outcome: 'refused' });
    expect(await act(catalog, 'ord_other', 'release', { placeIds })).toEqual({ released: [] });
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 2, free: 0, held: 2, sold: 0 });
  });
});
