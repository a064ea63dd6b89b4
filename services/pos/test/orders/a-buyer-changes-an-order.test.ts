// rule commerce.5: Family B (vexp), own orders, by session or by that order's `X-Order-Link` | services/pos/src/orders/change-routes.ts
// rule commerce.5: `override`, `waiveFees`, `refund` are unknown members | services/pos/src/orders/changes.ts
import { useFixture } from '@boxoffice/service/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Reason } from '../../src/clients/orders.ts';
import { type Call, openFixture } from '../fixture/fixture.ts';
import { createLinkRequests } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const { buy, tokenOf } = createLinkRequests(fixture);

interface Change {
  readonly id: string;
  readonly state: string;
  readonly due: number;
  readonly payment: { readonly url: string | null; readonly state: string } | null;
}
interface Changed {
  readonly id: string;
  readonly items: Readonly<Record<string, { readonly replaces: string | null }>>;
  readonly formerLines: readonly { readonly id: string; readonly changeId: string }[];
  readonly change: string | null;
  readonly changes: Readonly<Record<string, Change>>;
}

const send = <Data = Change>(method: string, path: string, call: Call = {}) =>
  fixture.call<Data>(method, path, { version: 'vexp', ...call });
const read = async ({ id, token }: { id: string; token: string }) =>
  (await send<Changed>('GET', `/orders/${id}`, { token })).data;

/** A bought order of so many places, with the ids of its items. */
const bought = async (quantity = 2) => {
  const order = await buy(quantity);
  const items = Object.keys((await read(order)).items);
  const { performanceId, seatCategoryId } = fixture.catalog.show();
  const instead = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const returns = [{ lineId: items[0] }];
  const exchanges = [{ lineId: items[0], ...instead }];
  const change = (body: object, call: Call = { token: order.token }) =>
    send('POST', `/orders/${order.id}/changes`, { ...call, body });
  return { ...order, items, returns, exchanges, change };
};

/** One that waits for its payment on a page. */
const waiting = async () => {
  const order = await bought();
  const { data } = await order.change({ exchanges: order.exchanges, difference: 1_000, paymentMethod: 'stripe' });
  return { ...order, made: data };
};

beforeEach(() => {
  fixture.orders.mishaps.clear();
});

describe('a quote', () => {
  test('says what a change costs, and holds nothing', async () => {
    const { id, token, exchanges, returns } = await bought();
    const quote = (body: object) => send('POST', `/orders/${id}/changes/quotes`, { token, body });
    expect((await quote({ returns })).data).toMatchObject({
      ...{ available: true, difference: -4_000, fee: 500, due: 0, credit: 4_000, lines: [], refusals: [] },
    });
    const { data } = await quote({ exchanges });
    expect(data).toMatchObject({ difference: 1_000, due: 1_000, lines: [{ ...exchanges[0], amount: 4_500 }] });
    expect((await read({ id, token })).change).toBeNull();
  });

  test('names to orders each performance that is over, as does the change, and opens no page for one', async () => {
    const { id, token, exchanges, change } = await bought();
    const { performanceId, seatCategoryId } = fixture.catalog.show({ startDate: '2020-01-01T00:00:00.000Z' });
    const wanted = [{ ...exchanges[0], performanceId, seatCategoryId }];
    const quoted = await send('POST', `/orders/${id}/changes/quotes`, { token, body: { exchanges: wanted } });
    expect(quoted.data).toMatchObject({ available: false, refusals: [{ status: 'order_not_on_sale' }] });
    const refused = await change({ exchanges: wanted, difference: 1_000, paymentMethod: 'stripe' });
    expect([refused.status, refused.code]).toEqual([400, 'order_not_on_sale']);
    expect(fixture.payments.of(id)).toEqual([]);
  });

  test('says of a line that is not there, with the code of the change, that it is not there', async () => {
    const { id, token } = await bought();
    const body = { returns: [{ lineId: 'lin_of_somebody_else' }] };
    const { status, data } = await send('POST', `/orders/${id}/changes/quotes`, { token, body });
    expect([status, data]).toMatchObject([
      200,
      {
        available: false,
        difference: null,
        lines: null,
        refusals: [{ lineId: 'lin_of_somebody_else', status: 'invalid_reference' }],
      },
    ]);
  });
});

describe('a change', () => {
  test('is done when it answers where nothing is due; what has left the order is shown as such', async () => {
    const order = await bought();
    const { status, headers, data } = await order.change({ returns: order.returns, difference: -4_000 });
    expect([status, headers.get('location'), data.state, data.payment]).toEqual([
      ...[201, `/tnwr/vexp/orders/${order.id}`, 'done', null],
    ]);
    const now = await read(order);
    expect(Object.keys(now.items)).toEqual(order.items.slice(1));
    expect(now.formerLines).toMatchObject([{ id: order.items[0], changeId: data.id }]);
    expect([now.change, Object.keys(now.changes)]).toEqual([null, [data.id]]);
  });

  test('that costs something names how it is paid, and is done once it is', async () => {
    const { exchanges, change, items, ...order } = await bought();
    const unpaid = await change({ exchanges, difference: 1_000 });
    expect([unpaid.status, unpaid.code]).toEqual([400, 'bad_request']);
    const { data } = await change({ exchanges, difference: 1_000, paymentMethod: 'simulated', paymentToken: 'ok' });
    expect(data.state).toBe('done');
    const { items: now } = await read(order);
    expect(Object.values(now).map(({ replaces }) => replaces)).toEqual([null, items[0]]);
  });

  test("waits for its payment on the provider's page, which asks for what is due; the order stays", async () => {
    const { made, items, id, token } = await waiting();
    const [page] = fixture.payments.of(id).slice(-1);
    expect([made.state, made.payment?.url, page?.amount]).toEqual(['pending', page?.url, 1_000]);
    const before = await read({ id, token });
    expect([before.change, Object.keys(before.items)]).toEqual([made.id, items]);
    fixture.payments.settle(id, 'captured');
    const after = await read({ id, token });
    expect([after.change, after.changes[made.id]?.state, after.formerLines.length]).toEqual([null, 'done', 1]);
  });

  test('whose page is over is paid on another one, also by the link', async () => {
    const { made, ...order } = await waiting();
    fixture.payments.settle(order.id, 'expired');
    expect((await read(order)).changes[made.id]?.payment).toMatchObject({ state: 'expired', url: null });
    const headers = { 'x-order-link': await tokenOf(order) };
    const body = { paymentMethod: 'stripe' };
    const again = await send<Changed>('POST', `/orders/${order.id}/payments`, { headers, body });
    const [page] = fixture.payments.of(order.id).slice(-1);
    expect([again.status, again.data.changes[made.id]?.payment?.url]).toEqual([201, page?.url]);
  });

  test('that waits is ended, once; another one then goes on', async () => {
    const { made, id, token, change, returns } = await waiting();
    const second = await change({ returns, difference: -4_000 });
    expect([second.status, second.code]).toEqual([400, 'change_in_progress']);
    const end = (changeId: string) => send('DELETE', `/orders/${id}/changes/${changeId}`, { token });
    expect((await end(made.id)).data).toMatchObject({ id: made.id, state: 'lapsed' });
    expect([(await end(made.id)).code, (await end('chg_unknown')).code]).toEqual(['order_not_changeable', 'not_found']);
    expect((await change({ returns, difference: -4_000 })).data.state).toBe('done');
  });

  test('that comes second is told so, also where no page is opened for it', async () => {
    const { exchanges, change } = await bought();
    const body = { exchanges, difference: 1_000, paymentMethod: 'stripe' };
    fixture.payments.before.set('openPage', async () => {
      fixture.payments.before.clear();
      expect((await change(body)).data.state).toBe('pending');
      fixture.payments.refuseNext('unavailable');
    });
    const second = await change(body);
    expect([second.status, second.code]).toEqual([400, 'change_in_progress']);
  });

  test('is the same for a repeat under its key, whose page is opened once', async () => {
    const { exchanges, change, ...order } = await bought();
    const call = { token: order.token, headers: { 'idempotency-key': 'once' } };
    const body = { exchanges, difference: 1_000, paymentMethod: 'stripe' };
    const [one, other] = [await change(body, call), await change(body, call)];
    expect([other.text, fixture.payments.of(order.id).length]).toEqual([one.text, 1]);
  });

  test('keeps the page on which it waits where another attempt of the request is refused', async () => {
    const { exchanges, change, id, token } = await bought();
    const call = { token, headers: { 'idempotency-key': 'at-once' } };
    const body = { exchanges, difference: 1_000, paymentMethod: 'stripe' };
    const both = Promise.withResolvers<void>();
    let calls = 0;
    fixture.orders.before.set('changeShopOrder', async () => {
      calls += 1;
      if (calls === 1) return both.promise;
      both.resolve();
      await Promise.race(replies);
      fixture.orders.refuseNext('busy');
    });
    const replies = [change(body, call), change(body, call)];
    const states = (await Promise.all(replies)).map(({ data }) => data.state);
    fixture.orders.before.clear();
    expect(states).toEqual(['pending', 'pending']);
    expect(fixture.payments.of(id).map(({ state }) => state)).toEqual(['pending']);
  });

  test.each<[Reason, number, string]>([
    ['not_changeable', 400, 'order_not_changeable'],
    ['difference_changed', 400, 'change_difference_changed'],
    ['change_in_progress', 400, 'change_in_progress'],
    ['places_unavailable', 400, 'order_places_unavailable'],
    ['not_on_sale', 400, 'order_not_on_sale'],
    ['payment_declined', 400, 'payment_declined'],
    ['invalid_reference', 400, 'invalid_reference'],
    ['tariff_not_accessible', 403, 'tariff_not_accessible'],
    ['cart_gone', 400, 'order_not_changeable'],
  ])('that orders refuses by %s is %d %s, and leaves no page that could be paid', async (reason, status, code) => {
    const { exchanges, change, id } = await bought();
    fixture.orders.refuseNext(reason);
    const refused = await change({ exchanges, difference: 1_000, paymentMethod: 'stripe' });
    expect([refused.status, refused.code]).toEqual([status, code]);
    expect(fixture.payments.of(id).filter(({ state }) => state === 'pending')).toEqual([]);
  });

  test('has no members of the institution, and names each line once', async () => {
    const { returns, exchanges, change } = await bought();
    const wrong = [
      { override: true },
      { waiveFees: true },
      { refund: { method: 'cash' } },
      { exchanges },
      { returns: [] },
      { difference: 1e21 },
    ];
    for (const more of wrong)
      expect([more, (await change({ returns, difference: -4_000, ...more })).code]).toEqual([more, 'validation_error']);
  });
});

describe('who has the link', () => {
  test('changes its order without a session, and no other one', async () => {
    const [own, other] = [await bought(), await bought()];
    const headers = { 'x-order-link': await tokenOf(own) };
    const body = { returns: own.returns, difference: -4_000 };
    expect((await own.change(body, { headers })).data.state).toBe('done');
    const keyed = { headers: { ...headers, 'idempotency-key': 'once' } };
    const exchanges = [{ ...own.exchanges[0], lineId: own.items[1] }];
    const paid = { exchanges, difference: 1_000, paymentMethod: 'simulated', paymentToken: 'ok' };
    const [one, repeat] = [await own.change(paid, keyed), await own.change(paid, keyed)];
    expect([one.data.state, repeat.data]).toEqual(['done', one.data]);
    const foreign = await other.change({ returns: other.returns, difference: -4_000 }, { headers });
    expect([foreign.status, foreign.code]).toEqual([404, 'not_found']);
    expect((await own.change(body, {})).code).toBe('session_required');
  });
});
