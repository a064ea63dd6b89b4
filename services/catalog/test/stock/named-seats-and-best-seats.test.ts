import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  availabilityOf,
  type Held,
  hold,
  newShow,
  newTariff,
  type Page,
  placeIdsOf,
  type Show,
  stalls,
} from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

describe.each(engines)(`numbered seats and refusals on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  const seats = async ({ performance }: Show, query = '') => {
    const path = `/svc/v3/catalog/performances/${performance.id}/places?limit=500${query}`;
    return (await catalog.call<Page<{ id: string; label: string; state: string }>>('GET', path)).data.items;
  };
  const patch = (path: string, body: object) => catalog.call('PATCH', `/svc/v3/catalog/${path}`, { body });

  test('the best free seats are side by side, and the next buyer gets the next best', async () => {
    const show = await newShow(catalog, stalls(20, [10, 10]));
    const labels = (held: Held) => held.lines.map(({ place }) => place.label);
    expect(labels(await hold(catalog, show, { quantity: 4 }))).toEqual(['A-4', 'A-5', 'A-6', 'A-7']);
    const next = labels(await hold(catalog, show, { quantity: 3 }));
    expect(new Set(next.map((label) => label[0])).size).toBe(1);
    expect((await hold(catalog, show, { quantity: 10 })).lines).toHaveLength(10);
    const apart = await hold(catalog, show, { quantity: 3 });
    expect(apart.lines).toHaveLength(3);
    expect((await hold(catalog, show)).outcome).toBe('refused');
  });

  test('32 concurrent buyers of pairs get pairs without overlap', async () => {
    const show = await newShow(catalog, stalls(80, [20, 20, 20, 20]));
    const all = await Promise.all(Array.from({ length: 32 }, () => hold(catalog, show, { quantity: 2 })));
    expect(all.map(({ outcome }) => outcome)).toEqual(Array(32).fill('held'));
    expect(new Set(all.flatMap(placeIdsOf)).size).toBe(64);
    for (const { lines } of all) {
      expect(lines[0]?.place.row).toBe(lines[1]?.place.row);
      expect(Math.abs((lines[0]?.place.seat ?? 0) - (lines[1]?.place.seat ?? 9))).toBe(1);
    }
  });

  test('named seats are held exactly or not at all', async () => {
    const show = await newShow(catalog, stalls(4, [4]));
    const [first, second, third] = (await seats(show)).map(({ id }) => id);
    if (!first || !second || !third) throw new Error('seats are missing');
    const held = await hold(catalog, show, { placeIds: [third, first] });
    expect(placeIdsOf(held).sort()).toEqual([first, third].sort());
    const taken = await hold(catalog, show, { placeIds: [second, third] });
    expect(taken).toMatchObject({ outcome: 'refused', refusal: { reason: 'places_unavailable' } });
    expect((await seats(show, '&state=free')).map(({ label }) => label)).toEqual(['A-2', 'A-4']);
    expect((await seats(show, '&state=held')).map(({ id }) => id)).toEqual([first, third]);
  });

  test('concurrent overlapping requests: each seat goes to one buyer, each buyer gets all or none', async () => {
    const show = await newShow(catalog, stalls(12, [12]));
    const ids = (await seats(show)).map(({ id }) => id);
    const requests = Array.from({ length: 24 }, (_, index) => [0, 1, 2].map((step) => ids[(index + step) % 12] ?? ''));
    const all = await Promise.all(requests.map((placeIds) => hold(catalog, show, { placeIds })));
    const won = all.filter(({ outcome }) => outcome === 'held');
    expect(won.length).toBeGreaterThan(0);
    expect(new Set(won.flatMap(placeIdsOf)).size).toBe(won.length * 3);
    expect((await availabilityOf(catalog, show)).held).toBe(won.length * 3);
  });

  test('unknown or contradictory items are refused, and nothing is held', async () => {
    const show = await newShow(catalog, stalls(4, [4]));
    const other = await newShow(catalog, stalls(4, [4]));
    const [own] = (await seats(show)).map(({ id }) => id);
    const [foreign] = (await seats(other)).map(({ id }) => id);
    if (!own || !foreign) throw new Error('seats are missing');
    const unpriced = await newTariff(catalog);
    const refusals = await Promise.all([
      hold(catalog, { ...show, performance: { ...show.performance, id: 'prf_unknown' } }),
      hold(catalog, { ...show, categoryId: other.categoryId }),
      hold(catalog, { ...show, tariff: unpriced }),
      hold(catalog, show, { placeIds: [own, 'plc_unknown'] }),
      hold(catalog, show, { placeIds: [own, foreign] }),
      hold(catalog, show, { placeIds: [own, own] }),
      hold(catalog, show, { placeIds: [own], quantity: 2 }),
    ]);
    for (const refused of refusals) {
      expect(refused).toMatchObject({ outcome: 'refused', refusal: { reason: 'invalid_reference' } });
    }
    expect((await availabilityOf(catalog, show)).held).toBe(0);
  });

  test('a refusal names every unknown id by its path', async () => {
    const [show, other] = [await newShow(catalog, stalls(4, [4])), await newShow(catalog, stalls(4, [4]))];
    const [own = '', next = ''] = (await seats(show)).map(({ id }) => id);
    const unpriced = await newTariff(catalog);
    const item = { performanceId: show.performance.id, seatCategoryId: show.categoryId, tariffId: show.tariff.id };
    const ask = async (items: readonly object[], more: object = {}, path = 'holds') => {
      const body = { ...(path === 'holds' ? { holder: `ord_${randomUUID()}`, requestId: 'one' } : {}), items, ...more };
      const { data } = await catalog.call<Held>('POST', `/internal/stock/${path}`, { body });
      const paths = (data.refusal as { details?: string } | null)?.details?.match(/\$\.[^:; ]+/g) ?? [];
      return [data.outcome, data.refusal?.reason, paths.sort()];
    };
    const many = [
      { ...item, performanceId: 'prf_unknown', tariffId: 'trf_unknown' },
      { ...item, seatCategoryId: other.categoryId, placeIds: ['plc_of_nothing'] },
      { ...item, tariffId: unpriced.id, placeIds: [own, 'plc_unknown'] },
      { ...item, placeIds: [next, own] },
    ];
    const named = [
      '$.items[0].performanceId',
      '$.items[0].tariffId',
      '$.items[1].seatCategoryId',
      '$.items[2].placeIds[1]',
      '$.items[2].tariffId',
      '$.items[3].placeIds[1]',
      '$.pointOfSale',
    ];
    const refused = ['refused', 'invalid_reference'];
    expect(await ask(many, { pointOfSale: 'no.such.host' })).toEqual([...refused, named]);
    expect(await ask(many, { pointOfSale: 'no.such.host' }, 'quotes')).toEqual([...refused, named]);
    const strangers = [
      { ...item, placeIds: ['plc_one', own] },
      { ...item, placeIds: ['plc_two'] },
    ];
    expect(await ask(strangers)).toEqual([...refused, ['$.items[0].placeIds[0]', '$.items[1].placeIds[0]']]);
    expect((await availabilityOf(catalog, show)).held).toBe(0);
  });

  test('only performances on sale can be held', async () => {
    const show = await newShow(catalog, stalls(4));
    const refused = { outcome: 'refused', refusal: { reason: 'not_on_sale' } };
    const performance = `performances/${show.performance.id}`;
    await patch(performance, { salesFrom: new Date(Date.now() + 60_000).toISOString() });
    expect(await hold(catalog, show)).toMatchObject(refused);
    await patch(performance, { salesFrom: null, salesTo: new Date(Date.now() - 1).toISOString() });
    expect(await hold(catalog, show)).toMatchObject(refused);
    await patch(performance, { salesTo: null, state: 'closed' });
    expect(await hold(catalog, show)).toMatchObject(refused);
    await patch(performance, { state: 'on_sale' });
    expect((await hold(catalog, show)).outcome).toBe('held');
    await patch(`products/${show.product.id}`, { state: 'suspended' });
    expect(await hold(catalog, show)).toMatchObject(refused);
  });

  test('a point of sale limits tariffs, places per order and hold time', async () => {
    const show = await newShow(catalog, stalls(20));
    const host = `${randomUUID()}.example`;
    const pointOfSale = {
      serviceHost: host,
      name: 'Shop',
      languages: ['en'],
      currency: 'CHF',
      tariffIds: [] as string[],
      paymentMethods: ['external'],
      maxPlacesPerOrder: 3,
      holdMinutes: 0.5,
    };
    await catalog.call('POST', '/svc/v3/catalog/points-of-sale', { body: pointOfSale });
    const ask = (quantity: number, more: object = {}) =>
      catalog.call<Held>('POST', '/internal/stock/holds', {
        body: {
          holder: `ord_${randomUUID()}`,
          requestId: 'one',
          pointOfSale: host.toUpperCase(),
          items: [
            { performanceId: show.performance.id, seatCategoryId: show.categoryId, tariffId: show.tariff.id, quantity },
          ],
          ...more,
        },
      });
    expect((await ask(1)).data.refusal?.reason).toBe('tariff_not_sold_here');
    const item = { performanceId: show.performance.id, seatCategoryId: show.categoryId, tariffId: show.tariff.id };
    expect((await ask(1, { items: [item, item] })).data.refusal).toMatchObject({
      details: expect.stringMatching(/^\$\.items\[0\]\.tariffId: .*; \$\.items\[1\]\.tariffId: /),
    });
    await patch(`points-of-sale/${host}`, { tariffIds: [show.tariff.id] });
    expect((await ask(4)).data.refusal?.reason).toBe('too_many_places');
    expect((await ask(2, { placesInOrder: 2 })).data.refusal?.reason).toBe('too_many_places');
    expect((await ask(1, { pointOfSale: 'nobody.example' })).data.refusal?.reason).toBe('invalid_reference');
    const { data } = await ask(3);
    expect(data.pointOfSale).toEqual({
      serviceHost: host,
      paymentMethods: ['external'],
      maxPlacesPerOrder: 3,
      holdMinutes: 0.5,
      ticketDelivery: 'electronic',
    });
    expect(Math.round((Date.parse(data.heldUntil ?? '') - Date.now()) / 10_000)).toBe(3);
  });
});
