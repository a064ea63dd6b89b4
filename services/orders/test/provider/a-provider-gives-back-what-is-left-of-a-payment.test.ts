// rule commerce.3: What is left of a payment = captured − refunds that have not failed − lost disputes | services/orders/src/domain/provider-refunds.ts

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { createOrderInHall, pay, read } from '../fixture/orders.ts';
import {
  addPage,
  buildPage,
  checkOutWithPage,
  listRequestedRefunds,
  report,
  reportDispute,
  reportRefund,
} from '../fixture/provider.ts';

interface Refund {
  readonly id: string;
  readonly state: string;
}

describeOnEachEngine('a provider gives back what is left of a payment', (fixture) => {
  const paid = async () => {
    const made = await checkOutWithPage(fixture);
    await report(fixture, made.orderId, made.page);
    return made;
  };
  const refund = (orderId: string, body: object, call: object = {}) =>
    fixture.call<Refund>('POST', `/${orderId}/refunds`, { body: { provider: 'stripe', ...body }, ...call });
  const readRefund = async (orderId: string, id: string) =>
    (await fixture.call<Refund>('GET', `/${orderId}/refunds/${id}`)).data;

  test('a refund is pending with its request, then done; the same report again changes nothing', async () => {
    const { orderId, page } = await paid();
    const key = randomUUID();
    const made = await refund(orderId, { amount: 700 }, { key });
    expect(made).toMatchObject({
      status: 201,
      data: { state: 'pending', method: 'stripe', provider: 'stripe', reference: null, paymentId: page.paymentId },
    });
    expect((await refund(orderId, { amount: 700 }, { key })).data.id).toBe(made.data.id);
    const { id } = made.data;
    expect(listRequestedRefunds(fixture, orderId)).toEqual([
      {
        ...{ orderId, refundId: id, paymentId: page.paymentId, provider: 'stripe' },
        ...{ amount: 700, currency: 'CHF', automatic: false },
      },
    ]);
    expect((await reportRefund(fixture, orderId, id, 'pending')).data).toEqual({ status: 'pending' });
    expect((await reportRefund(fixture, orderId, id, 'done')).data).toEqual({ status: 'done' });
    const { version } = await read(fixture, `/${orderId}`);
    for (const status of ['done', 'pending']) await reportRefund(fixture, orderId, id, status);
    expect(await read(fixture, `/${orderId}`)).toMatchObject({ version, refunded: 700, goodwill: 700, due: 0 });
    expect(await readRefund(orderId, id)).toMatchObject({ state: 'done', reference: `re_${id}` });
    expect((await reportRefund(fixture, orderId, 'ref_0000000000000000000', 'done')).status).toBe(404);
  });

  test('its request can be told again while it is pending', async () => {
    const { orderId } = await paid();
    const { data } = await refund(orderId, { amount: 700 });
    const listTold = async () => {
      const told: unknown[] = [];
      for await (const { type, key, data: of } of currentFacts.read(fixture.store))
        if (type === 'order.refund_requested' && key === orderId) told.push(of);
      return told;
    };
    expect(await listTold()).toEqual(listRequestedRefunds(fixture, orderId));
    await reportRefund(fixture, orderId, data.id, 'done');
    expect(await listTold()).toEqual([]);
  });

  test('one that fails, later too, takes back what it counted for, and is final', async () => {
    const { orderId } = await paid();
    const { data } = await refund(orderId, { amount: 2_000 });
    expect((await refund(orderId, { amount: 1 })).code).toBe('refund_exceeds_paid');
    await reportRefund(fixture, orderId, data.id, 'done');
    await reportRefund(fixture, orderId, data.id, 'failed');
    for (const status of ['done', 'pending']) await reportRefund(fixture, orderId, data.id, status);
    expect(await readRefund(orderId, data.id)).toMatchObject({ state: 'failed' });
    expect(await read(fixture, `/${orderId}`)).toMatchObject({ refunded: 0, goodwill: 0, credit: 0, due: 0 });
    expect((await refund(orderId, { amount: 2_000 })).status).toBe(201);
  });

  test('without paymentId the newest payment that covers it gives it back', async () => {
    const { orderId, page, path } = await checkOutWithPage(fixture);
    const second = buildPage();
    fixture.catalog.refundCredit = false;
    await addPage(fixture, path, second);
    for (const one of [page, second]) await report(fixture, orderId, one);
    await fixture.later();
    fixture.catalog.refundCredit = true;
    const of = async (body: object) => (await refund(orderId, body)).data;
    expect(await of({ amount: 500 })).toMatchObject({ paymentId: second.paymentId });
    expect(await of({ amount: 1_600 })).toMatchObject({ paymentId: page.paymentId });
    expect(await of({ amount: 300, paymentId: page.paymentId })).toMatchObject({ paymentId: page.paymentId });
    expect((await refund(orderId, { amount: 101, paymentId: page.paymentId })).code).toBe('refund_exceeds_paid');
    expect((await refund(orderId, { amount: 1_501 })).code).toBe('refund_exceeds_paid');
    expect(await of({ amount: 1_500 })).toMatchObject({ paymentId: second.paymentId });
  });

  describe('refused is', () => {
    test('what names both a method and a provider, neither, or what the provider alone gives', async () => {
      const { orderId } = await paid();
      for (const body of [
        { amount: 1, method: 'cash' },
        { amount: 1, provider: undefined },
        { amount: 1, provider: 'other' },
        { amount: 1, reference: 'mine' },
        { amount: 1, provider: undefined, method: 'cash', paymentId: 'pay_1' },
      ])
        expect((await refund(orderId, body)).status).toBe(400);
    });

    test('a payment that is unknown, of no provider, or not captured', async () => {
      const { orderId } = await paid();
      const cash = await createOrderInHall(fixture);
      const { data } = await pay(fixture, cash.path);
      expect(await refund(orderId, { amount: 1, paymentId: 'pay_0000000000000000000' })).toMatchObject({
        ...{ status: 422, code: 'validation_error' },
      });
      const id = cash.path.slice(1);
      expect(await refund(id, { amount: 1, paymentId: data.id })).toMatchObject({
        status: 422,
        code: 'validation_error',
      });
      expect(await refund(id, { amount: 1 })).toMatchObject({ status: 422, code: 'refund_exceeds_paid' });
      const waiting = await checkOutWithPage(fixture);
      const { paymentId } = waiting.page;
      expect((await refund(waiting.orderId, { amount: 1, paymentId })).code).toBe('refund_exceeds_paid');
      expect((await refund(orderId, { amount: 1, currency: 'EUR' })).status).toBe(422);
    });

    test('what other refunds of the order have given back already', async () => {
      const { orderId } = await paid();
      await fixture.call('POST', `/${orderId}/refunds`, { body: { amount: 1_500, method: 'cash' } });
      expect((await refund(orderId, { amount: 501 })).code).toBe('refund_exceeds_paid');
      expect((await refund(orderId, { amount: 500 })).status).toBe(201);
    });

    test('a payment in dispute, until it is won', async () => {
      const { orderId, page } = await paid();
      await reportDispute(fixture, orderId, page, 'open');
      expect(await refund(orderId, { amount: 1 })).toMatchObject({ status: 409, code: 'payment_disputed' });
      await reportDispute(fixture, orderId, page, 'won');
      expect((await refund(orderId, { amount: 1 })).status).toBe(201);
    });
  });

  describe('a dispute', () => {
    const disputedOf = async (orderId: string) =>
      (await fixture.call<{ items: { disputed: string | null }[] }>('GET', `/${orderId}/payments`)).data.items.map(
        ({ disputed }) => disputed,
      );

    test('is shown with its state, and an older report changes nothing', async () => {
      const { orderId, page } = await paid();
      const at = (seconds: number) => ({ at: new Date(Date.now() + seconds * 1_000).toISOString() });
      await reportDispute(fixture, orderId, page, 'open', at(0));
      expect(await disputedOf(orderId)).toEqual(['open']);
      const { version } = await read(fixture, `/${orderId}`);
      await reportDispute(fixture, orderId, page, 'open', at(1));
      expect((await read(fixture, `/${orderId}`)).version).toBe(version);
      await reportDispute(fixture, orderId, page, 'lost', at(2));
      for (const state of ['open', 'won']) await reportDispute(fixture, orderId, page, state, at(1));
      expect(await disputedOf(orderId)).toEqual(['lost']);
      expect((await reportDispute(fixture, orderId, buildPage(), 'open')).status).toBe(404);
    });

    test('that is lost counts its own amount as refunded, at most what is left, and its part beyond the credit as goodwill', async () => {
      const { orderId, page } = await paid();
      await refund(orderId, { amount: 1_500 });
      await reportDispute(fixture, orderId, page, 'lost', { amount: 2_000 });
      expect(await read(fixture, `/${orderId}`)).toMatchObject({
        ...{ state: 'confirmed', paid: 2_000, refunded: 2_000, goodwill: 2_000, credit: 0, due: 0 },
      });
      expect((await refund(orderId, { amount: 1 })).code).toBe('refund_exceeds_paid');
    });

    test('that is decided replaces what was open, and never the other way round, whatever the clocks say', async () => {
      const { orderId, page } = await paid();
      const at = (minutes: number) => ({ at: new Date(Date.now() + minutes * 60_000).toISOString() });
      await reportDispute(fixture, orderId, page, 'open', at(1));
      await reportDispute(fixture, orderId, page, 'lost', at(0));
      expect(await disputedOf(orderId)).toEqual(['lost']);
      await reportDispute(fixture, orderId, page, 'open', at(2));
      expect(await disputedOf(orderId)).toEqual(['lost']);
      expect(await read(fixture, `/${orderId}`)).toMatchObject({ refunded: 2_000, credit: 0 });
      const other = await paid();
      await reportDispute(fixture, other.orderId, other.page, 'open', at(1));
      await reportDispute(fixture, other.orderId, other.page, 'won', at(0));
      await reportDispute(fixture, other.orderId, other.page, 'open', at(2));
      expect(await disputedOf(other.orderId)).toEqual(['won']);
    });

    test('that is opened after a lost one takes nothing back of it, in whatever sequence the reports come', async () => {
      const [first, second, third] = [
        ['lost', { amount: 800, lost: 800 }],
        ['open', { amount: 500, lost: 800 }],
        ['lost', { amount: 500, lost: 1_300 }],
      ] as const;
      for (const reports of [
        [first, second, first],
        [second, first],
      ]) {
        const { orderId, page } = await paid();
        for (const [state, more] of reports) await reportDispute(fixture, orderId, page, state, more);
        expect(await disputedOf(orderId)).toEqual(['open']);
        expect(await read(fixture, `/${orderId}`)).toMatchObject({ refunded: 800, goodwill: 800, due: 0, credit: 0 });
        expect((await refund(orderId, { amount: 1 })).code).toBe('payment_disputed');
        for (const [state, more] of [third, second, first]) await reportDispute(fixture, orderId, page, state, more);
        expect(await disputedOf(orderId)).toEqual(['lost']);
        expect(await read(fixture, `/${orderId}`)).toMatchObject({ refunded: 1_300, goodwill: 1_300, credit: 0 });
      }
    });

    test('that is lost after its money was refunded counts once that refund fails', async () => {
      for (const status of ['pending', 'done']) {
        const { orderId, page } = await paid();
        const { data } = await refund(orderId, { amount: 2_000 });
        await reportRefund(fixture, orderId, data.id, status);
        await reportDispute(fixture, orderId, page, 'lost', { amount: 2_000 });
        expect(await read(fixture, `/${orderId}`)).toMatchObject({ refunded: 2_000, credit: 0 });
        await reportRefund(fixture, orderId, data.id, 'failed');
        expect(await read(fixture, `/${orderId}`)).toMatchObject({
          refunded: 2_000,
          goodwill: 2_000,
          credit: 0,
          due: 0,
        });
        expect((await refund(orderId, { amount: 1 })).code).toBe('refund_exceeds_paid');
      }
    });

    test('that is lost in part leaves the rest to be given back', async () => {
      const { orderId, page } = await paid();
      await reportDispute(fixture, orderId, page, 'lost', { amount: 800 });
      expect(await read(fixture, `/${orderId}`)).toMatchObject({ refunded: 800, goodwill: 800, due: 0 });
      expect((await refund(orderId, { amount: 1_201 })).code).toBe('refund_exceeds_paid');
      expect((await refund(orderId, { amount: 1_200 })).status).toBe(201);
    });
  });
});
