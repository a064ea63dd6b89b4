// rule commerce.3: So one order is paid once, however many pages were open | services/orders/src/domain/providers.ts

import { describe, expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { createCart, createOrderInHall, listPayments, pay, read, readCart } from '../fixture/orders.ts';
import {
  addPage,
  buildPage,
  checkOutWithPage,
  listRequestedRefunds,
  movePastDeadline,
  report,
  reportDispute,
  reportRefund,
} from '../fixture/provider.ts';

describeOnEachEngine('what a provider reports is recorded once', (fixture) => {
  const moneyOf = async (orderId: string) => {
    const { state, paid, refunded, credit, due } = await read(fixture, `/${orderId}`);
    return { state, paid, refunded, credit, due };
  };
  const typesOf = (orderId: string) =>
    fixture.announced.flatMap(({ key, data }) =>
      key === orderId ? [(data as { event: { type: string } }).event.type] : [],
    );

  test('a capture sells the order, and the same report again changes nothing', async () => {
    const { page, path, orderId, hall } = await checkOutWithPage(fixture);
    const first = await report(fixture, orderId, page);
    expect(first.data).toEqual({ wanted: false, state: 'confirmed', status: 'captured' });
    const { version } = await readCart(fixture, path);
    for (const status of ['captured', 'failed', 'pending'] as const)
      expect((await report(fixture, orderId, page, status)).data).toEqual(first.data);
    const after = await readCart(fixture, path);
    expect(after).toMatchObject({ version, state: 'confirmed', paid: 2_000, due: 0, credit: 0 });
    expect(after.payment).toMatchObject({ state: 'captured', url: null });
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    await fixture.later();
    expect(listRequestedRefunds(fixture, orderId)).toEqual([]);
  });

  test('eight reports of one capture at once are one payment and one sale', async () => {
    const { page, orderId } = await checkOutWithPage(fixture);
    const replies = await Promise.all(Array.from({ length: 8 }, () => report(fixture, orderId, page)));
    for (const { status } of replies) expect([200, 409]).toContain(status);
    expect((await report(fixture, orderId, page)).data).toMatchObject({ state: 'confirmed' });
    expect(await moneyOf(orderId)).toMatchObject({ paid: 2_000, credit: 0, due: 0 });
    expect(await listPayments(fixture, `/${orderId}`)).toHaveLength(1);
  });

  test('a capture after the report that the page has failed counts all the same', async () => {
    const { page, orderId } = await checkOutWithPage(fixture);
    await report(fixture, orderId, page, 'failed', { ended: 'expired' });
    expect((await report(fixture, orderId, page)).data).toMatchObject({ state: 'confirmed', status: 'captured' });
    const [payment] = (await fixture.document(orderId))?.payments ?? [];
    expect(payment).not.toHaveProperty('ended');
  });

  test('a capture of a payment that the order does not know is recorded and pays it', async () => {
    const { orderId } = await checkOutWithPage(fixture);
    const unknown = buildPage();
    expect((await report(fixture, orderId, unknown)).data).toEqual({
      ...{ wanted: false, state: 'confirmed', status: 'captured' },
    });
    const payments = await listPayments(fixture, `/${orderId}`);
    expect(payments.map(({ status, provider }) => [status, provider])).toEqual([
      ['pending', 'stripe'],
      ['captured', 'stripe'],
    ]);
    expect(payments[1]).toMatchObject({ id: unknown.paymentId, mode: 'simulated', reference: unknown.reference });
  });

  test('a capture that comes before the checkout lists the cart and sells it', async () => {
    const { cart, path } = await createCart(fixture);
    expect((await report(fixture, cart.id, buildPage())).data.state).toBe('confirmed');
    expect(await readCart(fixture, path)).toMatchObject({ listed: true, state: 'confirmed', paid: 2_000 });
    const gone = await fixture.catalog.expiring(() => createCart(fixture));
    await readCart(fixture, gone.path);
    expect((await report(fixture, gone.cart.id, buildPage())).data.state).toBe('confirmed');
    expect((await fixture.document(gone.cart.id))?.abandonedAt ?? null).toBeNull();
  });

  test('another amount or currency is not recorded, and an unknown order is not found', async () => {
    const { page, orderId } = await checkOutWithPage(fixture);
    expect((await report(fixture, orderId, { ...page, amount: 1_999 })).status).toBe(412);
    expect((await report(fixture, orderId, { ...page, currency: 'EUR' })).status).toBe(422);
    expect(await moneyOf(orderId)).toMatchObject({ state: 'payment_pending', paid: 0 });
    for (const orderIds of ['ord_0000000000000000000'])
      expect((await report(fixture, orderIds, page)).status).toBe(404);
    // What came with it is nothing of the order.
    expect((await report(fixture, orderId, page, 'failed')).data).toMatchObject({ state: 'open', status: 'failed' });
  });

  describe('a late capture', () => {
    test('confirms an expired order whose places can be held', async () => {
      const { page, orderId } = await checkOutWithPage(fixture);
      await movePastDeadline(fixture, orderId);
      expect((await read(fixture, `/${orderId}`)).state).toBe('expired');
      fixture.catalog.receive({ type: 'order.expired', key: orderId, version: Number.MAX_SAFE_INTEGER });
      expect((await report(fixture, orderId, page)).data).toMatchObject({ state: 'confirmed', status: 'captured' });
      await fixture.later();
      expect(listRequestedRefunds(fixture, orderId)).toEqual([]);
    });

    test('is credit where they are gone, and goes back by itself', async () => {
      const { page, orderId, hall } = await checkOutWithPage(fixture);
      await movePastDeadline(fixture, orderId);
      await read(fixture, `/${orderId}`);
      for (const id of hall.placeIds) fixture.catalog.steal(id);
      const { data, status } = await report(fixture, orderId, page);
      expect([status, data]).toEqual([200, { wanted: false, state: 'expired', status: 'captured' }]);
      expect(await moneyOf(orderId)).toMatchObject({ paid: 2_000, refunded: 0, credit: 2_000 });
      expect((await report(fixture, orderId, page)).data).toEqual(data);
      await fixture.later();
      expect(await moneyOf(orderId)).toMatchObject({ state: 'expired', refunded: 2_000, credit: 0 });
      expect(listRequestedRefunds(fixture, orderId)).toMatchObject([
        { paymentId: page.paymentId, provider: 'stripe', amount: 2_000, currency: 'CHF', automatic: true },
      ]);
    });

    test('that the catalog does not answer stays due, and is decided before anything goes back', async () => {
      const { page, orderId } = await checkOutWithPage(fixture);
      await movePastDeadline(fixture, orderId);
      await read(fixture, `/${orderId}`);
      fixture.catalog.mishaps.set('renewHold', 'fails');
      expect((await report(fixture, orderId, page)).data).toMatchObject({ state: 'expired', status: 'captured' });
      fixture.catalog.mishaps.clear();
      await fixture.later();
      expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', paid: 2_000, refunded: 0, credit: 0 });
    });

    test('on a cancelled order, whoever has cancelled it, goes back by itself', async () => {
      const { page, orderId } = await checkOutWithPage(fixture);
      await fixture.call('POST', `/${orderId}/cancellation`, { body: {} });
      expect((await report(fixture, orderId, page)).data).toEqual({
        ...{ wanted: false, state: 'cancelled', status: 'captured' },
      });
      await fixture.later();
      expect(await moneyOf(orderId)).toMatchObject({ state: 'cancelled', paid: 2_000, refunded: 2_000, credit: 0 });
    });

    test('after another payment goes back by itself, and the order stays sold', async () => {
      const { page, orderId } = await checkOutWithPage(fixture);
      await pay(fixture, `/${orderId}`);
      await report(fixture, orderId, page);
      expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', paid: 4_000, credit: 2_000 });
      await fixture.later();
      expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', refunded: 2_000, credit: 0, due: 0 });
    });
  });

  test('two pages that are paid at once are one sale and one refund', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    const second = buildPage();
    await addPage(fixture, path, second);
    await Promise.all([report(fixture, orderId, page), report(fixture, orderId, second)]);
    for (const one of [page, second]) await report(fixture, orderId, one);
    expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', paid: 4_000, credit: 2_000 });
    await fixture.later();
    await fixture.later();
    expect(await moneyOf(orderId)).toMatchObject({ state: 'confirmed', paid: 4_000, refunded: 2_000, credit: 0 });
    expect(listRequestedRefunds(fixture, orderId)).toHaveLength(1);
  });

  test.each(['expiry', 'cancellation'])('a capture in a race with an %s is a sale or goes back', async (other) => {
    for (let round = 0; round < 5; round += 1) {
      const { page, orderId } = await checkOutWithPage(fixture);
      if (other === 'expiry') await movePastDeadline(fixture, orderId);
      const end = () =>
        other === 'expiry'
          ? read(fixture, `/${orderId}`)
          : fixture.call('POST', `/${orderId}/cancellation`, { body: {} });
      await Promise.all([report(fixture, orderId, page), end(), report(fixture, orderId, page)]);
      await report(fixture, orderId, page);
      await fixture.later();
      const { state, paid, refunded, credit } = await moneyOf(orderId);
      expect(paid).toBe(2_000);
      // What the institution has cancelled once it was sold is its credit.
      if (state === 'confirmed') expect([refunded, credit]).toEqual([0, 0]);
      else expect(refunded + credit).toBe(2_000);
      if (state === 'expired') expect(refunded).toBe(2_000);
    }
  });

  test('its payment is settled by the provider alone, and no request names a provider', async () => {
    const { page, orderId } = await checkOutWithPage(fixture);
    const path = `/${orderId}/payments/${page.paymentId}`;
    for (const status of ['captured', 'failed', 'pending']) {
      const reply = await fixture.call('PATCH', path, { body: { status } });
      expect(reply).toMatchObject({ status: 412, code: 'payment_by_provider' });
    }
    await report(fixture, orderId, page);
    expect((await fixture.call('PATCH', path, { body: { status: 'captured' } })).code).toBe('payment_by_provider');
    const made = await createOrderInHall(fixture);
    expect((await pay(fixture, made.path, { provider: 'stripe' })).status).toBe(400);
    const recorded = await pay(fixture, made.path, { method: 'stripe', status: 'pending' });
    expect(recorded.data).toMatchObject({ method: 'stripe', provider: null });
    expect(recorded.data).not.toHaveProperty('mode');
    const patch = (body: object) => fixture.call('PATCH', `${made.path}/payments/${recorded.data.id}`, { body });
    expect((await patch({ status: 'captured', provider: 'stripe' })).status).toBe(422);
    expect((await patch({ status: 'captured' })).status).toBe(200);
    const listed = await fixture.call<{ items: { id: string }[] }>('GET', '/svc/v3/payments?provider=stripe&limit=500');
    expect(listed.data.items.map(({ id }) => id)).toContain(page.paymentId);
    expect(listed.data.items.map(({ id }) => id)).not.toContain(recorded.data.id);
  });

  test('partners hear of the capture, the end of a page, a refund and what became of it', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    await report(fixture, orderId, page, 'failed', { ended: 'expired' });
    const second = buildPage();
    await addPage(fixture, path, second);
    await report(fixture, orderId, second);
    const body = { amount: 500, provider: 'stripe' };
    const { data } = await fixture.call<{ id: string }>('POST', `/${orderId}/refunds`, { body });
    await reportRefund(fixture, orderId, data.id, 'done');
    await reportDispute(fixture, orderId, second, 'open');
    const types = typesOf(orderId);
    for (const type of ['payment.failed', 'payment.recorded', 'refund.recorded', 'refund.changed', 'payment.disputed'])
      expect(types.filter((one) => one === type)).toHaveLength(1);
  });
});
