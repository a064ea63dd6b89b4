import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { giveUpSale, unsellable } from '../../src/domain/confirmation.ts';
import { expire } from '../../src/domain/order/expiry.ts';
import { due, paid, refundStatus } from '../../src/domain/order/money.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { addPayment, refund, settlePayment } from '../../src/domain/payments.ts';
import {
  expectAcceptedButRefused,
  expectRefused,
  NOW,
  next,
  openOrder,
  payment,
  pendingOrder,
  UNTIL,
} from './samples.ts';

const input = (amount: number, more = {}) => ({
  id: `ref_${amount}`,
  method: 'card',
  amount,
  reference: null,
  ...more,
});
const partPaid = next(addPayment(openOrder(), payment('pay_1', 4_000), NOW));
const paidInFull = next(addPayment(openOrder(), payment('pay_1', 10_000), NOW));

describe('a refund', () => {
  test('is accepted in every state; before the confirmation the money is due again, and stays paid', () => {
    const cancelled = next(cancel(partPaid, { reason: null, override: false, controlled: null }, NOW));
    for (const order of [partPaid, next(expire(partPaid, UNTIL)), cancelled]) {
      const refunded = next(refund(order, input(1_000), NOW));
      expect([refunded.state, paid(refunded), due(refunded)]).toEqual([order.state, 4_000, 7_000]);
      expect(refundStatus(refunded)).toBe('partial');
    }
    const confirmed: Order = { ...partPaid, state: 'confirmed', confirmedAt: NOW + 1 };
    expect(due(next(refund(confirmed, input(1_000), NOW + 2)))).toBe(6_000);
  });

  test('waits for the sale of a paid order, which relies on the money', () => {
    expectRefused(refund(paidInFull, input(1), NOW), 'sale_due');
    const waiting = next(addPayment(partPaid, payment('pay_2', 1_000, 'pending'), NOW));
    expect(next(refund(waiting, input(1), NOW)).state).toBe('payment_pending');
  });

  test('below the total prevents the sale by a confirmation or a capture, until it is paid again', () => {
    const unsold = expectAcceptedButRefused(giveUpSale(paidInFull, 'pay_1', NOW), 'places_gone');
    const waiting = next(addPayment(partPaid, payment('pay_2', 6_000, 'pending'), NOW));
    const settlement = { paymentId: 'pay_1', status: 'captured' } as const;
    const back = next(refund(unsold, input(1), NOW));
    expect(unsellable(back, false, NOW)?.refused.reason).toBe('unpaid');
    expect(unsellable(back, true, NOW)).toBeUndefined();
    expect(
      expectAcceptedButRefused(settlePayment(next(expire(back, UNTIL)), settlement, UNTIL), 'late_and_unpaid').saleDue,
    ).toBeNull();
    const other = settlePayment(next(refund(waiting, input(1), NOW)), { ...settlement, paymentId: 'pay_2' }, NOW);
    expect(next(other)).toMatchObject({ state: 'open' });
    expect([due(next(other)), next(other).saleDue ?? null]).toEqual([1, null]);
    const paidAgain = next(addPayment(next(other), payment('pay_3', 1), NOW));
    expect(paidAgain.saleDue?.paymentId).toBe('pay_3');
  });

  test('of an overpaid amount does not prevent the sale', () => {
    const dearer = next(addPayment(openOrder(5_000, 5_000, 1), payment('pay_1', 10_000), NOW));
    const paid = { ...dearer, lines: dearer.lines.slice(0, 1) };
    const back = next(refund(paid, input(5_000), NOW));
    expect(unsellable(back, false, NOW)).toBeUndefined();
  });

  test('is, together with the others, at most the captured amount', () => {
    expectRefused(refund(partPaid, input(4_001), NOW), 'exceeds_paid');
    expectRefused(refund(pendingOrder(), input(1), NOW), 'exceeds_paid');
    const most = next(refund(partPaid, input(3_000), NOW));
    expectRefused(refund(most, input(1_001), NOW), 'exceeds_paid');
    const all = next(refund(most, input(1_000), NOW));
    expect([refundStatus(partPaid), refundStatus(most), refundStatus(all)]).toEqual(['none', 'partial', 'full']);
  });

  test.each([0, -1, 1.5, Number.NaN])('of %p is refused', (amount) => {
    expectRefused(refund(partPaid, input(amount), NOW), 'invalid_amount');
  });

  test('is recorded in the currency of the order only', () => {
    expectRefused(refund(partPaid, input(1, { currency: 'EUR' }), NOW), 'currency_mismatch');
  });

  test('is recorded once if it is repeated', () => {
    const once = next(refund(partPaid, input(1_000), NOW));
    expect(refund(once, input(1_000), NOW)).toEqual({ next: once, facts: [] });
    expect(next(refund(once, input(1_000, { id: 'ref_2' }), NOW)).refunds).toHaveLength(2);
  });
});
