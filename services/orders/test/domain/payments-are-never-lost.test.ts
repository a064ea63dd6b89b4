import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { checkSellable, confirmPaidOrder, giveUpSale } from '../../src/domain/confirmation.ts';
import { removeLine } from '../../src/domain/lines.ts';
import {
  computeDue,
  computePaid,
  computePaymentStatus,
  computeRefundStatus,
  type Order,
} from '../../src/domain/order/order.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment, refund, settlePayment } from '../../src/domain/payments.ts';
import {
  buildPayment,
  createConfirmedOrder,
  createOpenOrder,
  createPendingOrder,
  createSaleDue,
  expectAccepted,
  expectAcceptedButRefused,
  expectNext,
  expectRefused,
  GRACE,
  MINUTE,
  NOW,
  toSale,
  UNTIL,
} from './samples.ts';

const expired = (order = createOpenOrder(), now = UNTIL) => expectNext(expire(order, now));
const cancelled = (order = createOpenOrder()) =>
  expectNext(cancel(order, { reason: null, override: false, controlled: 0 }, NOW));
const onAccount = createConfirmedOrder();
const unsold = (order: Order, paymentId: string): Order =>
  expectAcceptedButRefused(giveUpSale(order, order.saleDue ?? createSaleDue(paymentId), NOW), 'places_gone');
const settlement = (status: 'captured' | 'failed', paymentId = 'pay_p') => ({ paymentId, status });

describe('a captured payment', () => {
  test('of a part of the amount lowers what is due, and the state stays', () => {
    const { next: order, facts } = expectAccepted(addPayment(createOpenOrder(), buildPayment('pay_1', 4_000), NOW));
    expect([order.state, computeDue(order), computePaid(order), computePaymentStatus(order)]).toEqual([
      'open',
      6_000,
      4_000,
      'partial',
    ]);
    expect([order.saleDue ?? null, facts]).toEqual([null, []]);
  });

  test('in full is written with the sale that is due', () => {
    const order = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));
    expect(order.saleDue).toEqual({ since: NOW, paymentId: 'pay_1' });
    expect([order.state, computePaymentStatus(order)]).toEqual(['open', 'paid']);
  });

  test('in full together with earlier ones makes the sale due', () => {
    const part = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 4_000), NOW));
    expect(expectNext(addPayment(part, buildPayment('pay_2', 6_000), NOW)).saleDue?.paymentId).toBe('pay_2');
  });

  test('of more than is due is refused, also after the same amount was paid', () => {
    expectRefused(addPayment(createOpenOrder(), buildPayment('pay_1', 10_001), NOW), 'exceeds_due');
    expectRefused(addPayment(createOpenOrder(0), buildPayment('pay_1', 1), NOW), 'exceeds_due');
    const paid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));
    expectRefused(addPayment(unsold(paid, 'pay_1'), buildPayment('pay_2', 10_000), NOW), 'exceeds_due');
  });

  test('on an order confirmed on account pays it', () => {
    const order = expectNext(addPayment(onAccount, buildPayment('pay_1', 10_000), NOW));
    expect([order.state, order.saleDue, computePaymentStatus(order)]).toEqual(['confirmed', null, 'paid']);
    expectRefused(addPayment(order, buildPayment('pay_2', 1), NOW), 'exceeds_due');
  });
});

describe('amounts', () => {
  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%p is not an amount', (amount) => {
    expectRefused(addPayment(createOpenOrder(), buildPayment('pay_1', amount), NOW), 'invalid_amount');
  });

  test('paid before a line was removed leave nothing due', () => {
    const part = expectNext(addPayment(createOpenOrder(5_000, 5_000), buildPayment('pay_1', 7_000), NOW));
    const less = expectNext(removeLine(part, { lineId: 'lin_1', asOf: 1 }, NOW));
    expect([computeDue(less), computePaid(less), computePaymentStatus(less)]).toEqual([0, 7_000, 'paid']);
  });
});

describe('a pending payment', () => {
  test('makes the order wait, with its places held for the grace period', () => {
    const order = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000, 'pending'), NOW));
    const deadline = UNTIL + GRACE;
    expect(order).toMatchObject({ state: 'payment_pending', cameFrom: 'open', deadline, expiresAt: UNTIL });
    expect([computeDue(order), computePaymentStatus(order), order.saleDue ?? null]).toEqual([10_000, 'unpaid', null]);
  });

  test('for which the places cannot be held longer gives no grace period, and is captured late', () => {
    const order = expectNext(
      addPayment(createOpenOrder(), buildPayment('pay_1', 10_000, 'pending', { graceMs: 0 }), NOW),
    );
    expect(order).toMatchObject({ state: 'payment_pending', deadline: UNTIL });
    const { next: late, facts } = expectAccepted(expire(order, UNTIL));
    expect([late.state, late.payments[0]?.status, facts.map(({ type }) => type)]).toEqual([
      'expired',
      'pending',
      ['order.expired'],
    ]);
    const captured = expectNext(settlePayment(late, settlement('captured', 'pay_1'), UNTIL + MINUTE));
    expect(captured.saleDue).toEqual({ since: UNTIL + MINUTE, paymentId: 'pay_1' });
  });

  test('that fails returns the order to its previous state and deadline', () => {
    const order = expectNext(settlePayment(createPendingOrder(), settlement('failed'), NOW));
    expect(order).toMatchObject({ state: 'open', cameFrom: null, deadline: UNTIL, payments: [{ status: 'failed' }] });
    const reserved = { ...createOpenOrder(), state: 'reserved', dueAt: UNTIL } as const;
    expect(expectNext(settlePayment(createPendingOrder(reserved), settlement('failed'), NOW)).state).toBe('reserved');
  });

  test('that fails after the previous deadline expires the order', () => {
    const { next: order, facts } = expectAccepted(
      settlePayment(createPendingOrder(), settlement('failed'), UNTIL + MINUTE),
    );
    expect([order.state, facts.map(({ type }) => type)]).toEqual(['expired', ['order.expired']]);
  });

  test('that fails while another one is pending leaves the order waiting', () => {
    const two = expectNext(addPayment(createPendingOrder(), buildPayment('pay_2', 5_000, 'pending'), NOW));
    expect(two.deadline).toBe(UNTIL + GRACE);
    const one = expectNext(settlePayment(two, settlement('failed'), NOW));
    expect(one.state).toBe('payment_pending');
    expect(expectNext(settlePayment(one, settlement('failed', 'pay_2'), NOW)).state).toBe('open');
  });

  test('that is captured makes the sale due if it covers the due amount, else restores the previous state', () => {
    expect(expectNext(settlePayment(createPendingOrder(), settlement('captured'), NOW)).saleDue).toEqual({
      since: NOW,
      paymentId: 'pay_p',
    });
    const part = expectNext(settlePayment(createPendingOrder(createOpenOrder(), 4_000), settlement('captured'), NOW));
    expect(part).toMatchObject({ state: 'open', cameFrom: null, deadline: UNTIL, modifiedAt: NOW });
    expect([computeDue(part), part.saleDue ?? null]).toEqual([6_000, null]);
    const reserved = { ...createOpenOrder(), state: 'reserved', dueAt: UNTIL } as const;
    expect(expectNext(settlePayment(createPendingOrder(reserved, 4_000), settlement('captured'), NOW)).state).toBe(
      'reserved',
    );
  });

  test('of a part that is captured after the previous deadline keeps the order waiting for the grace period', () => {
    const part = expectNext(settlePayment(createPendingOrder(createOpenOrder(), 4_000), settlement('captured'), UNTIL));
    expect(part).toMatchObject({
      state: 'payment_pending',
      cameFrom: 'open',
      deadline: UNTIL + GRACE,
    });
    expect(expectNext(addPayment(part, buildPayment('pay_2', 6_000), UNTIL + MINUTE)).saleDue?.paymentId).toBe('pay_2');
    expect(expired(part, UNTIL + GRACE).state).toBe('expired');
  });

  test('of a part that is captured after another one failed, or before, restores the previous state', () => {
    const two = expectNext(
      addPayment(createPendingOrder(createOpenOrder(), 4_000), buildPayment('pay_2', 5_000, 'pending'), NOW),
    );
    for (const order of [
      expectNext(
        settlePayment(expectNext(settlePayment(two, settlement('failed'), NOW)), settlement('captured', 'pay_2'), NOW),
      ),
      expectNext(
        settlePayment(expectNext(settlePayment(two, settlement('captured'), NOW)), settlement('failed', 'pay_2'), NOW),
      ),
      expectNext(
        settlePayment(
          expectNext(settlePayment(two, settlement('captured'), NOW)),
          settlement('captured', 'pay_2'),
          NOW,
        ),
      ),
    ])
      expect([order.state, order.deadline]).toEqual(['open', UNTIL]);
    const waits = expectNext(addPayment(two, buildPayment('pay_3', 1_000), NOW));
    expect(waits.state).toBe('payment_pending');
  });

  test('that is captured in full while the places are gone returns the order to its previous state', () => {
    const selling = expectNext(settlePayment(createPendingOrder(), settlement('captured'), NOW));
    expect(unsold(selling, 'pay_p')).toMatchObject({ state: 'open', deadline: UNTIL, saleDue: null });
    expect(expectAcceptedButRefused(giveUpSale(selling, createSaleDue('pay_p'), UNTIL), 'places_gone').state).toBe(
      'payment_pending',
    );
  });

  test('is final once settled, and the same status again changes nothing', () => {
    const part = expectNext(settlePayment(createPendingOrder(createOpenOrder(), 4_000), settlement('captured'), NOW));
    expect(settlePayment(part, settlement('captured'), NOW)).toEqual({ next: part, facts: [] });
    expectRefused(settlePayment(part, settlement('failed'), NOW), 'payment_final');
    const failed = expectNext(settlePayment(createPendingOrder(), settlement('failed'), NOW));
    expect(settlePayment(failed, settlement('failed'), NOW)).toEqual({ next: failed, facts: [] });
    expectRefused(settlePayment(failed, settlement('captured'), NOW), 'payment_final');
  });

  test('of another order is refused as unknown', () => {
    expectRefused(settlePayment(createPendingOrder(), settlement('captured', 'pay_x'), NOW), 'unknown_payment');
  });

  test('on an expired or a cancelled order is refused', () => {
    expectRefused(addPayment(expired(), buildPayment('pay_1', 1, 'pending'), UNTIL), 'wrong_state');
    expectRefused(addPayment(cancelled(), buildPayment('pay_1', 1, 'pending'), NOW), 'wrong_state');
  });

  test('captured after the order was paid otherwise is recorded, so that it can be refunded', () => {
    const paidOtherwise = expectNext(addPayment(createPendingOrder(), buildPayment('pay_2', 10_000), NOW));
    const paidTwice = expectNext(
      settlePayment(
        expectNext(confirmPaidOrder(paidOtherwise, { ...toSale(paidOtherwise), due: createSaleDue('pay_2') }, NOW)),
        settlement('captured'),
        NOW,
      ),
    );
    expect([computePaid(paidTwice), computeDue(paidTwice), computePaymentStatus(paidTwice)]).toEqual([
      20_000,
      0,
      'paid',
    ]);
  });

  test('captured after the cancellation is recorded, and the command is refused', () => {
    const order = cancelled(createPendingOrder());
    const recorded = expectAcceptedButRefused(
      settlePayment(order, settlement('captured'), NOW),
      'paid_after_cancellation',
    );
    expect([recorded.state, computePaid(recorded), recorded.saleDue]).toEqual(['cancelled', 10_000, null]);
    expect(expectAccepted(settlePayment(order, settlement('failed'), NOW)).answer).toBeUndefined();
  });
});

describe('a late payment', () => {
  test('in full makes the sale of the expired order due, as a new payment or by settling a pending one', () => {
    const posted = expectNext(addPayment(expired(), buildPayment('pay_1', 10_000), UNTIL + 1));
    expect(posted).toMatchObject({ state: 'expired', saleDue: { since: UNTIL + 1, paymentId: 'pay_1' } });
    const captured = expectNext(
      settlePayment(expired(createPendingOrder(), UNTIL + GRACE), settlement('captured'), UNTIL + GRACE + MINUTE),
    );
    expect(captured).toMatchObject({ state: 'expired', saleDue: { paymentId: 'pay_p' } });
  });

  test('captured again makes the sale due again', () => {
    const failed = unsold(expectNext(addPayment(expired(), buildPayment('pay_1', 10_000), UNTIL)), 'pay_1');
    const again = expectNext(settlePayment(failed, settlement('captured', 'pay_1'), UNTIL));
    expect([again.saleDue?.paymentId, computePaid(again)]).toEqual(['pay_1', 10_000]);
  });

  test('is the only way to confirm an expired order', () => {
    expect(checkSellable(expired(), true, UNTIL)?.refused.reason).toBe('wrong_state');
  });

  test('on an order whose expiry is not written yet is refused as past due', () => {
    expectRefused(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), UNTIL), 'past_due');
    expectRefused(settlePayment(createPendingOrder(), settlement('captured'), UNTIL + GRACE), 'past_due');
  });
});

const input = (amount: number, more = {}) => ({
  id: `ref_${amount}`,
  method: 'card',
  amount,
  reference: null,
  ...more,
});
const partPaid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 4_000), NOW));
const paidInFull = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));

describe('a refund', () => {
  test('is accepted in every state; before the confirmation the money is due again, and stays paid', () => {
    const cancelled = expectNext(cancel(partPaid, { reason: null, override: false, controlled: null }, NOW));
    for (const order of [partPaid, expectNext(expire(partPaid, UNTIL)), cancelled]) {
      const refunded = expectNext(refund(order, input(1_000), NOW));
      expect([refunded.state, computePaid(refunded), computeDue(refunded)]).toEqual([order.state, 4_000, 7_000]);
      expect(computeRefundStatus(refunded)).toBe('partial');
    }
    const confirmed: Order = { ...partPaid, state: 'confirmed', confirmedAt: NOW + 1 };
    expect(computeDue(expectNext(refund(confirmed, input(1_000), NOW + 2)))).toBe(6_000);
  });

  test('below the total prevents the sale by a confirmation or a capture, until it is paid again', () => {
    const unsold = expectAcceptedButRefused(giveUpSale(paidInFull, createSaleDue(), NOW), 'places_gone');
    const waiting = expectNext(addPayment(partPaid, buildPayment('pay_2', 6_000, 'pending'), NOW));
    const settlement = { paymentId: 'pay_1', status: 'captured' } as const;
    const back = expectNext(refund(unsold, input(1), NOW));
    expect(checkSellable(back, false, NOW)?.refused.reason).toBe('unpaid');
    expect(checkSellable(back, true, NOW)).toBeUndefined();
    expect(
      expectAcceptedButRefused(settlePayment(expectNext(expire(back, UNTIL)), settlement, UNTIL), 'late_and_unpaid')
        .saleDue,
    ).toBeNull();
    const other = settlePayment(expectNext(refund(waiting, input(1), NOW)), { ...settlement, paymentId: 'pay_2' }, NOW);
    expect(expectNext(other)).toMatchObject({ state: 'open' });
    expect([computeDue(expectNext(other)), expectNext(other).saleDue ?? null]).toEqual([1, null]);
    const paidAgain = expectNext(addPayment(expectNext(other), buildPayment('pay_3', 1), NOW));
    expect(paidAgain.saleDue?.paymentId).toBe('pay_3');
  });

  test('of an overpaid amount does not prevent the sale', () => {
    const dearer = expectNext(addPayment(createOpenOrder(5_000, 5_000, 1), buildPayment('pay_1', 10_000), NOW));
    const paid = { ...dearer, lines: dearer.lines.slice(0, 1) };
    const back = expectNext(refund(paid, input(5_000), NOW));
    expect(checkSellable(back, false, NOW)).toBeUndefined();
  });

  test('is, together with the others, at most the captured amount', () => {
    expectRefused(refund(partPaid, input(4_001), NOW), 'exceeds_paid');
    expectRefused(refund(createPendingOrder(), input(1), NOW), 'exceeds_paid');
    const most = expectNext(refund(partPaid, input(3_000), NOW));
    expectRefused(refund(most, input(1_001), NOW), 'exceeds_paid');
    const all = expectNext(refund(most, input(1_000), NOW));
    expect([computeRefundStatus(partPaid), computeRefundStatus(most), computeRefundStatus(all)]).toEqual([
      'none',
      'partial',
      'full',
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN])('of %p is refused', (amount) => {
    expectRefused(refund(partPaid, input(amount), NOW), 'invalid_amount');
  });

  test('is recorded in the currency of the order only', () => {
    expectRefused(refund(partPaid, input(1, { currency: 'EUR' }), NOW), 'currency_mismatch');
  });
});
