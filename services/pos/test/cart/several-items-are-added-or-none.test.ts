import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { type Shown, shopperOf } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const { itemOf, fill } = shopperOf(fixture);

const add = (body: unknown, token?: string, more: object = {}) =>
  fixture.call<Shown>('POST', '/shopping-cart/items', { version: 'vexp', token, body, ...more });

describe('several items at once', () => {
  test('are added by one request to orders, of several performances and tariffs', async () => {
    const [first, second] = [itemOf({ quantity: 2 }), itemOf({ tariffId: fixture.catalog.member.id })];
    const before = fixture.orders.calls.length;
    const { status, data, token } = await add({ items: [first, second] });
    expect([status, Object.keys(data.items).length, typeof token]).toEqual([201, 3, 'string']);
    const [call, ...others] = fixture.orders.calls.slice(before);
    expect([call?.operation, others]).toEqual(['addCartItems', []]);
    expect(call?.body).toMatchObject({ items: [first, second] });
  });

  test('of which one is refused add nothing; the error names it', async () => {
    const { token } = await fill();
    fixture.orders.refuseNext('places_unavailable', 1);
    const refused = await add({ items: [itemOf(), itemOf()] }, token);
    expect([refused.status, refused.code]).toEqual([400, 'cart_places_unavailable']);
    expect(refused.body.errorMessage).toMatch(/^\$\.items\[1\]: Not enough/);
    expect(String(refused.body.errorMessage)).not.toContain('planted');
    const { data } = await fixture.call<Shown>('GET', '/shopping-cart', { token });
    expect(Object.keys(data.items)).toHaveLength(1);
    fixture.orders.refuseNext('places_unavailable');
    expect((await add({ items: [itemOf()] }, token)).body.errorMessage).toMatch(/^Not enough/);
  });

  test('of which one is over, or malformed, are refused before anything is held, and the error names it', async () => {
    const over = fixture.catalog.show({ startDate: '2020-01-01T00:00:00.000Z' });
    const { performanceId, seatCategoryId } = over;
    const before = fixture.orders.calls.length;
    const ended = await add({ items: [itemOf(), itemOf({ performanceId, seatCategoryId })] });
    expect([ended.code, ended.body.errorMessage]).toEqual(['cart_not_on_sale', '$.items[1]: The performance is over.']);
    const malformed = await add({ items: [itemOf(), itemOf({ quantity: 0 })] });
    expect([malformed.status, malformed.code]).toEqual([400, 'validation_error']);
    expect(malformed.body.errorMessage).toContain('$.items[1].quantity');
    for (const body of [{ items: [] }, { items: Array.from({ length: 51 }, () => itemOf()) }])
      expect((await add(body)).status).toBe(400);
    expect(fixture.orders.calls.length).toBe(before);
  });

  test('with a contact need the login of it for each', async () => {
    const user = await fixture.user(['member']);
    const token = await fixture.logIn(user);
    const [own, foreign] = [itemOf({ contactNumber: user.contactNumber }), itemOf({ contactNumber: 'COTHER' })];
    expect((await add({ items: [own, foreign] }, token)).code).toBe('contact_not_accessible');
    expect((await add({ items: [own, itemOf()] }, token)).status).toBe(201);
  });

  test('are added once by requests with one key', async () => {
    const { token } = await fill();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { items: [itemOf(), itemOf()] };
    const first = await add(body, token, { headers });
    const again = await add(body, token, { headers });
    expect([again.text, Object.keys(first.data.items).length]).toEqual([first.text, 3]);
  });

  test('are no body of v1, and one item alone is one of both versions', async () => {
    const body = { items: [itemOf()] };
    expect((await fixture.call('POST', '/shopping-cart/items', { body })).status).toBe(400);
    expect((await add(itemOf())).status).toBe(201);
    expect((await add({})).status).toBe(400);
    expect((await add({ ...itemOf(), items: [itemOf()] })).status).toBe(400);
  });
});
