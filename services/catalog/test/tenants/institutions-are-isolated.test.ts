import { randomUUID } from 'node:crypto';
import type { OpenEngine } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import { institutions } from '../../src/store.ts';
import {
  hold,
  newShow,
  type Page,
  performanceBody,
  placeIdsOf,
  productBody,
  type Show,
  stalls,
} from '../fixture/data.ts';
import { engines, type Instance, newInstitution, startInstance } from '../fixture/service.ts';

/** A store without the tenant filter, except for the institutions themselves. */
const withoutTenants = (store: Store, everybody: string): Store => ({
  ...store,
  collection: (asked) => {
    const handle = store.collection(asked);
    return { ...handle, of: (institution) => handle.of(asked.name === institutions.name ? institution : everybody) };
  },
});

interface Seen {
  readonly show: Show;
  readonly host: string;
  readonly holder: string;
  readonly placeIds: string[];
}

const furnish = async (on: Instance, institution: string): Promise<Seen> => {
  const show = await newShow(on, stalls(4), { institution });
  const host = `${randomUUID()}.example`;
  const body = {
    serviceHost: host,
    name: 'Shop',
    languages: ['en'],
    currency: 'CHF',
    tariffIds: [show.tariff.id],
    paymentMethods: [],
    maxPlacesPerOrder: 8,
    holdMinutes: 15,
  };
  await on.call('POST', '/svc/v3/catalog/points-of-sale', { institution, body });
  const held = await hold(on, show, { quantity: 2 }, { institution });
  return { show, host, holder: held.holder, placeIds: placeIdsOf(held) };
};

/** Calls every operation on data of another institution; returns those that read or changed any. */
const leaks = async (on: Instance, thief: string, { show, host, holder, placeIds }: Seen): Promise<string[]> => {
  const { product, performance, tariff } = show;
  const found: string[] = [];
  const called = new Set<string>();
  const until = new Date(Date.now() + 60_000).toISOString();
  const as = { institution: thief };
  const expect404 = async (operation: string, method: string, path: string, body?: object) => {
    called.add(operation);
    const { status, data } = await on.call(method, path, { ...as, ...(body ? { body } : {}) });
    if (status !== 404 || data !== null) found.push(operation);
  };
  const expectNone = async (operation: string, path: string) => {
    called.add(operation);
    const { data } = await on.call<Page<unknown>>('GET', path, as);
    if (data.items.length > 0) found.push(operation);
  };
  const base = '/svc/v3/catalog';
  const newPerformance = performanceBody(tariff.id, [stalls(1)]);
  await expect404('getProduct', 'GET', `${base}/products/${product.id}`);
  await expect404('replaceProduct', 'PUT', `${base}/products/${product.id}`, productBody());
  await expect404('changeProduct', 'PATCH', `${base}/products/${product.id}`, { name: { en: 'Stolen' } });
  await expect404('listPerformances', 'GET', `${base}/products/${product.id}/performances`);
  await expect404('createPerformance', 'POST', `${base}/products/${product.id}/performances`, newPerformance);
  await expect404('getPerformance', 'GET', `${base}/performances/${performance.id}`);
  await expect404('changePerformance', 'PATCH', `${base}/performances/${performance.id}`, { durationMinutes: 1 });
  await expect404('getAvailability', 'GET', `${base}/performances/${performance.id}/availability`);
  await expect404('listPlaces', 'GET', `${base}/performances/${performance.id}/places`);
  await expect404('getTariff', 'GET', `${base}/tariffs/${tariff.id}`);
  await expect404('changeTariff', 'PATCH', `${base}/tariffs/${tariff.id}`, { name: { en: 'Stolen' } });
  await expect404('getPointOfSale', 'GET', `${base}/points-of-sale/${host}`);
  await expect404('changePointOfSale', 'PATCH', `${base}/points-of-sale/${host}`, { name: 'Stolen' });
  await expectNone('listProducts', `${base}/products`);
  await expectNone('listAllPerformances', `${base}/performances`);
  await expectNone('listAvailability', `${base}/availability?performanceIds=${performance.id}`);
  await expectNone('listTariffs', `${base}/tariffs`);
  await expectNone('listPointsOfSale', `${base}/points-of-sale`);

  called.add('getCatalog');
  const catalog = await on.call<{ products: unknown[]; tariffs: unknown[] }>('GET', base, as);
  if (catalog.data.products.length + catalog.data.tariffs.length > 0) found.push('getCatalog');
  called.add('listShopProducts');
  const shop = await on.call<{ published: typeof catalog.data }>('GET', '/internal/shop/products', as);
  if (shop.data.published.products.length + shop.data.published.tariffs.length > 0) found.push('listShopProducts');
  called.add('getShopAvailability');
  const free = await on.call<{ performances: unknown[] }>(
    'GET',
    `/internal/shop/availability?performanceIds=${performance.id}`,
    as,
  );
  if (free.data.performances.length > 0) found.push('getShopAvailability');
  await expect404('listShopPlaces', 'GET', `/internal/shop/performances/${performance.id}/places`);
  called.add('quoteItems');
  const seatCategoryId = performance.seatCategories[0]?.id;
  const requested = { performanceId: performance.id, seatCategoryId, tariffId: tariff.id };
  const quoted = await on.call('POST', '/internal/stock/quotes', { ...as, body: { items: [requested] } });
  if (quoted.data.outcome !== 'refused') found.push('quoteItems');
  called.add('quoteOrderItems');
  const all = await on.call<{ quotes: unknown[] }>('POST', '/internal/stock/order-quotes', {
    ...as,
    body: { items: [requested] },
  });
  if (all.data.quotes.length > 0) found.push('quoteOrderItems');
  // A tariff of another institution is no tariff at all.
  called.add('createProduct');
  const borrowed = await on.call('POST', `${base}/products`, {
    ...as,
    body: productBody({ performances: [newPerformance] }),
  });
  if (borrowed.status !== 422) found.push('createProduct');

  const stock = async (operation: string, action: string, body: object, none: (data: string) => boolean) => {
    called.add(operation);
    const { data } = await on.call('POST', `/internal/stock/holds/${holder}/${action}`, { ...as, body });
    if (!none(JSON.stringify(data))) found.push(operation);
  };
  const refused = (data: string) => data.includes('"refused"');
  await stock('extendHold', 'extension', { heldUntil: until, placeIds }, refused);
  await stock('renewHold', 'renewal', { requestId: 'r', heldUntil: until, placeIds }, refused);
  await stock('sellHold', 'sale', { placeIds }, refused);
  await stock('releaseHold', 'release', { sold: true }, (data) => data === '{"released":[]}');
  called.add('getHold');
  const seen = await on.call<{ places: unknown[] }>('GET', `/internal/stock/holds/${holder}`, as);
  if (seen.data.places.length > 0) found.push('getHold');
  called.add('holdPlaces');
  if ((await hold(on, show, {}, as)).outcome === 'held') found.push('holdPlaces');

  // Creations affect no existing data; the look-up by host covers all institutions by design.
  const others = ['createTariff', 'createPointOfSale', 'findPointOfSale'];
  const uncalled = routes(on.store).filter(({ id }) => !called.has(id) && !others.includes(id));
  expect(uncalled.map(({ id }) => id)).toEqual([]);
  return found;
};

describe.each(engines)('institutions on $name', ({ start }) => {
  let engine: OpenEngine;
  let store: Store;
  beforeAll(async () => {
    engine = await start();
    store = await engine.open();
  });
  afterAll(() => engine.close());

  test('no operation reads or changes data of another institution', async () => {
    const [owner, thief] = [await newInstitution(store), await newInstitution(store)];
    const on = await startInstance(store, owner);
    const seen = await furnish(on, owner);
    expect(await leaks(on, thief, seen)).toEqual([]);
    const { product, performance } = seen.show;
    expect((await on.call('GET', `/svc/v3/catalog/products/${product.id}`)).data).toEqual(product);
    expect((await on.call('GET', `/svc/v3/catalog/performances/${performance.id}`)).data).toEqual(performance);
    await on.close();
  });

  test('a foreign id gets the same bytes as an unknown id', async () => {
    const [owner, thief] = [await newInstitution(store), await newInstitution(store)];
    const on = await startInstance(store, owner);
    const { product } = (await furnish(on, owner)).show;
    const read = async (id: string) =>
      (await on.call('GET', `/svc/v3/catalog/products/${id}`, { institution: thief })).body;
    expect(await read(product.id)).toEqual(await read('prd_unknown'));
    await on.close();
  });

  test('a service host is unique in the installation and found by a service', async () => {
    const [owner, other] = [await newInstitution(store), await newInstitution(store)];
    const on = await startInstance(store, owner);
    const { host } = await furnish(on, owner);
    const path = `/internal/points-of-sale/${host.toUpperCase()}`;
    const found = await on.call('GET', path, { institution: '', service: 'gateway' });
    expect(found.data).toMatchObject({ serviceHost: host, institution: owner, corsOrigins: [] });
    expect((await on.call('GET', '/internal/points-of-sale/nobody.example')).status).toBe(404);
    const body = {
      serviceHost: host.toUpperCase(),
      name: 'Other shop',
      languages: ['en'],
      currency: 'CHF',
      tariffIds: [],
      paymentMethods: [],
      maxPlacesPerOrder: 1,
      holdMinutes: 1,
    };
    const taken = await on.call('POST', '/svc/v3/catalog/points-of-sale', { institution: other, body });
    expect([taken.status, taken.body.status]).toEqual([409, 'point_of_sale_duplicate_host']);
    await on.close();
  });

  test('internal operations are for services only', async () => {
    const institution = await newInstitution(store);
    const on = await startInstance(store, institution);
    const { holder } = await furnish(on, institution);
    const asClient = { service: '', body: {} };
    const { status } = await on.call('POST', `/internal/stock/holds/${holder}/release`, asClient);
    expect([401, 403, 404]).toContain(status);
    await on.close();
  });

  test('negative control: without the tenant filter nearly every operation leaks', async () => {
    const [everybody, thief] = [await newInstitution(store), await newInstitution(store)];
    const on = await startInstance(withoutTenants(store, everybody), everybody);
    const found = await leaks(on, thief, await furnish(on, everybody));
    expect(found.length).toBeGreaterThan(15);
    await on.close();
  });
});
