// rule commerce.5: In between both places are sold, never neither | services/orders/src/saga/change.ts
// rule commerce.5: the caller sends the quote's, so nobody pays what he was not shown | services/orders/src/changes/change.ts

import { type Json, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { must, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const partner = usePartner(product);

const ORDERS = '/svc/v3/orders';
const CATALOG = '/svc/v3/catalog';
const DAY = 86_400_000;

describe('lines of a confirmed order are returned and exchanged', () => {
  let full: string;
  let reduced: string;
  let show: string;
  let tuesday: Json;
  let thursday: Json;

  const create = (path: string, body: object) => must(partner, `${CATALOG}/${path}`, 'POST', body);

  const openPerformance = (days: number) =>
    create(`products/${show}/performances`, {
      ...{ startDate: new Date(Date.now() + days * DAY).toISOString(), durationMinutes: 120 },
      ...{ timeZone: 'Europe/Zurich', venue: { name: 'Grand Théâtre', city: 'Genève' } },
      seatCategories: [{ code: 'stalls', name: { en: 'Stalls' }, numbered: false, capacity: 6 }],
      prices: [
        { seatCategory: 'stalls', tariffId: full, amount: 5_000 },
        { seatCategory: 'stalls', tariffId: reduced, amount: 3_000 },
      ],
      returnPolicy: { returnMinutes: 60, returnFee: { amount: 500 }, exchangeMinutes: 60, exchangeFee: null },
    });

  beforeAll(async () => {
    const taxId = (await create('taxes', { code: 'CHANGES', name: { en: 'VAT' }, rate: '8.1' })).id;
    full = (await create('tariffs', { code: 'CHANGES', name: { en: 'Full price' }, taxId })).id;
    reduced = (await create('tariffs', { code: 'CHANGES-R', name: { en: 'Reduced' } })).id;
    show = (await create('products', { code: 'changes', type: 'show', name: { en: 'Changes' } })).id;
    [tuesday, thursday] = [await openPerformance(40), await openPerformance(42)];
    for (const state of ['validated', 'running'])
      await must(partner, `${CATALOG}/products/${show}`, 'PATCH', { state });
  });

  const toItem = ({ id, seatCategories }: Json, tariffId = full) => ({
    ...{ performanceId: id, seatCategoryId: seatCategories[0].id, tariffId },
  });
  const buy = (...items: readonly object[]) =>
    must(partner, ORDERS, 'POST', { items, confirmation: { onAccount: true } });
  const buyPaid = async (...items: readonly object[]) => {
    const order = await buy(...items);
    const payment = { method: 'card', amount: order.total, status: 'captured' };
    await must(partner, `${ORDERS}/${order.id}/payments`, 'POST', payment);
    return readOrder(order);
  };
  const readOrder = ({ id }: Json) => must(partner, `${ORDERS}/${id}`);
  const quote = ({ id }: Json, body: object) => must(partner, `${ORDERS}/${id}/changes/quotes`, 'POST', body);
  const change = ({ id }: Json, body: object) => partner(`${ORDERS}/${id}/changes`, { method: 'POST', body });
  const readTickets = async ({ id }: Json) =>
    new Map(
      (await must(partner, `/svc/v3/tickets?orderId=${id}`)).items.map((ticket: Json) => [ticket.lineId, ticket]),
    ) as ReadonlyMap<string, Json>;
  const countFree = async ({ id }: Json) =>
    (await must(partner, `${CATALOG}/performances/${id}/availability`)).seatCategories[0].free;

  test('one of two is returned: its ticket is cancelled, its place is free, the fee stays', async () => {
    const order = await buyPaid({ ...toItem(tuesday), quantity: 2 });
    const free = await countFree(tuesday);
    const [stays, goes] = order.lines;
    const returns = [{ lineId: goes.id, reason: 'one fewer' }];
    const quoted = await quote(order, { returns });
    expect(quoted).toEqual({
      ...{ available: true, difference: -4_500, fee: 500, due: 0, credit: 4_500, lines: [], refusals: [] },
    });
    const other = await change(order, { returns, difference: -5_000 });
    expect([other.status, other.body.status]).toEqual([409, 'change_difference_changed']);
    const done = await change(order, { returns, difference: -4_500, refund: { method: 'cash' } });
    expect([done.status, done.body.data]).toMatchObject([201, { state: 'done', fee: 500, credit: 4_500 }]);
    expect(done.body.data.settlement).toMatchObject({ ticketsCancelled: 1, controlled: 0, placesReleased: 1 });
    const now = await readOrder(order);
    expect(now).toMatchObject({ state: 'confirmed', total: 5_500, due: 0, credit: 0, refunded: 4_500, change: null });
    expect(now.lines.map(({ id }: Json) => id)).toEqual([stays.id]);
    expect(now.formerLines).toMatchObject([{ id: goes.id, changeId: done.body.data.id }]);
    expect(now.fees).toMatchObject([
      { kind: 'change', lineId: goes.id, amount: 500, taxes: [{ rate: '8.1', tax: 37 }] },
    ]);
    const tickets = await readTickets(order);
    expect([tickets.get(stays.id)?.status, tickets.get(goes.id)?.status]).toEqual(['not_printed', 'cancelled']);
    await waitUntil(async () => (await countFree(tuesday)) === free + 1, { what: 'the place of the returned line' });
    const again = await change(order, { returns, difference: -4_500 });
    expect([again.status, again.body.status]).toEqual([422, 'validation_error']);
  });

  test('one is exchanged to another day at another price: both places are kept while it is pending', async () => {
    const order = await buyPaid({ ...toItem(tuesday, reduced), quantity: 1 });
    const [line] = order.lines;
    const [before, after] = [await countFree(tuesday), await countFree(thursday)];
    const exchanges = [{ lineId: line.id, ...toItem(thursday) }];
    const { difference, due, lines } = await quote(order, { exchanges });
    expect([difference, due, lines]).toMatchObject([2_000, 2_000, [{ lineId: line.id, amount: 5_000 }]]);
    const { status, body } = await change(order, { exchanges, difference });
    expect([status, body.data]).toMatchObject([201, { state: 'pending', due: 2_000, expiresAt: expect.any(String) }]);
    expect((await readOrder(order)).change).toBe(body.data.id);
    expect([await countFree(tuesday), await countFree(thursday)]).toEqual([before, after - 1]);
    const second = await change(order, { returns: [{ lineId: line.id }], difference: -2_500 });
    expect([second.status, second.body.status]).toEqual([409, 'change_in_progress']);
    await must(partner, `${ORDERS}/${order.id}/changes/${body.data.id}`, 'DELETE');
    const payment = { method: 'card', status: 'captured' };
    const done = await change(order, { exchanges, difference, payment });
    expect([done.status, done.body.data]).toMatchObject([201, { state: 'done', due: 2_000, expiresAt: null }]);
    const now = await readOrder(order);
    expect(now).toMatchObject({ total: 5_000, paid: 5_000, due: 0, credit: 0, change: null });
    expect(now.lines).toMatchObject([{ performanceId: thursday.id, replaces: line.id, amount: 5_000 }]);
    await waitUntil(async () => (await readTickets(order)).get(line.id)?.status === 'invalidated', {
      what: 'the ticket',
    });
    const tickets = await readTickets(order);
    expect(tickets.get(now.lines[0].id)).toMatchObject({ status: 'not_printed', replaces: tickets.get(line.id)?.id });
    await waitUntil(async () => (await countFree(tuesday)) === before + 1, { what: 'the old place' });
  });

  test('another tariff on the same seat holds and releases nothing', async () => {
    const order = await buyPaid({ ...toItem(tuesday), quantity: 1 });
    const [line] = order.lines;
    const free = await countFree(tuesday);
    const exchanges = [{ lineId: line.id, ...toItem(tuesday, reduced) }];
    const { body } = await change(order, { exchanges, difference: -2_000 });
    expect(body.data).toMatchObject({ state: 'done', credit: 2_000, settlement: { placesReleased: 0 } });
    const now = await readOrder(order);
    expect(now.lines).toMatchObject([{ place: { id: line.place.id }, tariffId: reduced, amount: 3_000 }]);
    expect([now.credit, await countFree(tuesday)]).toEqual([2_000, free]);
  });

  test('a pending change that is ended lapses, and its new place is free', async () => {
    const order = await buyPaid({ ...toItem(tuesday, reduced), quantity: 1 });
    const free = await countFree(thursday);
    const exchanges = [{ lineId: order.lines[0].id, ...toItem(thursday) }];
    const { id } = (await change(order, { exchanges, difference: 2_000 })).body.data;
    const path = `${ORDERS}/${order.id}/changes/${id}`;
    expect(await must(partner, path, 'DELETE')).toMatchObject({ state: 'lapsed' });
    expect((await partner(path, { method: 'DELETE' })).body.status).toBe('change_final');
    await waitUntil(async () => (await countFree(thursday)) === free, { what: 'the new place' });
    expect(await readOrder(order)).toMatchObject({ change: null, lines: order.lines, formerLines: [] });
  });

  test('a cancelled performance returns its lines in full and leaves the rest', async () => {
    const [matinee, evening] = [await openPerformance(50), await openPerformance(50)];
    const order = await buyPaid({ ...toItem(matinee), quantity: 1 }, { ...toItem(evening), quantity: 1 });
    await must(partner, `${CATALOG}/performances/${matinee.id}`, 'PATCH', { state: 'cancelled' });
    await waitUntil(async () => (await readOrder(order)).formerLines.length === 1, { what: 'the returned line' });
    const now = await readOrder(order);
    expect(now).toMatchObject({
      state: 'confirmed',
      total: 5_000,
      credit: 5_000,
      lines: [{ performanceId: evening.id }],
    });
    const { items } = await must(partner, `${ORDERS}/${order.id}/changes`);
    expect(items).toMatchObject([{ reason: 'performance_cancelled', fee: 0, difference: -5_000 }]);
    const free = await countFree(evening);
    const exchanges = [{ lineId: now.lines[0].id, ...toItem(tuesday) }];
    const { body } = await change(order, { exchanges, difference: 0 });
    expect(body.data.state).toBe('done');
    await waitUntil(async () => (await countFree(evening)) === free + 1, { what: 'the old place' });
  });

  test('a used ticket of a cancelled performance stays, with its place, until a cancellation with override', async () => {
    const [matinee, evening] = [await openPerformance(50), await openPerformance(50)];
    const order = await buyPaid({ ...toItem(matinee), quantity: 1 }, { ...toItem(evening), quantity: 1 });
    const used = order.lines.find(({ performanceId }: Json) => performanceId === matinee.id);
    await must(partner, '/svc/v3/tickets/printing', 'POST', { orderId: order.id });
    await must(partner, `/svc/v3/tickets/${used.ticketId}/control`, 'POST', {});
    await must(partner, `${CATALOG}/performances/${matinee.id}`, 'PATCH', { state: 'cancelled' });
    const read = async () => (await must(partner, `${ORDERS}/${order.id}/changes`)).items[0]?.settlement;
    await waitUntil(async () => (await read())?.settledAt, { what: 'the settlement' });
    expect(await read()).toMatchObject({ ticketsCancelled: 0, controlled: 1, placesReleased: 0 });
    const cancel = (body: object) => partner(`${ORDERS}/${order.id}/cancellation`, { method: 'POST', body });
    const statusOf = async () => (await readTickets(order)).get(used.id)?.status;
    for (const override of [false, true]) {
      expect((await cancel(override ? { override } : {})).body.data?.state).toBe('cancelled');
      const controlled = override ? 0 : 1;
      const isSettled = async () => {
        const { cancellation } = await readOrder(order);
        return cancellation.settledAt && cancellation.controlled === controlled;
      };
      await waitUntil(isSettled, { what: `${controlled} controlled tickets` });
      expect(await statusOf()).toBe(override ? 'cancelled' : 'controlled');
      const places = await must(partner, `${CATALOG}/performances/${matinee.id}/availability`);
      expect(places.seatCategories[0].sold).toBe(controlled);
      expect((await readOrder(order)).cancellation).toMatchObject({ ticketsCancelled: 2 - controlled });
    }
    const again = await cancel({ override: true });
    expect([again.status, again.body.status]).toEqual([412, 'order_cancelled']);
  });

  test('changes of one order at the same time leave no place held', async () => {
    const evening = await openPerformance(60);
    for (let nth = 0; nth < 2; nth += 1) {
      const order = await buyPaid({ ...toItem(tuesday), quantity: 2 });
      const [one, other] = order.lines;
      const replies = await Promise.all([
        change(order, { exchanges: [{ lineId: one.id, ...toItem(evening) }], difference: 0 }),
        change(order, { returns: [{ lineId: other.id }], difference: -4_500 }),
      ]);
      expect(replies.map(({ status }) => status).every((status) => status === 201 || status === 409)).toBe(true);
      await must(partner, `${ORDERS}/${order.id}/cancellation`, 'POST', {});
    }
    const path = `${CATALOG}/performances/${evening.id}/availability`;
    await waitUntil(async () => (await must(partner, path)).seatCategories[0].free === 6, { what: 'every place' });
  });
});
