import { beforeAll, expect, test } from '@jest/globals';
import {
  addInstitution,
  addPointOfSale,
  buildPerformanceBody,
  createProduct,
  createStalls,
  createTariff,
  describeOnEachEngine,
  type Page,
  type Performance,
  type Product,
} from '../fixture/service.ts';

const BASE = '/svc/v3/catalog';
const VARY = 'Authorization, X-API-Key, Origin';

interface PublicAnswer {
  readonly products: Product[];
  readonly tariffs: { readonly id: string }[];
  readonly removed: string[];
  readonly asOf: string;
}

describeOnEachEngine('public access', (catalog) => {
  let full: { readonly id: string };
  let member: { readonly id: string };
  let unsold: { readonly id: string };
  let running: Product;
  let suspended: Product;
  let closedPerformance: string;
  let host: string;

  const anybody = <Data>(path: string, headers = {}) =>
    catalog.call<Data>('GET', `${BASE}${path}`, { isPublic: true, headers });
  const partner = <Data>(path: string, headers = {}) => catalog.call<Data>('GET', `${BASE}${path}`, { headers });
  const change = async (path: string, body: object) => {
    const { status } = await catalog.call('PATCH', `${BASE}${path}`, { body });
    expect(status).toBe(200);
  };

  const newProduct = async (more: object = {}): Promise<Product> => {
    const body = buildPerformanceBody(full.id, [createStalls(40, [20, 20])], {
      prices: [full, member, unsold].map(({ id }, index) => ({
        seatCategory: 'STALLS',
        tariffId: id,
        amount: 3_000 - index * 1_000,
      })),
    });
    const { data } = await createProduct(catalog, { performances: [body, body], ...more });
    return data;
  };

  beforeAll(async () => {
    full = await createTariff(catalog);
    member = await createTariff(catalog, { criterion: 'member' });
    unsold = await createTariff(catalog);
    host = await addPointOfSale(catalog, { tariffIds: [full.id, member.id] });
    running = await newProduct();
    suspended = await newProduct();
    await change(`/products/${suspended.id}`, { state: 'suspended' });
    await newProduct({ state: 'preparing' });
    closedPerformance = String(running.performances[1]?.id);
    await change(`/performances/${closedPerformance}`, { state: 'closed' });
  });
  test('shows running products with open performances at tariffs for everybody that are sold somewhere', async () => {
    const { status, data, headers } = await anybody<PublicAnswer>('');
    expect(status).toBe(200);
    expect(headers.get('vary')).toBe(`Accept-Encoding, ${VARY}`);
    expect(data.products.map(({ id }) => id)).toEqual([running.id]);
    expect(data.tariffs.map(({ id }) => id)).toEqual([full.id]);
    const [product] = data.products;
    expect(product?.priceFrom).toBe(3_000);
    expect(product?.performances.map(({ id }) => id)).toEqual([running.performances[0]?.id]);
    expect(product?.performances[0]?.prices.map(({ tariffId }) => tariffId)).toEqual([full.id]);
    expect(Object.keys(product?.performances[0]?.seatCategories[0] ?? {}).toSorted()).toEqual([
      'code',
      'id',
      'name',
      'numbered',
    ]);
    expect((await anybody(`/products/${running.id}`)).data).toEqual(product);
    expect((await anybody<Page<Product>>('/products')).data.items).toEqual(data.products);
    const { data: performances } = await anybody<Page<unknown>>(`/products/${running.id}/performances`);
    expect(performances.items).toEqual(product?.performances);
    expect((await anybody(`/performances/${running.performances[0]?.id}`)).data).toEqual(product?.performances[0]);
  });

  test('answers like an unknown id what it does not show, and an empty list to a filter', async () => {
    const unknown = await anybody('/products/prd_unknown');
    for (const path of [
      `/products/${suspended.id}`,
      `/products/${suspended.id}/performances`,
      `/performances/${closedPerformance}`,
      `/performances/${closedPerformance}/availability`,
      `/performances/${suspended.performances[0]?.id}`,
      `/performances/${suspended.performances[0]?.id}/availability`,
    ]) {
      const { status, text } = await anybody(path);
      expect([path, status, text]).toEqual([path, 404, unknown.text]);
    }
    const { data } = await anybody<Page<Product>>('/products?state=suspended');
    expect([data.items, data.nextCursor]).toEqual([[], null]);
    expect((await partner<Page<Product>>('/products?state=suspended')).data.items).toHaveLength(1);
  });

  test('shows levels of availability and no numbers', async () => {
    const id = running.performances[0]?.id;
    const { data, headers } = await anybody(`/performances/${id}/availability`);
    expect(data).toEqual({
      performanceId: id,
      asOf: expect.any(String),
      availability: 'available',
      seatCategories: [{ id: expect.any(String), code: 'STALLS', availability: 'available' }],
    });
    expect(headers.get('vary')).toBe(VARY);
  });

  test('may be answered by the gateway for a second; what a token reads may not', async () => {
    const shared = async (read: typeof anybody, path: string) => (await read(path)).headers.get('x-internal-keep');
    for (const path of ['', '/products', `/performances/${running.performances[0]?.id}/availability`])
      expect([await shared(anybody, path), await shared(partner, path)]).toEqual(['1000', null]);
    expect(await shared(anybody, '/products/none')).toBeNull();
  });

  test('lists public performances of all products and their levels of availability, and nothing else', async () => {
    const shown = String(running.performances[0]?.id);
    const idsIn = ({ data }: { readonly data: Page<{ readonly id: string }> }) => data.items.map(({ id }) => id);
    const listed = await anybody<Page<Performance>>('/performances');
    expect(idsIn(listed)).toEqual([shown]);
    expect(listed.data.items).toEqual([(await anybody(`/performances/${shown}`)).data]);
    expect(listed.headers.get('vary')).toBe(VARY);
    for (const query of [
      `productId=${suspended.id}`,
      'state=closed',
      'from=2031-05-02T00:00:00Z',
      'to=2031-05-01T00:00:00Z',
    ])
      expect([query, idsIn(await anybody(`/performances?${query}`))]).toEqual([query, []]);
    const all = [running, suspended].flatMap(({ performances }) => performances.map(({ id }) => id));
    expect(idsIn(await partner('/performances')).toSorted()).toEqual(expect.arrayContaining(all.toSorted()));

    const path = `/availability?performanceIds=${[...all, 'prf_unknown'].join(',')}`;
    const { data, headers } = await anybody<{ items: unknown[] }>(path);
    const { asOf: _, ...alone } = (await anybody<{ asOf: string }>(`/performances/${shown}/availability`)).data;
    expect(data.items).toEqual([{ ...alone, asOf: expect.any(String) }]);
    const known = await anybody(path, { 'if-none-match': String(headers.get('etag')) });
    expect([known.status, headers.get('vary')]).toEqual([304, VARY]);
    for (const { id } of [suspended, running]) {
      const { items } = (await anybody<{ items: unknown[] }>(`/availability?productId=${id}`)).data;
      expect(items).toHaveLength(id === running.id ? 1 : 0);
    }
  });

  test('finds no product by the start of a performance that it does not show', async () => {
    await change(`/performances/${closedPerformance}`, { startDate: '2032-01-01T18:00:00Z' });
    const query = '/products?from=2031-12-01T00:00:00Z';
    expect((await anybody<Page<Product>>(query)).data.items).toEqual([]);
    expect((await partner<Page<Product>>(query)).data.items.map(({ id }) => id)).toEqual([running.id]);
  });

  test('has ETags of its own, which change with public data only', async () => {
    const path = `/products/${running.id}`;
    const [mine, theirs] = [await anybody(path), await partner(path)];
    const [etag, other] = [String(mine.headers.get('etag')), String(theirs.headers.get('etag'))];
    expect(etag).not.toBe(other);
    expect((await anybody(path, { 'if-none-match': other })).status).toBe(200);
    expect((await partner(path, { 'if-none-match': etag })).status).toBe(200);
    await change(`/performances/${closedPerformance}`, { durationMinutes: 90 });
    expect((await partner(path)).headers.get('etag')).not.toBe(other);
    const known = await anybody(path, { 'if-none-match': etag });
    expect([known.status, known.headers.get('vary')]).toEqual([304, VARY]);
    const list = await anybody('/products');
    const again = await anybody('/products', { 'if-none-match': String(list.headers.get('etag')) });
    expect(again.status).toBe(304);
    expect((await partner('/products')).headers.get('vary')).toBe(VARY);
  });

  test('lists in `removed` what it does not show any more, also suspended products', async () => {
    const product = await newProduct();
    const { data } = await anybody<PublicAnswer>('');
    await change(`/products/${product.id}`, { state: 'suspended' });
    const since = encodeURIComponent(data.asOf);
    const { data: later } = await anybody<PublicAnswer>(`?modifiedSince=${since}`);
    expect(later.removed).toContain(product.id);
    expect((await partner<PublicAnswer>(`?modifiedSince=${since}`)).data.removed).not.toContain(product.id);
  });

  test('follows the tariffs that points of sale sell, also for a client that synchronises', async () => {
    const { data: before } = await anybody<PublicAnswer>('');
    const since = encodeURIComponent(new Date().toISOString());
    await change(`/points-of-sale/${host}`, { tariffIds: [full.id, member.id, unsold.id] });
    const prices = (answer: PublicAnswer) =>
      answer.products.find(({ id }) => id === running.id)?.performances[0]?.prices.map(({ tariffId }) => tariffId);
    expect(prices(before)).toEqual([full.id]);
    for (const query of ['', `?modifiedSince=${since}`]) {
      expect(prices((await anybody<PublicAnswer>(query)).data)).toEqual([full.id, unsold.id]);
    }
    const listed = await anybody<Page<Product>>(`/products?modifiedSince=${since}`);
    expect(listed.data.items.map(({ id }) => id)).toContain(running.id);
  });

  test('is no access to any other operation', async () => {
    for (const path of [
      '/tariffs',
      `/tariffs/${full.id}`,
      '/points-of-sale',
      `/performances/${closedPerformance}/places`,
    ]) {
      expect([path, (await anybody(path)).status]).toEqual([path, 403]);
    }
    const { status } = await catalog.call('PATCH', `${BASE}/products/${running.id}`, {
      isPublic: true,
      body: { name: { en: 'Mine' } },
    });
    expect(status).toBe(403);
  });

  test('of another institution shows none of it', async () => {
    const other = await addInstitution(catalog.store);
    const path = `${BASE}/products/${running.id}`;
    expect((await catalog.call('GET', path, { institution: other, isPublic: true })).status).toBe(404);
  });

  test('shows a customer the same as anybody', async () => {
    const user = { id: 'usr_1', role: 'customer', contact: 'C1', pointsOfSale: [] } as const;
    for (const path of ['', '/products', `/products/${running.id}`]) {
      const signedIn = await catalog.call<object>('GET', `${BASE}${path}`, { user });
      const untimed = (data: object) => ({ ...data, generatedAt: null, asOf: null });
      expect(untimed(signedIn.data)).toEqual(untimed((await anybody<object>(path)).data));
    }
    for (const path of ['/tariffs', `/performances/${running.performances[0]?.id}/places`]) {
      const { status } = await catalog.call('GET', `${BASE}${path}`, { user });
      expect([path, status]).toEqual([path, 403]);
    }
  });
});
