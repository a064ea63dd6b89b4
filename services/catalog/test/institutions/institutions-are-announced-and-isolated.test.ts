import { randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { createRoutes } from '../../src/commands.ts';
import { createInstitution } from '../../src/index.ts';
import { newPointOfSale } from '../../src/points-of-sale/schemas.ts';
import { currentFacts, institutions } from '../../src/store.ts';
import {
  addInstitution,
  addPointOfSale,
  buildItem,
  buildPerformanceBody,
  buildProductBody,
  createCode,
  createShow,
  createStalls,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  type Instance,
  type Show,
  startInstance,
} from '../fixture/service.ts';

/** A store without the tenant filter, except for the institutions themselves. */
const withoutTenants = (store: Store, everybody: string): Store => ({
  ...store,
  getTogether: (_institution, looks) => store.getTogether(everybody, looks),
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
  readonly tax: { readonly id: string };
  readonly fee: { readonly id: string };
  readonly discount: { readonly id: string };
}

const discount = { name: { en: 'Own' }, trigger: 'code', effect: { amount: 1 }, limits: { uses: 5 } };

const furnish = async (on: Instance, institution: string): Promise<Seen> => {
  const show = await createShow(on, createStalls(4), { institution });
  const host = await addPointOfSale(on, { tariffIds: [show.tariff.id] }, { institution });
  const held = await hold(on, show, { quantity: 2 }, { institution });
  const make = async (path: string, more: object) => {
    const body = { name: { en: 'Own' }, ...(path === 'discounts' ? {} : { code: createCode() }), ...more };
    return (await on.call<{ id: string }>('POST', `/svc/v3/catalog/${path}`, { institution, body })).data;
  };
  const tax = await make('taxes', { rate: '1' });
  const fee = await make('fees', { per: 'order', amount: 1, taxId: tax.id });
  const { id, ...more } = await make('discounts', discount);
  await on.call('POST', `/svc/v3/catalog/discounts/${id}/codes`, { institution, body: { codes: [{ code: 'CODE' }] } });
  return { show, host, holder: held.holder, placeIds: getHeldPlaceIds(held), tax, fee, discount: { id, ...more } };
};

/** Calls every operation on data of another institution; returns those that read or changed any. */
const leaks = async (on: Instance, institution: string, seen: Seen): Promise<string[]> => {
  const { show, host, holder, placeIds, tax, fee } = seen;
  const { product, performance, tariff } = show;
  const heldUntil = new Date(Date.now() + 60_000).toISOString();
  const newPerformance = buildPerformanceBody(tariff.id, [createStalls(1)]);
  const items = [buildItem(show)];
  const [base, aHold] = ['/svc/v3/catalog', `/internal/stock/holds/${holder}`];
  const aProduct = `${base}/products/${product.id}`;
  const aPerformance = `${base}/performances/${performance.id}`;
  const ofShop = '/internal/shop/performances';
  const stolen = { en: 'Stolen' };
  const aDiscount = `${base}/discounts/${seen.discount.id}`;
  const uses = { holder, requestId: 'r', heldUntil };
  const none = (...lists: string[]) => new RegExp(lists.map((list) => `"${list}":\\[\\]`).join('.*'));
  const refused = /"refused"/;
  /** Each operation, a request and what its answer is: 404 without data, 422, or a text that tells that it has none. */
  const requests: readonly [string, string, number | RegExp, object?][] = [
    ['getProduct', `GET ${aProduct}`, 404],
    ['replaceProduct', `PUT ${aProduct}`, 404, buildProductBody()],
    ['changeProduct', `PATCH ${aProduct}`, 404, { name: stolen }],
    ['listPerformances', `GET ${aProduct}/performances`, 404],
    ['createPerformance', `POST ${aProduct}/performances`, 404, newPerformance],
    ['getPerformance', `GET ${aPerformance}`, 404],
    ['changePerformance', `PATCH ${aPerformance}`, 404, { durationMinutes: 1 }],
    ['getAvailability', `GET ${aPerformance}/availability`, 404],
    ['listPlaces', `GET ${aPerformance}/places`, 404],
    ['getTariff', `GET ${base}/tariffs/${tariff.id}`, 404],
    ['changeTariff', `PATCH ${base}/tariffs/${tariff.id}`, 404, { name: stolen }],
    ['getTax', `GET ${base}/taxes/${tax.id}`, 404],
    ['changeTax', `PATCH ${base}/taxes/${tax.id}`, 404, { name: stolen }],
    ['getFee', `GET ${base}/fees/${fee.id}`, 404],
    ['changeFee', `PATCH ${base}/fees/${fee.id}`, 404, { name: stolen }],
    // A tax of another institution is no tax at all.
    ['createFee', `POST ${base}/fees`, 422, { code: 'F', name: stolen, per: 'order', amount: 1, taxId: tax.id }],
    ['listTaxes', `GET ${base}/taxes`, none('items')],
    ['listFees', `GET ${base}/fees`, none('items')],
    ['getDiscount', `GET ${aDiscount}`, 404],
    ['changeDiscount', `PATCH ${aDiscount}`, 404, { name: stolen }],
    ['createDiscountCodes', `POST ${aDiscount}/codes`, 404, { count: 1 }],
    ['listDiscountCodes', `GET ${aDiscount}/codes`, 404],
    ['withdrawDiscountCodes', `POST ${aDiscount}/codes/withdrawal`, 404, { code: 'CODE' }],
    ['listDiscounts', `GET ${base}/discounts`, none('items')],
    ['createDiscount', `POST ${base}/discounts`, 422, { ...discount, tariffIds: [tariff.id] }],
    ['holdUses', 'POST /internal/stock/uses', refused, { ...uses, uses: [{ pool: seen.discount.id, count: 1 }] }],
    ['getPointOfSale', `GET ${base}/points-of-sale/${host}`, 404],
    ['changePointOfSale', `PATCH ${base}/points-of-sale/${host}`, 404, { name: 'Stolen' }],
    ['listProducts', `GET ${base}/products`, none('items')],
    ['listAllPerformances', `GET ${base}/performances`, none('items')],
    ['listWhatIsOn', `GET ${base}/programme?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`, none('items')],
    ['listAvailability', `GET ${base}/availability?performanceIds=${performance.id}`, none('items')],
    ['listTariffs', `GET ${base}/tariffs`, none('items')],
    ['listPointsOfSale', `GET ${base}/points-of-sale`, none('items')],
    ['getCatalog', `GET ${base}`, none('products', 'tariffs', 'taxes', 'fees')],
    ['listShopProducts', 'GET /internal/shop/products', none('products', 'tariffs')],
    ['getShopAvailability', `GET /internal/shop/availability?performanceIds=${performance.id}`, none('performances')],
    ['listShopPlaces', `GET ${ofShop}/${performance.id}/places`, 404],
    ['getShopSeatMap', `GET ${ofShop}/${performance.id}/seat-map`, 404],
    ['quoteItems', 'POST /internal/stock/quotes', refused, { items }],
    ['quoteOrderItems', 'POST /internal/stock/order-quotes', none('quotes'), { items }],
    ['readPricing', 'POST /internal/pricing', /^\{"pricing":null\}$/, { codes: ['CODE'] }],
    // A tariff of another institution is no tariff at all.
    ['createProduct', `POST ${base}/products`, 422, buildProductBody({ performances: [newPerformance] })],
    ['extendHold', `POST ${aHold}/extension`, refused, { heldUntil, placeIds }],
    ['shortenHold', `POST ${aHold}/shortening`, /^\{"shortened":\[\]\}$/, { heldUntil, placeIds, asOf: 9 }],
    ['renewHold', `POST ${aHold}/renewal`, refused, { requestId: 'r', heldUntil, placeIds }],
    ['sellHold', `POST ${aHold}/sale`, refused, { placeIds }],
    ['releaseHold', `POST ${aHold}/release`, /^\{"released":\[\]\}$/, { sold: true }],
    ['getHold', `GET ${aHold}`, none('places')],
  ];
  const found: string[] = [];
  for (const [operation, request, expected, body] of requests) {
    const [method = '', path = ''] = request.split(' ');
    const { status, data } = await on.call(method, path, { institution, ...(body ? { body } : {}) });
    const isNone =
      typeof expected === 'number'
        ? status === expected && (status !== 404 || data === null)
        : expected.test(JSON.stringify(data));
    if (!isNone) found.push(operation);
  }
  if ((await hold(on, show, {}, { institution })).outcome === 'held') found.push('holdPlaces');
  // Creations affect no existing data; the look-ups of shops cover all institutions by design.
  const others = [
    'holdPlaces',
    'createTariff',
    'createTax',
    'createPointOfSale',
    'findPointOfSale',
    'listShops',
    'recordPaymentProvider',
  ];
  const called = [...others, ...requests.map(([operation]) => operation)];
  expect(createRoutes(on.store).filter(({ id }) => !called.includes(id))).toEqual([]);
  return found;
};

describeOnEachEngine('institutions', (catalog) => {
  /** An instance of an institution with some data, and another institution. */
  const furnished = async (wrap = (store: Store, _owner: string) => store) => {
    const [owner, thief] = [await addInstitution(catalog.store), await addInstitution(catalog.store)];
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

  describe('an institution', () => {
    const details = (id: string) => ({ id, name: 'Opéra du Lac', currency: 'CHF', languages: ['fr', 'de'] });
    const announced = async (id: string) =>
      (await catalog.store.outbox.pending(10_000)).filter(({ institution }) => institution === id);
    const fact = {
      type: 'institution.changed',
      data: { name: 'Opéra du Lac', languages: ['fr', 'de'] },
    };

    test('is announced by the write that creates it', async () => {
      const id = `i${randomUUID()}`;
      await createInstitution(catalog.store, details(id));
      expect(await announced(id)).toMatchObject([{ ...fact, key: id, version: 1 }]);
    });

    test('has money that is in use, and languages in their canonical form', async () => {
      const id = `i${randomUUID()}`;
      for (const currency of ['DEM', 'ABC', 'XAU', 'chf'])
        await expect(createInstitution(catalog.store, { ...details(id), currency })).rejects.toThrow('ISO 4217');
      for (const languages of [[], ['fr', 'German']])
        await expect(createInstitution(catalog.store, { ...details(id), languages })).rejects.toThrow('BCP 47');
      const made = await createInstitution(catalog.store, {
        ...details(id),
        currency: 'XCG',
        languages: ['fra', 'pt-br', 'iw'],
      });
      expect(made).toMatchObject({ currency: 'XCG', languages: ['fr', 'pt-BR', 'he'] });
      expect(await announced(id)).toMatchObject([{ data: { languages: ['fr', 'pt-BR', 'he'] } }]);
    });

    test('can be published again, as of its present version', async () => {
      const id = `i${randomUUID()}`;
      await createInstitution(catalog.store, details(id));
      const facts = [];
      for await (const one of currentFacts.read(catalog.store)) if (one.institution === id) facts.push(one);
      expect(facts).toMatchObject([{ ...fact, key: id, version: 1 }]);
    });
  });
});
