// rule commerce.2: Money that came is always recordable | services/orders/src/payments/payments.ts
import { randomUUID } from 'node:crypto';
import { startCompletion } from '@boxoffice/service';
import { describe, expect, test } from '@jest/globals';
import { ORDERS_OF_0_3, type OrderDocument, ordersCollection } from '../../src/store.ts';
import { describeOnEachEngine, type Order, waitUntil } from '../fixture/fixture.ts';
import { createExpiredOrder, createOrderInHall, pay, read } from '../fixture/orders.ts';

interface Refund {
  readonly id: string;
  readonly state: string;
  readonly goodwill: number;
}

describeOnEachEngine("an order's money", (fixture) => {
  const overpay = (path: string, more: object = {}, call: object = {}) =>
    pay(fixture, path, { overpaid: true, ...more }, call);
  const refund = (path: string, amount: number) =>
    fixture.call<Refund>('POST', `${path}/refunds`, { body: { amount, method: 'cash' } });
  const cancel = (path: string) => fixture.call('POST', `${path}/cancellation`, { body: {} });

  describe('captured money beyond what is due is recorded with `overpaid`', () => {
    test('only with the scope, then only captured', async () => {
      const { path } = await createOrderInHall(fixture);
      const scopes = ['orders:read', 'orders:write', 'payments:write'];
      expect(await overpay(path, { status: 'pending' }, { scopes })).toMatchObject({ status: 403, code: 'forbidden' });
      expect(await overpay(path, { status: 'pending' })).toMatchObject({ status: 422, code: 'validation_error' });
      expect((await pay(fixture, path, { overpaid: false, amount: 10 }, { scopes })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ paid: 10, credit: 0 });
    });

    test('of an open order it confirms, and what is beyond the total is credit', async () => {
      const { path } = await createOrderInHall(fixture);
      expect((await pay(fixture, path, { amount: 2_500 })).code).toBe('payment_exceeds_due');
      const { status, data } = await overpay(path, { amount: 2_500 });
      expect([status, data.amount]).toEqual([201, 2_500]);
      const confirmed = { state: 'confirmed', paid: 2_500, due: 0, credit: 500, goodwill: 0, refunded: 0 };
      expect(await read(fixture, path)).toMatchObject(confirmed);
    });

    test('of a confirmed and of a cancelled order all of it is credit, once per key', async () => {
      const { path } = await createOrderInHall(fixture);
      await pay(fixture, path);
      const key = randomUUID();
      for (let turn = 0; turn < 2; turn += 1) expect((await overpay(path, { amount: 300 }, { key })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_300, credit: 300, due: 0 });
      await cancel(path);
      expect(await read(fixture, path)).toMatchObject({ state: 'cancelled', credit: 2_300 });
      expect((await overpay(path, { amount: 1 })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ state: 'cancelled', paid: 2_301, credit: 2_301, due: 0 });
    });

    test('of an expired order it is a late payment first, that confirms if nothing is due and places are free', async () => {
      const { path } = await createExpiredOrder(fixture);
      expect((await overpay(path, { amount: 500 })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ state: 'expired', credit: 500, due: 1_500 });
      expect((await overpay(path, { amount: 1_700 })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_200, credit: 200, due: 0 });
    });

    test('else credit and 201, also the second time', async () => {
      const { path, hall } = await createExpiredOrder(fixture);
      for (const id of hall.placeIds) fixture.catalog.steal(id);
      const key = randomUUID();
      const first = await overpay(path, {}, { key });
      expect([first.status, (await overpay(path, {}, { key })).data]).toEqual([201, first.data]);
      expect(await read(fixture, path)).toMatchObject({ state: 'expired', paid: 2_000, credit: 2_000, due: 0 });
    });

    test('while the catalog does not answer the sale stays due: the money is there once', async () => {
      const { path } = await createOrderInHall(fixture);
      fixture.catalog.mishaps.set('sellHold', 'fails');
      const key = randomUUID();
      expect((await overpay(path, { amount: 2_100 }, { key })).status).toBe(503);
      fixture.catalog.mishaps.clear();
      expect((await overpay(path, { amount: 2_100 }, { key })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_100, credit: 100 });
    });
  });

  describe('a refund of a confirmed order', () => {
    test('gives back credit first; what is beyond it is goodwill where nothing was due', async () => {
      const { path } = await createOrderInHall(fixture);
      await overpay(path, { amount: 2_300 });
      expect((await refund(path, 100)).data).toMatchObject({ state: 'done', goodwill: 0 });
      expect((await refund(path, 500)).data).toMatchObject({ state: 'done', goodwill: 300 });
      const given = { paid: 2_300, refunded: 600, goodwill: 300, credit: 0, due: 0, paymentStatus: 'paid' };
      expect(await read(fixture, path)).toMatchObject({ ...given, refundStatus: 'partial' });
      expect((await overpay(path, { amount: 50 })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ credit: 50, goodwill: 300 });
    });

    test('is due again where something was due', async () => {
      const { path } = await createOrderInHall(fixture);
      await pay(fixture, path, { amount: 500 });
      await fixture.confirm(path);
      expect((await refund(path, 500)).data).toMatchObject({ goodwill: 0 });
      const owing = { state: 'confirmed', due: 2_000, credit: 0, goodwill: 0, paymentStatus: 'unpaid' };
      expect(await read(fixture, path)).toMatchObject(owing);
      expect((await pay(fixture, path)).status).toBe(201);
    });

    test('that a provider makes counts until it fails, also after it was done, and then takes back what it counted for', async () => {
      const { path, order } = await createOrderInHall(fixture);
      const id = `ref_${order.id}`;
      await pay(fixture, path);
      const orders = fixture.context.orders.of('opera');
      await refund(path, 400);
      await orders.update(order.id, (current) => {
        const [made, ...others] = current.refunds;
        if (!made) throw new Error('there is no refund');
        return { next: { ...current, refunds: [{ ...made, id, provider: 'stripe', status: 'pending' }, ...others] } };
      });
      const report = async (status: string) =>
        (
          await fixture.shop('PUT', `/internal/orders/${order.id}/provider-refunds/${id}`, {
            body: { status, reference: 're_1' },
          })
        ).status;
      const listed = async (state: string) => {
        const { data } = await fixture.call<{ items: Refund[] }>('GET', `/svc/v3/refunds?state=${state}&limit=500`);
        const own = await fixture.call<{ items: Refund[] }>('GET', `${path}/refunds?state=${state}`);
        const of = ({ items }: typeof data) => items.filter((one) => one.id === id);
        expect(of(own.data)).toMatchObject(of(data).map((one) => ({ id, state: one.state })));
        return of(data);
      };
      expect(await listed('pending')).toMatchObject([{ state: 'pending', goodwill: 400 }]);
      expect(await read(fixture, path)).toMatchObject({ refunded: 400, goodwill: 400, due: 0, credit: 0 });
      expect([await report('done'), await report('done')]).toEqual([200, 200]);
      expect([await listed('pending'), await listed('done')]).toMatchObject([[], [{ id, goodwill: 400 }]]);
      expect([await report('failed'), await report('failed')]).toEqual([200, 200]);
      expect(await listed('failed')).toMatchObject([{ id, state: 'failed', goodwill: 0 }]);
      expect(await read(fixture, path)).toMatchObject({ refunded: 0, goodwill: 0, due: 0, credit: 0, paid: 2_000 });
      await waitUntil(() => eventsOf(id).length === 3);
      expect(eventsOf(id).map(({ type, data }) => [type, data.state])).toEqual([
        ['refund.recorded', 'pending'],
        ['refund.changed', 'done'],
        ['refund.changed', 'failed'],
      ]);
    });

    test('that fails where the rest has been paid since confirms the order', async () => {
      const { path, order } = await createOrderInHall(fixture);
      const id = `ref_${order.id}`;
      await pay(fixture, path, { amount: 1_500 });
      await refund(path, 500);
      await fixture.context.orders.of('opera').update(order.id, (current) => {
        const refunds = current.refunds.map((one) => ({
          ...one,
          id,
          provider: 'stripe' as const,
          status: 'done' as const,
        }));
        return { next: { ...current, refunds } };
      });
      await pay(fixture, path, { amount: 500 });
      expect(await read(fixture, path)).toMatchObject({ state: 'open', due: 500 });
      const body = { status: 'failed', reference: null };
      await fixture.shop('PUT', `/internal/orders/${order.id}/provider-refunds/${id}`, { body });
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_000, due: 0, credit: 0 });
    });

    interface Said {
      readonly type: string;
      readonly data: { readonly state: string };
    }

    const eventsOf = (id: string): Said[] =>
      fixture.announced.flatMap(({ data }) => {
        const { event } = data as { event: Said & { resource: { id: string } } };
        return event.resource.id === id ? [event] : [];
      });
  });

  describe('orders that have credit are found', () => {
    interface Page {
      readonly items: Order[];
      readonly nextCursor: string | null;
    }

    /** An institution of its own, with what an order of it is paid and given back. */
    const house = () => {
      const institution = `i${randomUUID()}`;
      const call = { institution };
      const order = async (paid: number, back = 0): Promise<string> => {
        const items = [fixture.catalog.hall(2, { institution }).item(2)];
        const { data } = await fixture.call('POST', '', { ...call, body: { items } });
        await pay(fixture, `/${data.id}`, { amount: paid, overpaid: true }, call);
        const body = { amount: back, method: 'cash' };
        if (back > 0) await fixture.call('POST', `/${data.id}/refunds`, { ...call, body });
        return data.id;
      };
      const find = async (query: string): Promise<string[]> => {
        const found: string[] = [];
        for (let cursor = ''; ; ) {
          const page = await fixture.call<Page>('GET', `?${query}&limit=1${cursor}`, call);
          expect(page.status).toBe(200);
          found.push(...page.data.items.map(({ id }) => id));
          if (page.data.nextCursor === null) return found;
          cursor = `&cursor=${page.data.nextCursor}`;
        }
      };
      return { institution, order, find };
    };

    test('by `credit`, oldest first, page by page, with other conditions, as long as they have some', async () => {
      const { institution, order, find } = house();
      const [over, exact, ended, returned] = [
        await order(2_500),
        await order(2_000),
        await order(2_000),
        await order(2_400, 400),
      ];
      expect(await find('credit=true')).toEqual([over]);
      await fixture.call('POST', `/${ended}/cancellation`, { institution, body: {} });
      expect(await find('credit=true')).toEqual([over, ended]);
      expect(await find('credit=false')).toEqual([exact, returned]);
      expect(await find('credit=true&state=cancelled')).toEqual([ended]);
      expect(await find(`credit=true&performanceId=${randomUUID()}`)).toEqual([]);
      await fixture.call('POST', `/${ended}/refunds`, { institution, body: { amount: 2_000, method: 'cash' } });
      expect(await find('credit=true')).toEqual([over]);
      expect((await fixture.call('GET', '?credit=some', { institution })).status).toBe(400);
    });

    test('also those of release 0.3.0, whose refunds count in order of creation', async () => {
      const { institution, order, find } = house();
      const [over, given, ended] = [await order(2_500), await order(2_600, 900), await order(2_000)];
      await fixture.call('POST', `/${ended}/cancellation`, { institution, body: {} });
      const { upgrade: _, ...stored } = ordersCollection;
      const orders = fixture.store.collection(stored).of(institution);
      for (const id of [over, given, ended])
        await orders.update(id, ({ hasCredit: __, goodwill: ___, refunds, ...known }: OrderDocument) => ({
          next: { ...known, refunds: refunds.map(({ goodwill: ____, ...refund }) => refund) },
        }));
      const seen = async () => (await fixture.call('GET', `/${given}`, { institution })).data;
      expect(await seen()).toMatchObject({ paid: 2_600, refunded: 900, goodwill: 300, credit: 0, due: 0 });
      const warn = (message: string) => expect(message).toBeUndefined();
      const completions = ORDERS_OF_0_3.map((old) => startCompletion(fixture.store, ordersCollection, old, { warn }));
      await waitUntil(async () => (await orders.get(ended))?.hasCredit === true);
      await Promise.all(completions.map((one) => one.close()));
      expect(await find('credit=true')).toEqual([over, ended]);
      const { data } = await fixture.call<{ items: Refund[] }>('GET', `/${given}/refunds`, { institution });
      expect(data.items).toMatchObject([{ state: 'done', goodwill: 300 }]);
    });
  });
});
