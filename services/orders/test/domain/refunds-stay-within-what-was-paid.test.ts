import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { expire } from '../../src/domain/expiry.ts';
import { due, paid, refundStatus } from '../../src/domain/money.ts';
import { addPayment } from '../../src/domain/payments.ts';
import { refund, refundOfRequest } from '../../src/domain/refunds.ts';
import { draft, expectRefused, NOW, next, openOrder, payment, pendingOrder, UNTIL } from './samples.ts';

const input = (amount: number, more = {}) => ({
  id: `ref_${amount}`,
  method: 'card',
  amount,
  reference: null,
  repeatKey: null,
  ...more,
});
const partPaid = next(addPayment(openOrder(), payment('pay_1', 4_000), NOW));

describe('a refund', () => {
  test('works in every state and lowers neither what is paid nor what is due', () => {
    const cancelled = next(cancel(partPaid, { reason: null, override: false, controlled: null }, NOW));
    for (const order of [partPaid, next(expire(partPaid, UNTIL)), cancelled]) {
      const refunded = next(refund(order, input(1_000), NOW));
      expect([refunded.state, paid(refunded), due(refunded)]).toEqual([order.state, 4_000, 6_000]);
      expect(refundStatus(refunded)).toBe('partial');
    }
    expectRefused(refund(draft(), input(1), NOW), 'wrong_state');
  });

  test('does not wait for a step that is under way', () => {
    const selling = next(addPayment(openOrder(), payment('pay_1', 10_000), NOW));
    expect(next(refund(selling, input(1), NOW)).begun).toEqual(selling.begun);
  });

  test('is, with the others, at most what was captured', () => {
    expectRefused(refund(partPaid, input(4_001), NOW), 'exceeds_paid');
    expectRefused(refund(pendingOrder(), input(1), NOW), 'exceeds_paid');
    const most = next(refund(partPaid, input(3_000), NOW));
    expectRefused(refund(most, input(1_001), NOW), 'exceeds_paid');
    const all = next(refund(most, input(1_000), NOW));
    expect([refundStatus(partPaid), refundStatus(most), refundStatus(all)]).toEqual(['none', 'partial', 'full']);
  });

  test.each([0, -1, 1.5, Number.NaN])('of %p is none', (amount) => {
    expectRefused(refund(partPaid, input(amount), NOW), 'invalid_amount');
  });

  test('is in the currency of the order', () => {
    expectRefused(refund(partPaid, input(1, { currency: 'EUR' }), NOW), 'currency_mismatch');
  });

  test('that is repeated is found and recorded once', () => {
    const once = next(refund(partPaid, input(1_000, { repeatKey: 'key' }), NOW));
    expect(refund(once, input(1_000, { repeatKey: 'key' }), NOW)).toEqual({ next: once, facts: [] });
    expect(refundOfRequest(once, 'key')?.amount).toBe(1_000);
  });
});
