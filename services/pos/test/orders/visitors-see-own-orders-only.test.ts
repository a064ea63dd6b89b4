// rule 7: 2: 404 where the resource does not exist | services/pos/src/orders/routes.ts

import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { type Login, openFixture } from '../fixture/fixture.ts';
import { asGuest, asUser, PAID, shopperOf } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());

const { fill, buy } = shopperOf(fixture);

const guestOrder = async () => {
  const { token, cartId } = await fill();
  await buy(token, asGuest(PAID));
  return { token, id: cartId };
};

const userOrder = async (user: Login) => {
  const { token, cartId } = await fill(await fixture.logIn(user));
  await buy(token, asUser(user));
  return { token, id: cartId };
};

const idsOf = async (token: string, query = '') => {
  const { data, headers } = await fixture.call('GET', `/orders${query}`, { token });
  return { ids: Object.keys(data), total: headers.get('x-total-amount'), link: headers.get('link') };
};

describe('own orders', () => {
  test('are those of this session, without a login', async () => {
    const one = await guestOrder();
    const other = await guestOrder();
    expect((await idsOf(one.token)).ids).toEqual([one.id]);
    const foreign = await fixture.call('GET', `/orders/${other.id}`, { token: one.token });
    const unknown = await fixture.call('GET', '/orders/ord_unknown', { token: one.token });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });

  test("are those of the user's contact, from every session", async () => {
    const user = await fixture.user();
    const first = await userOrder(user);
    const second = await userOrder(user);
    expect(new Set((await idsOf(second.token)).ids)).toEqual(new Set([first.id, second.id]));
    const paged = await idsOf(second.token, '?limit=1');
    expect([paged.ids.length, paged.total]).toEqual([1, '2']);
    expect(paged.link).toContain('/tnwr/v1/orders?offset=1&limit=1>; rel="last"');
  });

  test('of a guest stay visible after a login, those of another user do not', async () => {
    const guest = await guestOrder();
    const ann = await fixture.user();
    const token = await fixture.logIn(ann, { token: guest.token });
    expect((await idsOf(token)).ids).toEqual([guest.id]);
    const bob = await fixture.logIn(await fixture.user(), { token });
    expect((await idsOf(bob)).ids).toEqual([]);
  });

  test('are those that the user bought for another contact, from every session, with their tickets', async () => {
    const user = await fixture.user();
    const { token, cartId: id } = await fill(await fixture.logIn(user));
    const bought = await buy(token, asGuest(PAID));
    expect(bought.data.contactNumber).not.toBe(user.contactNumber);
    const own = await userOrder(user);
    for (const later of [token, await fixture.logIn(user)]) {
      expect(new Set((await idsOf(later)).ids)).toEqual(new Set([id, own.id]));
      expect((await fixture.call('GET', `/orders/${id}`, { token: later })).data.id).toBe(id);
      const { data: tickets } = await fixture.call<Record<string, { orderId: string }>>('GET', '/tickets', {
        token: later,
      });
      expect(new Set(Object.values(tickets).map(({ orderId }) => orderId))).toEqual(new Set([id, own.id]));
      const [ticketId] = Object.entries(tickets).find(([, { orderId }]) => orderId === id) ?? [];
      const named = { token: later, body: { beneficiaryFirstName: 'Clara' } };
      expect((await fixture.call('PATCH', `/tickets/${ticketId}`, named)).data.beneficiaryFirstName).toBe('Clara');
    }
    const stranger = await fixture.logIn(await fixture.user());
    expect((await idsOf(stranger)).ids).toEqual([]);
    expect((await fixture.call('GET', `/orders/${id}`, { token: stranger })).status).toBe(404);
    expect((await fixture.call('GET', '/tickets', { token: stranger })).data).toEqual({});
  });

  test('do not include a cart', async () => {
    const { token, cartId } = await fill();
    expect((await idsOf(token)).ids).toEqual([]);
    expect((await fixture.call('GET', `/orders/${cartId}`, { token })).status).toBe(404);
    const cancelled = await fixture.call('POST', `/orders/${cartId}/cancellation`, { token });
    expect(cancelled.status).toBe(404);
  });
});

describe('a cancellation', () => {
  test('returns the order; a second one is 400, and the same key returns the same answer', async () => {
    const { token, id } = await guestOrder();
    const headers = { 'idempotency-key': randomUUID() };
    const cancel = (more = {}) => fixture.call('POST', `/orders/${id}/cancellation`, { token, headers: more });
    const first = await cancel(headers);
    expect([first.status, first.data.state]).toEqual([200, 'cancelled']);
    expect((await cancel(headers)).text).toBe(first.text);
    const again = await cancel();
    expect([again.status, again.code]).toEqual([400, 'order_not_cancellable']);
    expect(JSON.stringify(first.data)).not.toContain('barcode.');
  });

  test("of another visitor's order is 404", async () => {
    const { id } = await guestOrder();
    const { token } = await guestOrder();
    expect((await fixture.call('POST', `/orders/${id}/cancellation`, { token })).status).toBe(404);
    expect(fixture.orders.orders.get(id)?.state).toBe('confirmed');
  });
});
