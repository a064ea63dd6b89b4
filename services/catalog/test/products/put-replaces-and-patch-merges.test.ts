// rule 2: PUT, PATCH and POST return the complete updated resource | services/catalog/src/products/routes.ts
// rule 7: 422 `validation_error`: well-formed but semantically invalid | services/catalog/src/products/schemas.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { mayBecome, type ProductState, productStates } from '../../src/domain/product.ts';
import {
  buildPerformanceBody,
  buildProductBody,
  createProduct,
  createShow,
  createStalls,
  type Page,
  type Product,
  startCatalog,
} from '../fixture/service.ts';

const catalog = useFixture(() => startCatalog());

describe('products', () => {
  const path = (id: string) => `/svc/v3/catalog/products/${id}`;

  test('a creation returns 201, the product and its Location', async () => {
    const created = await createProduct(catalog, { startDate: '2031-01-01T00:00:00Z' });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(path(created.data.id));
    expect(created.data.id).toMatch(/^prd_[a-z0-9]+$/);
    expect(created.data).toMatchObject({
      state: 'running',
      description: null,
      startDate: '2031-01-01T00:00:00.000Z',
      endDate: null,
      priceFrom: null,
      currency: 'CHF',
      performances: [],
    });
    const got = await catalog.call<Product>('GET', path(created.data.id));
    expect(got.data).toEqual(created.data);
    expect(got.headers.get('etag')).toBe(created.headers.get('etag'));
  });

  test('what a GET returned can be PUT and PATCHed: nothing changes', async () => {
    const { product } = await createShow(catalog, createStalls(3));
    for (const method of ['PUT', 'PATCH']) {
      const again = await catalog.call<Product>(method, path(product.id), { body: product });
      expect(again.status).toBe(200);
      expect(again.data).toEqual(product);
    }
  });

  test('PUT replaces: omitted members are removed, except the state', async () => {
    const { data } = await createProduct(catalog, { description: { en: 'Long' }, endDate: '2031-02-01T00:00:00Z' });
    const body = { code: data.code, type: 'show', name: { fr: 'Autre' }, priceFrom: data.priceFrom, id: data.id };
    const put = await catalog.call<Product>('PUT', path(data.id), { body });
    expect(put.data).toMatchObject({ id: data.id, name: { fr: 'Autre' }, description: null, endDate: null });
    expect(put.data).toMatchObject({ state: 'running', priceFrom: null });
  });

  test('PATCH merges deeply and null removes', async () => {
    const { data } = await createProduct(catalog, { name: { en: 'One', fr: 'Un' }, description: { en: 'Long' } });
    const body = { name: { fr: null, de: 'Eins' }, description: null };
    const patched = await catalog.call<Product>('PATCH', path(data.id), { body });
    expect(patched.data.name).toEqual({ en: 'One', de: 'Eins' });
    expect(patched.data.description).toBeNull();
    const none = await catalog.call('PATCH', path(data.id), { body: { name: { en: null, de: null } } });
    expect([none.status, none.body.status]).toEqual([400, 'validation_error']);
    expect((await catalog.call('PATCH', path(data.id), { body: { code: null } })).status).toBe(400);
  });

  test('a code is taken once, by creation or by change', async () => {
    const first = await createProduct(catalog);
    const second = await createProduct(catalog, { code: first.data.code });
    expect([second.status, second.body.status]).toEqual([409, 'product_duplicate_code']);
    const other = await createProduct(catalog);
    const moved = await catalog.call('PATCH', path(other.data.id), { body: { code: first.data.code } });
    expect([moved.status, moved.body.status]).toEqual([409, 'product_duplicate_code']);
  });

  test('an end before the start, another currency and another type are 422', async () => {
    const dates = { startDate: '2031-01-02T00:00:00Z', endDate: '2031-01-01T00:00:00Z' };
    const ended = await createProduct(catalog, dates);
    expect([ended.status, ended.body.status]).toEqual([422, 'validation_error']);
    expect((await createProduct(catalog, { currency: 'EUR' })).status).toBe(422);
    const { data } = await createProduct(catalog, { startDate: dates.startDate });
    expect((await catalog.call('PATCH', path(data.id), { body: { endDate: dates.endDate } })).status).toBe(422);
    expect((await catalog.call('PATCH', path(data.id), { body: { type: 'goods' } })).status).toBe(422);
  });

  test('unknown members are 400, and every violation is reported', async () => {
    const body = { ...buildProductBody(), colour: 'red', type: 'circus' };
    const refused = await catalog.call('POST', '/svc/v3/catalog/products', { body });
    expect([refused.status, refused.body.status]).toEqual([400, 'validation_error']);
    expect(refused.body.details).toContain('$.colour');
    expect(refused.body.details).toContain('$.type');
  });

  test('If-Match guards a change; the ETag changes with the performances, too', async () => {
    const { product, tariff } = await createShow(catalog, createStalls(3));
    const { headers } = await catalog.call('GET', path(product.id));
    const etag = headers.get('etag') ?? '';
    const body = buildPerformanceBody(tariff.id, [createStalls(1)]);
    await catalog.call('POST', `${path(product.id)}/performances`, { body });
    const stale = { body: { name: { en: 'Late' } }, headers: { 'If-Match': etag } };
    expect((await catalog.call('PATCH', path(product.id), stale)).status).toBe(412);
    const now = (await catalog.call('GET', path(product.id))).headers.get('etag') ?? '';
    expect((await catalog.call('PATCH', path(product.id), { ...stale, headers: { 'If-Match': now } })).status).toBe(
      200,
    );
    expect((await catalog.call('GET', path(product.id), { headers: { 'If-None-Match': now } })).status).toBe(200);
  });

  test('lists are paged in order of creation and filtered by type, state and change', async () => {
    const other = await startCatalog();
    const made: Product[] = [];
    for (const type of ['show', 'pass', 'show', 'goods'] as const)
      made.push((await createProduct(other, { type })).data);
    const list = (query: string) => other.call<Page<Product>>('GET', `/svc/v3/catalog/products?${query}`);
    const first = (await list('limit=3')).data;
    expect(first.items).toEqual(made.slice(0, 3));
    const rest = (await list(`limit=3&cursor=${first.nextCursor}`)).data;
    expect(rest).toEqual({ items: made.slice(3), nextCursor: null, asOf: first.asOf });
    expect((await list(`modifiedSince=${first.asOf}`)).data.items).toEqual(made);
    expect((await list('type=show')).data.items).toEqual([made[0], made[2]]);
    const since = new Date(Date.parse(made[3]?.createdAt ?? '') + 1).toISOString();
    while (new Date().toISOString() <= since) await new Promise((resolve) => setImmediate(resolve));
    const changed = await other.call<Product>('PATCH', path(made[1]?.id ?? ''), { body: { state: 'suspended' } });
    expect((await list(`modifiedSince=${since}`)).data.items).toEqual([changed.data]);
    expect((await list('state=suspended')).data.items).toEqual([changed.data]);
    const bad = await list('type=circus');
    expect([bad.status, bad.body.status]).toEqual([400, 'invalid_parameter']);
    await other.close();
  });
});

describe('product states', () => {
  const allowed: readonly string[] = [
    'preparing validated',
    'preparing cancelled',
    'validated running',
    'validated cancelled',
    'running suspended',
    'running closed',
    'running cancelled',
    'suspended running',
    'suspended closed',
    'suspended cancelled',
    'closed cancelled',
  ];

  const change = (id: string, state: string) =>
    catalog.call<Product>('PATCH', `/svc/v3/catalog/products/${id}`, { body: { state } });

  test('the rule allows exactly these transitions and the same state', () => {
    const pairs = productStates.flatMap((from) => productStates.map((to): [ProductState, ProductState] => [from, to]));
    const may = pairs.filter(([from, to]) => from !== to && mayBecome(from, to)).map((pair) => pair.join(' '));
    expect(may.sort()).toEqual([...allowed].sort());
    expect(productStates.every((state) => mayBecome(state, state))).toBe(true);
  });

  test('each transition succeeds over HTTP; any other is 409 and changes nothing', async () => {
    const { data } = await createProduct(catalog, { state: 'preparing' });
    const shortcut = await change(data.id, 'running');
    expect([shortcut.status, shortcut.body.status]).toEqual([409, 'product_state_conflict']);
    expect(shortcut.data).toBeNull();
    for (const state of ['validated', 'running', 'suspended', 'running', 'closed', 'cancelled']) {
      expect((await change(data.id, state)).data.state).toBe(state);
    }
    expect((await change(data.id, 'running')).body.status).toBe('product_state_conflict');
  });

  test('the same state again is 200 without effect', async () => {
    const first = await createProduct(catalog);
    const again = await change(first.data.id, 'running');
    expect(again.status).toBe(200);
    expect(again.data).toEqual(first.data);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('a creation accepts preparing, validated or running; the default is preparing', async () => {
    expect((await createProduct(catalog, { state: undefined })).data.state).toBe('preparing');
    expect((await createProduct(catalog, { state: 'validated' })).data.state).toBe('validated');
    const closed = await catalog.call('POST', '/svc/v3/catalog/products', {
      body: { code: 'X', type: 'show', name: { en: 'X' }, state: 'closed' },
    });
    expect([closed.status, closed.body.status]).toEqual([400, 'validation_error']);
  });
});
