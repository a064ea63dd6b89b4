import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { newPointOfSale } from '../../src/points-of-sale/schemas.ts';
import { availabilityOf, code, newShow, newTariff, performanceBody, productBody, stalls } from '../fixture/data.ts';
import { describeOnEachEngine, type Instance } from '../fixture/service.ts';

const CATALOG = '/svc/v3/catalog';

describeOnEachEngine('of eight requests with one key at two instances', (fixture) => {
  let other: Instance;
  beforeAll(async () => {
    other = await fixture.another();
  });

  const send = async (method: 'POST' | 'PATCH', path: string, body?: object) => {
    const read = method === 'PATCH' ? await fixture.call('GET', `${CATALOG}${path}`) : undefined;
    const condition: Record<string, string> = read ? { 'if-match': read.headers.get('etag') ?? '' } : {};
    return sendEightAtOnce([fixture, other], (on: Instance, key) =>
      on.call<{ id: string }>(method, `${CATALOG}${path}`, { body, headers: { 'idempotency-key': key, ...condition } }),
    );
  };
  const listed = async (path: string): Promise<readonly unknown[]> =>
    (await fixture.call<{ items: unknown[] }>('GET', `${CATALOG}${path}`)).data.items;

  test('a tariff, a product with a performance, and a further performance are made once', async () => {
    const before = (await listed('/tariffs?limit=200')).length;
    const { data: tariff } = await send('POST', '/tariffs', { code: code(), name: { en: 'Full' } });
    expect((await listed('/tariffs?limit=200')).length).toBe(before + 1);
    const performance = performanceBody(tariff.id, [stalls(20)]);
    const product = productBody({ performances: [performance] });
    const made = await send('POST', '/products', product);
    expect([made.status, (await listed(`/products?code=${product.code}`)).length]).toEqual([201, 1]);
    const more = await send('POST', `/products/${made.data.id}/performances`, performance);
    expect(more.status).toBe(201);
    expect(await listed(`/products/${made.data.id}/performances`)).toHaveLength(2);
  });

  test('a change of a product, a tariff or a performance is made once', async () => {
    const show = await newShow(fixture, stalls(10));
    const tariff = await newTariff(fixture);
    expect((await send('PATCH', `/tariffs/${tariff.id}`, { name: { en: 'Reduced' } })).status).toBe(200);
    expect((await send('PATCH', `/products/${show.product.id}`, { name: { en: 'Another' } })).status).toBe(200);
    const { id } = show.performance;
    const seatCategories = [{ id: show.categoryId, capacity: 12 }];
    expect((await send('PATCH', `/performances/${id}`, { seatCategories })).status).toBe(200);
    expect(await availabilityOf(fixture, show)).toMatchObject({ free: 12 });
    expect((await send('PATCH', `/products/${show.product.id}`, { state: 'cancelled' })).status).toBe(200);
  });

  test('a point of sale is made once', async () => {
    const serviceHost = `${code()}.example`;
    const reply = await send('POST', '/points-of-sale', { ...newPointOfSale, tariffIds: [], serviceHost });
    expect(reply.status).toBe(201);
  });

  test('a refusal is the same for all', async () => {
    const product = productBody();
    expect((await send('POST', '/products', product)).status).toBe(201);
    expect((await send('POST', '/products', product)).body.status).toBe('product_duplicate_code');
  });
});
