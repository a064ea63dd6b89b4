import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sweep } from '../../src/steps/sweep.ts';
import type { OrderDocument } from '../../src/store.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, pay, read } from '../fixture/orders.ts';

describe.each(engines)('an order that is paid in full is confirmed, however that came about, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  /** An order of two lines of 1,000, with this captured. */
  const partlyPaid = async (amount = 1_000) => {
    const made = await newOrder(fixture);
    await pay(fixture, made.path, { amount });
    const [first] = made.order.lines;
    return { ...made, remove: () => fixture.call('DELETE', `${made.path}/lines/${first?.id}`) };
  };

  const confirmed = { state: 'confirmed', total: 1_000, due: 0, paymentStatus: 'paid' };
  const document = async (id: string) => (await fixture.context.orders.of('opera').get(id)) as OrderDocument;

  test('a line is removed: the answer is the confirmed order, and only its places are sold', async () => {
    for (const paid of [1_000, 1_500]) {
      const { hall, order, remove } = await partlyPaid(paid);
      const answer = await remove();
      expect(answer).toMatchObject({ status: 200, data: { ...confirmed, expiresAt: null, paid } });
      expect(answer.data.lines[0]?.ticketId).toMatch(/^tic_/);
      expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 1 });
      await until(() => fixture.facts.some(({ key }) => key === order.id));
      expect(fixture.facts.filter(({ key }) => key === order.id)).toMatchObject([{ type: 'order.confirmed' }]);
    }
  });

  test('also of a reservation, and of one whose sale the catalog does not answer', async () => {
    const { path, hall, remove } = await partlyPaid();
    await fixture.call('POST', `${path}/reservation`, { body: { dueAt: '2099-01-01T00:00:00Z' } });
    fixture.catalog.mishaps.set('sellHold', 'fails');
    expect(await remove()).toMatchObject({ status: 200, data: { state: 'reserved', total: 1_000 } });
    fixture.catalog.mishaps.clear();
    await fixture.later();
    expect(await read(fixture, path)).toMatchObject(confirmed);
    expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 1 });
  });

  test('also where the release was left to another process', async () => {
    const { path, remove } = await partlyPaid();
    fixture.catalog.mishaps.set('releaseHold', 'fails');
    expect(await remove()).toMatchObject({ status: 200, data: { state: 'open' } });
    fixture.catalog.mishaps.clear();
    await until(async () => {
      await fixture.later();
      return (await document(path.slice(1))).state === 'confirmed';
    });
  });

  test('not one whose money was refunded, and not one that is free of charge: that is confirmed by command', async () => {
    const refunded = await partlyPaid();
    const body = { amount: 1, method: 'card' };
    expect((await fixture.call('POST', `${refunded.path}/refunds`, { body })).status).toBe(201);
    expect(await refunded.remove()).toMatchObject({ status: 200, data: { state: 'open', paymentStatus: 'partial' } });
    const free = fixture.catalog.hall(3, { amount: 0 });
    const { data } = await fixture.call('POST', '', { body: { items: [free.item(2)] } });
    const left = await fixture.call('DELETE', `/${data.id}/lines/${data.lines[0]?.id}`);
    expect(left).toMatchObject({ status: 200, data: { state: 'open', total: 0 } });
    expect((await fixture.call('POST', `/${data.id}/confirmation`, { body: {} })).data).toMatchObject({
      state: 'confirmed',
    });
    const empty = await newOrder(fixture, 1);
    const none = await fixture.call('DELETE', `${empty.path}/lines/${empty.order.lines[0]?.id}`);
    expect(none).toMatchObject({ status: 200, data: { state: 'open', lines: [] } });
  });

  test('an order is paid only by what was not refunded, until it is confirmed; refunds of a confirmed one leave it paid', async () => {
    const { path, remove } = await partlyPaid();
    const refund = { body: { amount: 1_000, method: 'card' } };
    expect((await fixture.call('POST', `${path}/refunds`, refund)).status).toBe(201);
    const unpaid = {
      state: 'open',
      total: 1_000,
      paid: 1_000,
      due: 1_000,
      paymentStatus: 'unpaid',
      refundStatus: 'full',
    };
    expect(await remove()).toMatchObject({ status: 200, data: unpaid });
    expect((await fixture.call('POST', `${path}/confirmation`, { body: {} })).code).toBe('order_unpaid');
    const sold = await partlyPaid();
    expect(await sold.remove()).toMatchObject({ data: confirmed });
    expect((await fixture.call('POST', `${sold.path}/refunds`, refund)).status).toBe(201);
    expect(await read(fixture, sold.path)).toMatchObject({ ...confirmed, refundStatus: 'full' });
  });

  /** An order whose hold has ended and whose payment covers it, as an earlier release left it. */
  const overdue = async () => {
    fixture.catalog.holdMs = 1;
    const made = await newOrder(fixture);
    fixture.catalog.holdMs = 900_000;
    await fixture.context.orders.of('opera').update(made.order.id, (order) => {
      const settled = { status: 'captured', createdAt: order.createdAt, updatedAt: order.createdAt } as const;
      const payment = { id: `pay_${order.id}`, method: 'card', amount: 2_000, currency: 'CHF', reference: null };
      return { next: { ...order, payments: [{ ...payment, ...settled }] } };
    });
    return made;
  };

  test.each([
    ['by the sweep', async () => sweep(fixture.context)],
    ['when it is read', async (path: string) => void (await read(fixture, path))],
    [
      'by the next command',
      async (path: string) => void (await fixture.call('POST', `${path}/extension`, { body: { minutes: 1 } })),
    ],
  ])('at its deadline it is confirmed instead of expired: %s', async (_, end) => {
    const { path, order, hall } = await overdue();
    await end(path);
    const { state, confirmedAt } = await document(order.id);
    expect([state, confirmedAt]).toEqual(['confirmed', expect.any(Number)]);
    expect(fixture.catalog.count(hall).sold).toBe(2);
  });

  test('with other places of the category where its own are gone; without any it expires and keeps the money', async () => {
    const replaced = await overdue();
    const taken = [String(replaced.order.lines[0]?.place.id)];
    const other = await fixture.call('POST', '', { body: { items: [replaced.hall.item(1, taken)] } });
    expect(other.status).toBe(201);
    await sweep(fixture.context);
    expect(await read(fixture, replaced.path)).toMatchObject({ state: 'confirmed' });
    const gone = await overdue();
    expect((await fixture.call('POST', '', { body: { items: [gone.hall.item(4)] } })).status).toBe(201);
    await sweep(fixture.context);
    expect(await read(fixture, gone.path)).toMatchObject({ state: 'expired', paid: 2_000, paymentStatus: 'paid' });
    expect(fixture.catalog.placesOf(gone.order.id)).toEqual([]);
  });
});
