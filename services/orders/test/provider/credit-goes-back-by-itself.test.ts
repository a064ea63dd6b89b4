// rule commerce.3: one refund per payment, the newest first, never more than is left of it; the rest stays credit | services/orders/src/domain/provider-refunds.ts

import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, jest, test } from '@jest/globals';
import { describeOnEachEngine, engines, logger, openFixture } from '../fixture/fixture.ts';
import { pay, postToShop, read } from '../fixture/orders.ts';
import {
  buildPage,
  checkOutWithPage,
  listRequestedRefunds,
  movePastDeadline,
  report,
  reportDispute,
  reportRefund,
} from '../fixture/provider.ts';

describeOnEachEngine('credit goes back by itself', (fixture) => {
  const paid = async () => {
    const made = await checkOutWithPage(fixture);
    await report(fixture, made.orderId, made.page);
    return made;
  };
  const moneyOf = async (orderId: string) => {
    const { state, paid: captured, refunded, credit } = await read(fixture, `/${orderId}`);
    return { state, captured, refunded, credit };
  };
  const refund = (orderId: string, body: object) => fixture.call('POST', `/${orderId}/refunds`, { body });
  const cancelByShopper = (path: string) => postToShop(fixture, `${path}/cancellation`, { requestId: 'c' });
  const cancelByInstitution = (orderId: string) =>
    fixture.call('POST', `/${orderId}/cancellation`, { body: { reason: 'ours' } });

  test("of a shopper's cancellation, once, however often the work is done", async () => {
    const { path, orderId, page } = await paid();
    await cancelByShopper(path);
    expect(await moneyOf(orderId)).toMatchObject({ state: 'cancelled', refunded: 0, credit: 2_000 });
    await fixture.later();
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ captured: 2_000, refunded: 2_000, credit: 0 });
    expect(listRequestedRefunds(fixture, orderId)).toMatchObject([
      { paymentId: page.paymentId, amount: 2_000, automatic: true },
    ]);
    const list = await fixture.call<{ items: object[] }>('GET', `/${orderId}/refunds`);
    expect(list.data.items).toMatchObject([{ state: 'pending', provider: 'stripe', createdBy: null }]);
  });

  test('of a cancelled performance', async () => {
    const { orderId, hall } = await paid();
    await fixture.deliver('performance.cancelled', { performanceId: hall.performanceId });
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ state: 'cancelled', refunded: 2_000, credit: 0 });
  });

  test("not of the institution's cancellation, nor where the point of sale does not", async () => {
    const ours = await paid();
    await cancelByInstitution(ours.orderId);
    const theirs = await paid();
    await cancelByShopper(theirs.path);
    fixture.catalog.refundCredit = false;
    await fixture.later();
    fixture.catalog.refundCredit = true;
    await fixture.later();
    for (const { orderId } of [ours, theirs])
      expect(await moneyOf(orderId)).toMatchObject({ state: 'cancelled', refunded: 0, credit: 2_000 });
    // A late capture after it is another matter.
    const late = buildPage();
    await report(fixture, ours.orderId, late);
    await fixture.later();
    expect(listRequestedRefunds(fixture, ours.orderId)).toMatchObject([{ paymentId: late.paymentId, amount: 2_000 }]);
    expect(await moneyOf(ours.orderId)).toMatchObject({ captured: 4_000, refunded: 2_000, credit: 2_000 });
  });

  test('while the catalog is away it stays due', async () => {
    const { path, orderId } = await paid();
    await cancelByShopper(path);
    fixture.catalog.mishaps.set('findPointOfSale', 'fails');
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ refunded: 0, credit: 2_000 });
    fixture.catalog.mishaps.clear();
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ refunded: 2_000, credit: 0 });
  });

  test('newest first, never more than is left of a payment, and what nobody can give back stays', async () => {
    const { path, orderId, page } = await checkOutWithPage(fixture);
    await pay(fixture, `/${orderId}`, { amount: 500, method: 'cash' });
    const second = buildPage();
    await report(fixture, orderId, second);
    await report(fixture, orderId, page);
    await refund(orderId, { amount: 600, provider: 'stripe', paymentId: second.paymentId });
    await cancelByShopper(path);
    await fixture.later();
    const requested = listRequestedRefunds(fixture, orderId).slice(1);
    expect(requested).toMatchObject([
      { paymentId: second.paymentId, amount: 1_400 },
      { paymentId: page.paymentId, amount: 2_000 },
    ]);
    expect(await moneyOf(orderId)).toMatchObject({ captured: 4_500, refunded: 4_000, credit: 500 });
  });

  test('of a late or second capture by hand: the newest payment of the provider goes back, up to the credit', async () => {
    const { orderId, page } = await checkOutWithPage(fixture);
    const transfer = await pay(fixture, `/${orderId}`, { amount: 1_500, method: 'transfer', status: 'pending' });
    await report(fixture, orderId, page);
    const settle = { body: { status: 'captured' } };
    expect((await fixture.call('PATCH', `/${orderId}/payments/${transfer.data.id}`, settle)).status).toBe(200);
    expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', captured: 3_500, credit: 1_500 });
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', refunded: 1_500, credit: 0 });
    expect(listRequestedRefunds(fixture, orderId)).toMatchObject([
      { paymentId: page.paymentId, amount: 1_500, automatic: true },
    ]);

    const late = await checkOutWithPage(fixture);
    const pending = await pay(fixture, `/${late.orderId}`, { amount: 2_000, method: 'transfer', status: 'pending' });
    await report(fixture, late.orderId, late.page);
    await cancelByInstitution(late.orderId);
    const answer = await fixture.call('PATCH', `/${late.orderId}/payments/${pending.data.id}`, settle);
    expect(answer).toMatchObject({ status: 412, code: 'payment_recorded' });
    await fixture.call('PATCH', `/${late.orderId}/payments/${pending.data.id}`, settle);
    await fixture.later();
    // What the institution has left there stays.
    expect(await moneyOf(late.orderId)).toMatchObject({ captured: 4_000, refunded: 2_000, credit: 2_000 });
  });

  test('not of money that somebody records beyond what is due: it stays until he gives it back', async () => {
    const { orderId } = await paid();
    expect((await pay(fixture, `/${orderId}`, { amount: 300, method: 'cash', overpaid: true })).status).toBe(201);
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', captured: 2_300, refunded: 0, credit: 300 });
  });

  test('never to a payment in dispute, open or lost, but to one that was or is won', async () => {
    for (const [state, refunded] of [
      ['open', 0],
      ['lost', 800],
      ['won', 2_000],
    ] as const) {
      const { path, orderId, page } = await paid();
      await reportDispute(fixture, orderId, page, state, { amount: 800 });
      await cancelByShopper(path);
      await fixture.later();
      expect([state, (await moneyOf(orderId)).refunded]).toEqual([state, refunded]);
    }
  });

  test('once the dispute that it waited for is won; once it is lost what is left stays credit', async () => {
    for (const [state, refunded, credit] of [
      ['lost', 800, 1_200],
      ['won', 2_000, 0],
    ] as const) {
      const { path, orderId, page } = await paid();
      await reportDispute(fixture, orderId, page, 'open', { amount: 800 });
      await cancelByShopper(path);
      await fixture.later();
      expect(await moneyOf(orderId)).toMatchObject({ refunded: 0, credit: 2_000 });
      for (const _ of ['', 'again']) await reportDispute(fixture, orderId, page, state, { amount: 800 });
      await fixture.later();
      expect(await moneyOf(orderId)).toMatchObject({ refunded, credit });
      expect(listRequestedRefunds(fixture, orderId)).toHaveLength(state === 'won' ? 1 : 0);
    }
  });

  test('of two payments in dispute each waits for its own, and the rest goes back before', async () => {
    const { path, orderId, page } = await paid();
    const [second, third] = [buildPage(), buildPage()];
    await reportDispute(fixture, orderId, page, 'open');
    for (const one of [second, third]) await report(fixture, orderId, one);
    await reportDispute(fixture, orderId, second, 'open');
    await cancelByShopper(path);
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ refunded: 2_000, credit: 4_000 });
    await reportDispute(fixture, orderId, second, 'won');
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ refunded: 4_000, credit: 2_000 });
    await reportDispute(fixture, orderId, page, 'won');
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ refunded: 6_000, credit: 0 });
    const requested = listRequestedRefunds(fixture, orderId) as { paymentId: string }[];
    expect(requested.map(({ paymentId }) => paymentId)).toEqual(
      [third, second, page].map(({ paymentId }) => paymentId),
    );
  });

  test("is asked for at once after the shopper's cancellation: no request does it", async () => {
    const { path, orderId } = await paid();
    const before = Date.now();
    await cancelByShopper(path);
    const at = (await fixture.document(orderId))?.due?.refundCredit?.at ?? 0;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  test('a refund by itself that failed is not repeated by itself: the credit stays', async () => {
    const { path, orderId } = await paid();
    await cancelByShopper(path);
    await fixture.later();
    const [{ refundId } = { refundId: '' }] = listRequestedRefunds(fixture, orderId) as { refundId: string }[];
    await reportRefund(fixture, orderId, refundId, 'failed');
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ refunded: 0, credit: 2_000 });
    expect(listRequestedRefunds(fixture, orderId)).toHaveLength(1);
    expect((await refund(orderId, { amount: 2_000, provider: 'stripe' })).status).toBe(201);
  });

  test('what was captured in time and cannot be sold goes back when the order expires', async () => {
    const { orderId, page, hall } = await checkOutWithPage(fixture);
    for (const id of hall.placeIds) fixture.catalog.steal(id);
    expect((await report(fixture, orderId, page)).data).toMatchObject({ state: 'open', status: 'captured' });
    await movePastDeadline(fixture, orderId);
    await fixture.later();
    await fixture.later(10_000);
    expect(await moneyOf(orderId)).toMatchObject({ state: 'expired', captured: 2_000, refunded: 2_000, credit: 0 });
  });
});

describe.each(engines)('on $name', (engine) => {
  let metrics: Metrics;
  const fixture = useFixture(async () => {
    metrics = await createMetrics();
    return openFixture(engine, { metrics });
  });

  test('a refund by itself that failed is counted and logged once', async () => {
    const { path, orderId, page } = await checkOutWithPage(fixture);
    await report(fixture, orderId, page);
    await postToShop(fixture, `${path}/cancellation`, { requestId: 'c' });
    await fixture.later();
    const [{ refundId } = { refundId: '' }] = listRequestedRefunds(fixture, orderId) as { refundId: string }[];
    const warn = jest.spyOn(logger, 'warn');
    for (const status of ['failed', 'failed', 'failed']) await reportRefund(fixture, orderId, refundId, status);
    const logged = warn.mock.calls.filter(([message]) => message.includes('refund by itself has failed'));
    warn.mockRestore();
    expect(logged).toHaveLength(1);
    const { text } = await metrics.text();
    expect(text).toMatch(/^orders_credit_refunds_failed_total(\{[^}]*\})? 1$/m);
  });
});
