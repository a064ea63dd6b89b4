// rule commerce.5: a late capture does it after all if nobody ended it by DELETE | services/orders/src/domain/changes/paying.ts
// rule commerce.5: Money recorded, change not done: 412 `payment_recorded` | services/orders/src/domain/payments.ts
// rule commerce.5: one that fails leaves it pending until `expiresAt` without the grace period | services/orders/src/domain/changes/paying.ts
import { describe, expect, test } from '@jest/globals';
import { describeOnEachEngine, type Fixture } from '../fixture/fixture.ts';
import { createOrderInHall, listPayments, pay, read } from '../fixture/orders.ts';
import { addPage, buildPage, listRequestedRefunds, report } from '../fixture/provider.ts';

const MINUTE = 60_000;

interface Change {
  readonly id: string;
  readonly state: string;
  readonly due: number;
  readonly expiresAt: string | null;
}

/** The first line of a paid order of two is to move to a place that costs 500 more. */
const beginChange = async (fixture: Fixture, credit = 0) => {
  const { path, order } = await createOrderInHall(fixture);
  await pay(fixture, path);
  if (credit > 0) await pay(fixture, path, { amount: credit, overpaid: true });
  const hall = fixture.catalog.hall(3, { amount: 1_500 });
  const { performanceId, seatCategoryId, tariffId } = hall;
  const exchanges = [{ lineId: order.lines[0]?.id, performanceId, seatCategoryId, tariffId }];
  const body = { exchanges, difference: 500, override: true };
  const made = await fixture.call<Change>('POST', `${path}/changes`, { body });
  expect([made.status, made.data]).toMatchObject([201, { state: 'pending', due: 500 - credit }]);
  return { path, order, hall, changeId: made.data.id };
};

describeOnEachEngine('payments of a change', (fixture) => {
  const change = async (path: string, id: string) => (await fixture.call<Change>('GET', `${path}/changes/${id}`)).data;
  const stateOf = async (path: string, id: string) => (await change(path, id)).state;
  const moneyOf = async (path: string) => {
    const { total, paid, due, credit, change: pending } = await read(fixture, path);
    return { total, paid, due, credit, pending };
  };
  const settle = (path: string, id: string, status: string) =>
    fixture.call('PATCH', `${path}/payments/${id}`, { body: { status } });
  const done = { total: 2_500, due: 0, credit: 0, pending: null };
  const lapse = async (path: string, id: string) => {
    await fixture.later(16 * MINUTE);
    expect(await stateOf(path, id)).toBe('lapsed');
  };

  describe('payments pay a change of a confirmed order', () => {
    test('in parts; what is there before the last counts for nothing else, and the last does it', async () => {
      const { path, changeId, hall } = await beginChange(fixture);
      expect((await pay(fixture, path, { amount: 501, changeId })).code).toBe('payment_exceeds_due');
      expect((await pay(fixture, path, { amount: 500 })).code).toBe('payment_exceeds_due');
      const part = await pay(fixture, path, { amount: 200, changeId });
      expect([part.status, part.data]).toMatchObject([201, { changeId, amount: 200 }]);
      expect(await moneyOf(path)).toEqual({ total: 2_000, paid: 2_200, due: 0, credit: 0, pending: changeId });
      expect((await pay(fixture, path, { amount: 301, changeId })).code).toBe('payment_exceeds_due');
      expect((await pay(fixture, path, { amount: 300, changeId })).status).toBe(201);
      expect(await moneyOf(path)).toMatchObject({ ...done, paid: 2_500 });
      expect(await stateOf(path, changeId)).toBe('done');
      expect(fixture.catalog.count(hall)).toMatchObject({ sold: 1, held: 0 });
      expect((await pay(fixture, path, { amount: 1, changeId })).code).toBe('payment_exceeds_due');
    });

    test('of which another order knows nothing is recorded', async () => {
      const [{ changeId }, { path }] = [await beginChange(fixture), await createOrderInHall(fixture)];
      expect(await pay(fixture, path, { amount: 500, changeId })).toMatchObject({
        ...{ status: 422, code: 'validation_error' },
      });
      expect(await listPayments(fixture, path)).toEqual([]);
    });

    test('for a grace period while one is pending, which ends with its failure', async () => {
      const { path, changeId } = await beginChange(fixture);
      const { data } = await pay(fixture, path, { amount: 500, changeId, status: 'pending' });
      await fixture.later(16 * MINUTE);
      expect(await stateOf(path, changeId)).toBe('pending');
      expect((await settle(path, data.id, 'failed')).status).toBe(200);
      await lapse(path, changeId);
      const late = await pay(fixture, path, { amount: 500, changeId, status: 'pending' });
      expect(late).toMatchObject({ status: 412, code: 'change_final' });
    });

    test('by a pending one that is captured', async () => {
      const { path, changeId } = await beginChange(fixture);
      const { data } = await pay(fixture, path, { amount: 500, changeId, status: 'pending' });
      expect(await settle(path, data.id, 'captured')).toMatchObject({ status: 200, data: { change: null } });
      expect(await moneyOf(path)).toMatchObject(done);
    });

    test('late, with other places of the category for those taken; without places the money is credit', async () => {
      const { path, changeId, hall } = await beginChange(fixture);
      await lapse(path, changeId);
      for (const id of hall.placeIds) fixture.catalog.steal(id);
      const late = await pay(fixture, path, { amount: 500, changeId });
      expect(late).toMatchObject({ status: 412, code: 'payment_recorded' });
      expect(await moneyOf(path)).toMatchObject({ total: 2_000, credit: 500, pending: null });
      fixture.catalog.releasePlaces(hall.placeIds[2] ?? '');
      const [, paid] = await listPayments(fixture, path);
      expect((await settle(path, paid?.id ?? '', 'captured')).status).toBe(200);
      expect(await moneyOf(path)).toMatchObject(done);
    });

    test('never one that somebody has ended: the money is credit', async () => {
      const { path, changeId, hall } = await beginChange(fixture);
      const { data } = await pay(fixture, path, { amount: 500, changeId, status: 'pending' });
      expect((await fixture.call('DELETE', `${path}/changes/${changeId}`)).status).toBe(200);
      for (let turn = 0; turn < 2; turn += 1)
        expect(await settle(path, data.id, 'captured')).toMatchObject({ status: 412, code: 'payment_recorded' });
      expect(await moneyOf(path)).toMatchObject({ total: 2_000, due: 0, credit: 500, pending: null });
      expect(fixture.catalog.count(hall)).toMatchObject({ sold: 0, held: 0 });
    });

    test.each(['refunds', 'payments'])('and is done first where the catalogue was away: by %s', async (records) => {
      const { path, changeId } = await beginChange(fixture);
      fixture.catalog.mishaps.set('sellHold', 'fails');
      const captured = (key: string) => pay(fixture, path, { amount: 500, changeId }, { key });
      const refund = () => fixture.call('POST', `${path}/refunds`, { body: { method: 'card', amount: 100 } });
      expect((await captured(changeId)).status).toBe(503);
      expect([(await refund()).code, await stateOf(path, changeId)]).toEqual(['conflict', 'pending']);
      fixture.catalog.mishaps.clear();
      expect((await (records === 'refunds' ? refund() : captured(changeId))).status).toBe(201);
      expect(await stateOf(path, changeId)).toBe('done');
    });

    test('late also where its order is cancelled: the money is recorded, and credit', async () => {
      const { path, changeId } = await beginChange(fixture);
      await fixture.call('POST', `${path}/cancellation`, { body: {} });
      expect((await pay(fixture, path, { amount: 500 })).code).toBe('order_cancelled');
      expect((await pay(fixture, path, { amount: 501, changeId })).code).toBe('payment_exceeds_due');
      for (let turn = 0; turn < 2; turn += 1) {
        const late = await pay(fixture, path, { amount: 500, changeId }, { key: `late-${changeId}` });
        expect(late).toMatchObject({ status: 412, code: 'payment_recorded' });
      }
      expect(await moneyOf(path)).toMatchObject({ paid: 2_500, credit: 2_500, pending: null });
      const waiting = await pay(fixture, path, { amount: 500, changeId, status: 'pending' });
      expect(waiting.code).toBe('order_cancelled');
    });

    test('of what it raises now: credit that it counted on goes back, or pays the rest of it', async () => {
      const { path, changeId } = await beginChange(fixture, 300);
      const due = async () => (await change(path, changeId)).due;
      await pay(fixture, path, { amount: 50, changeId });
      await fixture.call('POST', `${path}/refunds`, { body: { method: 'card', amount: 300 } });
      expect([await due(), await moneyOf(path)]).toMatchObject([500, { due: 0, credit: 0, pending: changeId }]);
      await pay(fixture, path, { amount: 400, overpaid: true });
      expect([await due(), await stateOf(path, changeId)]).toEqual([100, 'pending']);
      expect((await pay(fixture, path, { amount: 51, changeId })).code).toBe('payment_exceeds_due');
      await pay(fixture, path, { amount: 60, overpaid: true });
      await fixture.later();
      expect([await stateOf(path, changeId), await moneyOf(path)]).toMatchObject(['done', { ...done, credit: 10 }]);
    });

    test('with money beyond it, which is credit then', async () => {
      const { path, changeId } = await beginChange(fixture);
      expect((await pay(fixture, path, { amount: 700, changeId, overpaid: true })).status).toBe(201);
      expect(await moneyOf(path)).toMatchObject({ ...done, credit: 200 });
    });
  });

  describe('a page of a provider pays a change', () => {
    const open = async () => {
      const made = await beginChange(fixture);
      const page = buildPage({ amount: 500 });
      const shopPath = made.path;
      expect(await addPage(fixture, shopPath, page)).toMatchObject({ outcome: 'done' });
      return { ...made, page, shopPath };
    };

    test('which is done when the provider says so, in the grace period of the page', async () => {
      const { path, order, page, changeId } = await open();
      await fixture.later(20 * MINUTE);
      expect((await report(fixture, order.id, page, 'pending')).data).toMatchObject({ wanted: true });
      await report(fixture, order.id, page);
      expect(await stateOf(path, changeId)).toBe('done');
      expect(await moneyOf(path)).toMatchObject(done);
    });

    test('of its due alone; of two that are paid one is credit, and goes back by itself', async () => {
      const { path, order, page, shopPath } = await open();
      const other = buildPage({ amount: 700 });
      expect(await addPage(fixture, shopPath, other)).toMatchObject({ reason: 'amount_differs' });
      const second = buildPage({ amount: 500 });
      await addPage(fixture, shopPath, second);
      await report(fixture, order.id, page);
      expect((await report(fixture, order.id, second, 'pending')).data).toMatchObject({ wanted: false });
      await report(fixture, order.id, second);
      expect(await moneyOf(path)).toMatchObject({ ...done, credit: 500 });
      await fixture.later();
      expect(listRequestedRefunds(fixture, order.id)).toMatchObject([{ paymentId: second.paymentId, amount: 500 }]);
      expect(await moneyOf(path)).toMatchObject(done);
    });

    test.each(['done', 'pending'])(
      'beside the institution: what comes twice goes back by itself, it being %s',
      async (state) => {
        const { path, order, page, changeId } = await open();
        if (state === 'pending') fixture.catalog.mishaps.set('sellHold', 'fails');
        await pay(fixture, path, { amount: 500, changeId });
        expect(await stateOf(path, changeId)).toBe(state);
        await report(fixture, order.id, page);
        fixture.catalog.mishaps.clear();
        await fixture.later();
        await fixture.later();
        expect(listRequestedRefunds(fixture, order.id)).toMatchObject([{ paymentId: page.paymentId, amount: 500 }]);
        expect([await stateOf(path, changeId), await moneyOf(path)]).toMatchObject(['done', { ...done, paid: 3_000 }]);
      },
    );

    test('not once it has ended: payments hears of it, and what is captured goes back', async () => {
      const { path, order, page, changeId } = await open();
      const count = () => fixture.factsOf(order.id).filter(({ type }) => type === 'order.confirmed').length;
      const before = count();
      await fixture.call('DELETE', `${path}/changes/${changeId}`);
      expect(count()).toBe(before + 1);
      expect((await report(fixture, order.id, page, 'pending')).data).toMatchObject({ wanted: false });
      await report(fixture, order.id, page);
      await fixture.later();
      expect(await moneyOf(path)).toMatchObject({ total: 2_000, due: 0, credit: 0 });
      expect(listRequestedRefunds(fixture, order.id)).toMatchObject([{ paymentId: page.paymentId, amount: 500 }]);
    });

    test('without which it lapses: closed, the change waits no longer than its places are held', async () => {
      const { path, order, page, changeId } = await open();
      await report(fixture, order.id, page, 'failed', { ended: 'expired' });
      await lapse(path, changeId);
    });
  });
});
