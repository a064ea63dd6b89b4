import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { checkSellable, confirmPaidOrder, giveUpSale } from '../../src/domain/confirmation.ts';
import { computeDue, computePaid, computePaymentStatus, computeRefundStatus } from '../../src/domain/order/money.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment, settlePayment } from '../../src/domain/payments.ts';
import { refund } from '../../src/domain/refunds.ts';
import {
  buildPayment,
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

const pay = (amount: number, order = createOpenOrder(), now = NOW) =>
  addPayment(order, buildPayment(`pay_${amount}`, amount), now);
const settle = (order: Parameters<typeof settlePayment>[0], status: 'captured' | 'failed', id = 'pay_p', now = NOW) =>
  settlePayment(order, { paymentId: id, status }, now);
const giveBack = (amount: number, order = expectNext(pay(4_000)), more = {}) =>
  refund(order, { id: `ref_${amount}`, method: 'card', amount, ...more }, NOW);
const reserved = { ...createOpenOrder(), state: 'reserved', dueAt: UNTIL } as const;
const cancelled = expectNext(cancel(createPendingOrder(), { reason: null, override: false, controlled: 0 }, NOW));

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%p is no amount', (amount) => {
  for (const decision of [pay(amount), giveBack(amount)]) expectRefused(decision, 'invalid_amount');
});

test('no more than is due is paid, also after the places of a paid order are gone', () => {
  expectRefused(pay(1, createOpenOrder(0)), 'exceeds_due');
  const unsold = expectAcceptedButRefused(
    giveUpSale(expectNext(pay(10_000)), createSaleDue('pay_10000'), NOW),
    'places_gone',
  );
  expectRefused(pay(9_999, unsold), 'exceeds_due');
});

test('a payment that comes before the expiry is written is past due', () => {
  expectRefused(pay(10_000, createOpenOrder(), UNTIL), 'past_due');
  expectRefused(settle(createPendingOrder(), 'captured', 'pay_p', UNTIL + GRACE), 'past_due');
});

describe('a pending payment', () => {
  const part = createPendingOrder(createOpenOrder(), 4_000);

  test('that fails, or is captured in part, returns the order to its previous state and deadline', () => {
    for (const before of [createOpenOrder(), reserved])
      for (const status of ['failed', 'captured'] as const) {
        const order = expectNext(settle(createPendingOrder(before, 4_000), status));
        expect(order).toMatchObject({ state: before.state, cameFrom: null, deadline: UNTIL, payments: [{ status }] });
      }
  });

  test('does so with others once none is pending, whatever became of them', () => {
    const two = expectNext(addPayment(part, buildPayment('pay_2', 5_000, 'pending'), NOW));
    expect(expectNext(pay(1_000, two)).state).toBe('payment_pending');
    for (const [first, second] of [
      ['failed', 'failed'],
      ['failed', 'captured'],
      ['captured', 'failed'],
      ['captured', 'captured'],
    ] as const) {
      const one = expectNext(settle(two, first));
      expect([one.state, one.deadline]).toEqual(['payment_pending', UNTIL + GRACE]);
      const none = expectNext(settle(one, second, 'pay_2'));
      expect([none.state, none.deadline]).toEqual(['open', UNTIL]);
    }
  });

  test('that fails after the previous deadline expires the order', () => {
    const { next: order, facts } = expectAccepted(settle(createPendingOrder(), 'failed', 'pay_p', UNTIL + MINUTE));
    expect([order.state, facts.map(({ type }) => type)]).toEqual(['expired', ['order.expired']]);
  });

  test('of a part that is captured after the previous deadline keeps the order waiting for the grace period', () => {
    const order = expectNext(settle(part, 'captured', 'pay_p', UNTIL));
    expect(order).toMatchObject({ state: 'payment_pending', cameFrom: 'open', deadline: UNTIL + GRACE });
    expect(expectNext(pay(6_000, order, UNTIL + MINUTE)).saleDue?.paymentId).toBe('pay_6000');
    expect(expectNext(expire(order, UNTIL + GRACE)).state).toBe('expired');
  });

  test('that is captured in full while the places are gone ends the wait, unless the previous deadline has passed', () => {
    const selling = expectNext(settle(createPendingOrder(), 'captured'));
    for (const [now, state] of [
      [NOW, 'open'],
      [UNTIL, 'payment_pending'],
    ] as const) {
      const left = expectAcceptedButRefused(giveUpSale(selling, createSaleDue('pay_p'), now), 'places_gone');
      expect([left.state, left.saleDue]).toEqual([state, null]);
    }
  });

  test('is final once settled, and the same status again changes nothing', () => {
    for (const [status, other] of [
      ['captured', 'failed'],
      ['failed', 'captured'],
    ] as const) {
      const settled = expectNext(settle(part, status));
      expect(settle(settled, status)).toEqual({ next: settled, facts: [] });
      expectRefused(settle(settled, other), 'payment_final');
    }
  });

  test('captured after the order was paid otherwise is recorded, so that it can be refunded', () => {
    const paid = expectNext(pay(10_000, createPendingOrder()));
    const sale = { ...toSale(paid), due: createSaleDue('pay_10000') };
    const twice = expectNext(settle(expectNext(confirmPaidOrder(paid, sale, NOW)), 'captured'));
    expect([computePaid(twice), computeDue(twice), computePaymentStatus(twice)]).toEqual([20_000, 0, 'paid']);
  });

  test('of a cancelled order is recorded as it ended, and only its capture is refused', () => {
    const recorded = expectAcceptedButRefused(settle(cancelled, 'captured'), 'paid_after_cancellation');
    expect([recorded.state, computePaid(recorded), recorded.saleDue]).toEqual(['cancelled', 10_000, null]);
    expect(expectAccepted(settle(cancelled, 'failed')).answer).toBeUndefined();
    expectRefused(addPayment(cancelled, buildPayment('pay_1', 1, 'pending'), NOW), 'wrong_state');
  });
});

describe('a refund', () => {
  test('is accepted in every state; before the confirmation the money is due again, and stays paid', () => {
    const paid = expectNext(pay(4_000));
    const how = { reason: null, override: false, controlled: null };
    for (const order of [paid, expectNext(expire(paid, UNTIL)), expectNext(cancel(paid, how, NOW))]) {
      const refunded = expectNext(giveBack(1_000, order));
      expect([refunded.state, computePaid(refunded), computeDue(refunded)]).toEqual([order.state, 4_000, 7_000]);
    }
  });

  test('of a captured part ends the wait of an order that is no longer paid in full by another one', () => {
    const waiting = expectNext(addPayment(expectNext(pay(4_000)), buildPayment('pay_p', 6_000, 'pending'), NOW));
    const order = expectNext(settle(expectNext(giveBack(1, waiting)), 'captured'));
    expect([order.state, computeDue(order), order.saleDue ?? null]).toEqual(['open', 1, null]);
    expect(expectNext(pay(1, order)).saleDue?.paymentId).toBe('pay_1');
  });

  test('of an overpaid amount does not prevent the sale', () => {
    const dearer = expectNext(pay(10_000, createOpenOrder(5_000, 5_000, 1)));
    const back = expectNext(giveBack(5_000, { ...dearer, lines: dearer.lines.slice(0, 1) }));
    expect(checkSellable(back, false, NOW)).toBeUndefined();
  });

  test('is, together with the others, at most the captured amount, and in the currency of the order', () => {
    const most = expectNext(giveBack(3_000));
    for (const [decision, reason] of [
      [giveBack(4_001), 'exceeds_paid'],
      [giveBack(1, createPendingOrder()), 'exceeds_paid'],
      [giveBack(1_001, most), 'exceeds_paid'],
      [giveBack(1, undefined, { currency: 'EUR' }), 'currency_mismatch'],
    ] as const)
      expectRefused(decision, reason);
    const orders = [expectNext(pay(4_000)), most, expectNext(giveBack(1_000, most))];
    expect(orders.map(computeRefundStatus)).toEqual(['none', 'partial', 'full']);
  });
});
