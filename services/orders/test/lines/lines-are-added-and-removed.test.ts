import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { newOrder, read } from '../fixture/orders.ts';

describe.each(engines)('lines are added and removed, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const add = (path: string, items: readonly object[], call: object = {}) =>
    fixture.call('POST', `${path}/lines`, { body: { items }, ...call });

  test('added places are held as long as the others, and a removed one is released', async () => {
    const { path, order, hall } = await newOrder(fixture);
    const other = fixture.catalog.hall(2);
    const more = await add(path, [other.item(2)]);
    expect(more).toMatchObject({ status: 201, data: { total: 4_000, due: 4_000 } });
    expect(more.headers.get('location')).toBe(`/svc/v3/orders${path}`);
    expect(new Set(fixture.catalog.placesOf(order.id).map((place) => place.until)).size).toBe(1);
    const line = more.data.lines[0]?.id;
    const less = await fixture.call('DELETE', `${path}/lines/${line}`);
    expect(less).toMatchObject({ status: 200, data: { total: 3_000 } });
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 1, sold: 0 });
    expect((await fixture.call('DELETE', `${path}/lines/${line}`)).status).toBe(404);
  });

  test('an addition holds all its places or none, and a refusal leaves the order unchanged', async () => {
    const { path } = await newOrder(fixture);
    const [small, other] = [fixture.catalog.hall(1), fixture.catalog.hall(1, { currency: 'EUR' })];
    expect((await add(path, [small.item(2)])).code).toBe('order_places_unavailable');
    expect(await add(path, [other.item()])).toMatchObject({ status: 422, code: 'validation_error' });
    expect([fixture.catalog.count(small).free, fixture.catalog.count(other).free]).toEqual([1, 1]);
  });

  test('an addition whose answer from the catalog was lost is completed by its repeat', async () => {
    const { path } = await newOrder(fixture);
    const small = fixture.catalog.hall(1);
    const key = randomUUID();
    fixture.catalog.mishaps.set('holdPlaces', 'lost');
    expect((await add(path, [small.item()], { key })).status).toBe(503);
    fixture.catalog.mishaps.clear();
    expect((await read(fixture, path)).lines).toHaveLength(2);
    expect(fixture.catalog.count(small)).toEqual({ free: 0, held: 1, sold: 0 });
    expect((await add(path, [small.item()], { key })).status).toBe(201);
    expect((await read(fixture, path)).lines).toHaveLength(3);
  });

  test('one answer names a wrong quantity and an unknown item', async () => {
    const { path } = await newOrder(fixture);
    const [hall, foreign] = [fixture.catalog.hall(2), fixture.catalog.hall(1, { institution: 'museum' })];
    const answer = await add(path, [foreign.item(), hall.item(1, hall.placeIds)]);
    expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
    expect(answer.details).toMatch(/^\$\.items\[1\]\.quantity .*; planted: invalid_reference/);
  });

  test('lines change only while the order is open or reserved', async () => {
    const { path, order, hall } = await newOrder(fixture);
    await fixture.call('POST', `${path}/reservation`, { body: { dueAt: '2099-01-01T00:00:00Z' } });
    expect((await add(path, [hall.item()])).status).toBe(201);
    await fixture.call('POST', `${path}/confirmation`, { body: { onAccount: true } });
    expect((await add(path, [hall.item()])).status).toBe(412);
    expect((await fixture.call('DELETE', `${path}/lines/${order.lines[0]?.id}`)).status).toBe(412);
    expect((await fixture.call('DELETE', '/ord_unknown/lines/lin_1')).status).toBe(404);
  });

  test('an order without lines cannot be confirmed', async () => {
    const { path, order } = await newOrder(fixture, 1);
    expect((await fixture.call('DELETE', `${path}/lines/${order.lines[0]?.id}`)).data.lines).toEqual([]);
    expect((await fixture.call('POST', `${path}/confirmation`, { body: { onAccount: true } })).status).toBe(412);
    expect((await fixture.call('POST', `${path}/extension`, { body: { minutes: 20 } })).status).toBe(200);
    expect(await fixture.call('POST', `${path}/cancellation`)).toMatchObject({
      data: { cancellation: { placesReleased: 0, settledAt: expect.any(String) } },
    });
  });

  test('a repeated request adds nothing, another request does', async () => {
    const { path, hall } = await newOrder(fixture);
    const key = randomUUID();
    const first = await add(path, [hall.item()], { key });
    expect((await add(path, [hall.item()], { key })).text).toBe(first.text);
    expect((await add(path, [hall.item()], { key: randomUUID() })).data.lines).toHaveLength(4);
  });

  test('a line is removed while the catalog is down, and its place is released later', async () => {
    const { path, order, hall } = await newOrder(fixture);
    fixture.catalog.mishaps.set('releaseHold', 'fails');
    const less = await fixture.call('DELETE', `${path}/lines/${order.lines[0]?.id}`);
    expect(less).toMatchObject({ status: 200, data: { total: 1_000 } });
    expect(fixture.catalog.count(hall).held).toBe(2);
    fixture.catalog.mishaps.clear();
    await fixture.later();
    expect((await fixture.call('POST', `${path}/confirmation`, { body: { onAccount: true } })).status).toBe(200);
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 1 });
  });
});
