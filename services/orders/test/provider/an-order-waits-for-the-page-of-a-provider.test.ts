// rule commerce.3: The grace period of a provider's payment counts from the last page | services/orders/src/domain/providers.ts

import { describe, expect, test } from '@jest/globals';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { buyCart, createCart, createContact, listPayments, pay, postToShop, readCart } from '../fixture/orders.ts';
import { addPage, buildPage, checkOutWithPage, report } from '../fixture/provider.ts';

describeOnEachEngine('an order waits for the page of a provider', (fixture) => {
  test('it is payment_pending, and holds its places until the end of the page', async () => {
    const { hall, order, page, orderId } = await checkOutWithPage(fixture);
    expect(order).toMatchObject({
      state: 'payment_pending',
      due: 2_000,
      paid: 0,
      expiresAt: page.until,
      deadline: page.until,
      payment: {
        id: page.paymentId,
        method: 'stripe',
        provider: 'stripe',
        state: 'pending',
        url: page.url,
        expiresAt: page.expiresAt,
      },
    });
    const until = Date.parse(page.until);
    expect(fixture.catalog.placesOf(orderId).map((place) => place.until)).toEqual([until, until]);
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
    const [payment] = await listPayments(fixture, `/${orderId}`);
    const { reference, mode } = page;
    expect(payment).toMatchObject({ provider: 'stripe', method: 'stripe', mode, disputed: null, reference });
  });

  test('a repeat is the same order, and asks for no other payment', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    const contactNumber = createContact(fixture);
    const again = await buyCart(fixture, path, { contactNumber, paymentMethod: 'stripe', page: buildPage() });
    expect(again).toMatchObject({ outcome: 'done', order: { id: orderId, payment: { id: page.paymentId } } });
    expect(await listPayments(fixture, `/${orderId}`)).toHaveLength(1);
  });

  test('a page for another amount or currency than is due, or none, is refused, and the cart stays', async () => {
    const contactNumber = createContact(fixture);
    const { path, hall } = await createCart(fixture);
    const pages = [
      buildPage({ amount: 1_999 }),
      buildPage({ amount: 2_001 }),
      buildPage({ currency: 'EUR' }),
      undefined,
    ];
    for (const [index, page] of pages.entries()) {
      const body = { contactNumber, paymentMethod: 'stripe', requestId: `r${index}`, ...(page && { page }) };
      expect(await buyCart(fixture, path, body)).toMatchObject({
        outcome: 'refused',
        reason: 'amount_differs',
        order: { state: 'open', listed: false, payment: null },
      });
    }
    expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 2, sold: 0 });
  });

  test('an order of 0 is confirmed at once, whatever the method', async () => {
    const hall = fixture.catalog.hall(4, { amount: 0 });
    const { path } = await createCart(fixture, 2, hall);
    const contactNumber = createContact(fixture);
    const outcome = await buyCart(fixture, path, { contactNumber, paymentMethod: 'stripe' });
    expect(outcome).toMatchObject({ outcome: 'done', order: { state: 'confirmed', payment: null } });
  });

  test('with places that are gone nothing is bought', async () => {
    const { path, cart } = await createCart(fixture);
    for (const { id } of fixture.catalog.placesOf(cart.id)) fixture.catalog.steal(id);
    const contactNumber = createContact(fixture);
    const outcome = await buyCart(fixture, path, { contactNumber, paymentMethod: 'stripe', page: buildPage() });
    expect(outcome).toMatchObject({ outcome: 'refused', reason: 'places_gone' });
    expect(await readCart(fixture, path)).toMatchObject({ state: 'cancelled', listed: false, payment: null });
  });

  describe('a page that ends unpaid', () => {
    test.each(['expired', 'failed'] as const)('%s: the order is open until its grace period ends', async (ended) => {
      const { page, path, order, orderId } = await checkOutWithPage(fixture);
      const { data } = await report(fixture, orderId, page, 'failed', { ended });
      expect(data).toEqual({ wanted: false, state: 'open', status: 'failed' });
      const after = await readCart(fixture, path);
      expect(after).toMatchObject({ state: 'open', payable: true, deadline: order.deadline, expiresAt: page.until });
      expect(after.payment).toMatchObject({ state: ended, url: null });
      expect((await listPayments(fixture, `/${orderId}`)).map(({ status }) => status)).toEqual(['failed']);
    });

    test('another page is another payment, from which the grace period counts anew', async () => {
      const { page, path, orderId } = await checkOutWithPage(fixture);
      await report(fixture, orderId, page, 'failed', { ended: 'expired' });
      const second = buildPage({ minutes: 60 });
      const outcome = await addPage(fixture, path, second, 'again');
      expect(outcome).toMatchObject({
        outcome: 'done',
        order: { state: 'payment_pending', deadline: second.until, payment: { id: second.paymentId, url: second.url } },
      });
      expect((await addPage(fixture, path, second, 'again')).outcome).toBe('done');
      expect(await listPayments(fixture, `/${orderId}`)).toHaveLength(2);
      const until = Date.parse(second.until);
      expect(fixture.catalog.placesOf(orderId).map((place) => place.until)).toEqual([until, until]);
      // The page before it was closed late.
      expect((await report(fixture, orderId, page, 'failed')).data.state).toBe('payment_pending');
    });

    test('so is one that is opened while the page before it is pending', async () => {
      const { page, path, orderId } = await checkOutWithPage(fixture);
      const second = buildPage();
      expect((await addPage(fixture, path, second)).outcome).toBe('done');
      expect((await report(fixture, orderId, page, 'failed')).data.state).toBe('payment_pending');
      expect((await report(fixture, orderId, second, 'failed')).data.state).toBe('open');
    });
  });

  test('no page is added for another amount, to a cart, to what is paid or over, nor three hours after the checkout', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    const add = (more = {}, at = path) => addPage(fixture, at, buildPage(more));
    expect((await add({ amount: 1_000 })).reason).toBe('amount_differs');
    const { path: cart } = await createCart(fixture);
    await expect(add({}, cart)).rejects.toThrow('404');
    const move = (ms: number) =>
      fixture.context.orders.of('opera').update(orderId, ({ checkout, ...current }) => ({
        next: { ...current, ...(checkout && { checkout: { ...checkout, at: checkout.at - ms } }) },
      }));
    await move(3 * 60 * 60_000 + 1_000);
    expect((await add()).reason).toBe('not_payable');
    await report(fixture, orderId, page, 'failed');
    expect((await add()).reason).toBe('not_payable');
    const contactNumber = createContact(fixture);
    const bought = await buyCart(fixture, path, {
      ...{ contactNumber, requestId: 'anew', paymentMethod: 'stripe', page: buildPage() },
    });
    expect(bought.reason).toBe('not_payable');
    await move(-3 * 60 * 60_000);
    expect((await add()).outcome).toBe('done');
    expect((await pay(fixture, `/${orderId}`)).status).toBe(201);
    expect((await add()).reason).toBe('not_payable');
  });

  test('a failed order is checked out again with another page, and the three hours stay those of the first', async () => {
    const { page, path, orderId, order } = await checkOutWithPage(fixture);
    await report(fixture, orderId, page, 'failed', { ended: 'expired' });
    const contactNumber = createContact(fixture);
    const second = buildPage();
    const again = await buyCart(fixture, path, {
      ...{ contactNumber, requestId: 'anew', paymentMethod: 'stripe', page: second },
    });
    expect(again).toMatchObject({
      outcome: 'done',
      order: { state: 'payment_pending', payment: { id: second.paymentId }, checkout: { at: order.checkout?.at } },
    });
  });

  test('after a page that failed it shows the payment that is pending, however it is made, then the last', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    await report(fixture, orderId, page, 'failed', { ended: 'expired' });
    const contactNumber = createContact(fixture);
    await buyCart(fixture, path, { contactNumber, requestId: 'anew', paymentMethod: 'external' });
    const shown = async () => (await readCart(fixture, path)).payment;
    expect(await shown()).toMatchObject({ method: 'external', provider: null, state: 'pending', url: null });
    const pending = (await listPayments(fixture, `/${orderId}`)).find(({ status }) => status === 'pending');
    await fixture.call('PATCH', `/${orderId}/payments/${pending?.id}`, { body: { status: 'captured' } });
    expect(await shown()).toMatchObject({ method: 'external', state: 'captured' });
    // Money of a page that came all the same.
    await report(fixture, orderId, page);
    expect(await shown()).toMatchObject({ method: 'stripe', state: 'captured' });
  });

  test('the page that the buyer can pay is shown, whatever staff record beside it', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    const shown = async () => (await readCart(fixture, path)).payment;
    const transfer = await pay(fixture, `/${orderId}`, { method: 'transfer', status: 'pending' });
    expect(await shown()).toMatchObject({ id: page.paymentId, method: 'stripe', state: 'pending', url: page.url });
    await report(fixture, orderId, page, 'failed', { ended: 'expired' });
    expect(await shown()).toMatchObject({ method: 'transfer', provider: null, state: 'pending' });
    const path1 = `/${orderId}/payments/${transfer.data.id}`;
    await fixture.call('PATCH', path1, { body: { status: 'failed' } });
    // The buyer can only try again as he did.
    expect(await shown()).toMatchObject({ id: page.paymentId, method: 'stripe', state: 'expired' });
  });

  test('pages are wanted while they are pending and charge what is due', async () => {
    const { page, path, orderId } = await checkOutWithPage(fixture);
    const ask = async (one = page) => (await report(fixture, orderId, one, 'pending')).data;
    expect(await ask()).toEqual({ wanted: true, state: 'payment_pending', status: 'pending' });
    expect(await ask(buildPage())).toEqual({ wanted: false, state: 'payment_pending', status: null });
    await pay(fixture, `/${orderId}`, { amount: 500 });
    expect(await ask()).toEqual({ wanted: false, state: 'payment_pending', status: 'pending' });
    await postToShop(fixture, `${path}/cancellation`, { requestId: 'c' });
    expect(await ask()).toEqual({ wanted: false, state: 'cancelled', status: 'pending' });
    expect((await report(fixture, 'ord_0000000000000000000', page, 'pending')).status).toBe(404);
  });

  test('an order that was cancelled, expired or paid otherwise says so, so that its pages are closed', async () => {
    const typesOf = (orderId: string) => fixture.factsOf(orderId).map(({ type }) => type);
    const cancelled = await checkOutWithPage(fixture);
    await fixture.call('POST', `/${cancelled.orderId}/cancellation`, { body: {} });
    expect(typesOf(cancelled.orderId)).toContain('order.cancelled');
    const paid = await checkOutWithPage(fixture);
    await pay(fixture, `/${paid.orderId}`);
    expect(typesOf(paid.orderId)).toContain('order.confirmed');
    const onAccount = await checkOutWithPage(fixture);
    await fixture.confirm(`/${onAccount.orderId}`);
    expect(typesOf(onAccount.orderId)).toContain('order.confirmed');
    const over = await checkOutWithPage(fixture, buildPage({ minutes: 0 }));
    await fixture.later(16 * 60_000);
    expect(typesOf(over.orderId)).toContain('order.expired');
  });
});
