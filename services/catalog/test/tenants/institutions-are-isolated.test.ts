import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import { newPointOfSale } from '../../src/points-of-sale/body.ts';
import { institutions } from '../../src/store.ts';
import {
  addPointOfSale,
  hold,
  itemOf,
  newShow,
  type Page,
  performanceBody,
  placeIdsOf,
  productBody,
  type Show,
  stalls,
} from '../fixture/data.ts';
import { describeOnEachEngine, type Instance, newInstitution, startInstance } from '../fixture/service.ts';

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
  const host = await addPointOfSale(on, { tariffIds: [show.tariff.id] }, { institution });
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
  await expect404('getShopSeatMap', 'GET', `/internal/shop/performances/${performance.id}/seat-map`);
  called.add('quoteItems');
  const requested = itemOf(show);
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

describeOnEachEngine('institutions', (catalog) => {
  /** An instance of an institution with some data, and another institution. */
  const furnished = async (wrap = (store: Store, _owner: string) => store) => {
    const [owner, thief] = [await newInstitution(catalog.store), await newInstitution(catalog.store)];
    const on = await startInstance(wrap(catalog.store, owner), owner);
    return { owner, thief, on, seen: await furnish(on, owner) };
  };

  test('no operation reads or changes data of another institution', async () => {
    const { thief, on, seen } = await furnished();
    expect(await leaks(on, thief, seen)).toEqual([]);
    const { product, performance } = seen.show;
    expect((await on.call('GET', `/svc/v3/catalog/products/${product.id}`)).data).toEqual(product);
    expect((await on.call('GET', `/svc/v3/catalog/performances/${performance.id}`)).data).toEqual(performance);
    await on.close();
  });

  test('a foreign id gets the same bytes as an unknown id', async () => {
    const { thief, on, seen } = await furnished();
    const { product } = seen.show;
    const read = async (id: string) =>
      (await on.call('GET', `/svc/v3/catalog/products/${id}`, { institution: thief })).body;
    expect(await read(product.id)).toEqual(await read('prd_unknown'));
    await on.close();
  });

  test('a service host is unique in the installation and found by a service', async () => {
    const { owner, thief: other, on, seen } = await furnished();
    const { host } = seen;
    const path = `/internal/points-of-sale/${host.toUpperCase()}`;
    const found = await on.call('GET', path, { institution: '', service: 'gateway' });
    expect(found.data).toMatchObject({ serviceHost: host, institution: owner, corsOrigins: [] });
    expect((await on.call('GET', '/internal/points-of-sale/nobody.example')).status).toBe(404);
    const body = { ...newPointOfSale, serviceHost: host.toUpperCase(), tariffIds: [] };
    const taken = await on.call('POST', '/svc/v3/catalog/points-of-sale', { institution: other, body });
    expect([taken.status, taken.body.status]).toEqual([409, 'point_of_sale_duplicate_host']);
    await on.close();
  });

  test('internal operations are for services only', async () => {
    const { on, seen } = await furnished();
    const { holder } = seen;
    const asClient = { service: '', body: {} };
    const { status } = await on.call('POST', `/internal/stock/holds/${holder}/release`, asClient);
    expect([401, 403, 404]).toContain(status);
    await on.close();
  });

  test('negative control: without the tenant filter nearly every operation leaks', async () => {
    const { thief, on, seen } = await furnished(withoutTenants);
    const found = await leaks(on, thief, seen);
    expect(found.length).toBeGreaterThan(15);
    await on.close();
  });
});
