import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { beginConfirm, confirm, failConfirm } from '../../src/domain/confirmation.ts';
import { extended, failExtension } from '../../src/domain/hold.ts';
import { removeLine } from '../../src/domain/lines.ts';
import { expire } from '../../src/domain/order/expiry.ts';
import { due, paid, paymentStatus } from '../../src/domain/order/money.ts';
import { addPayment, settlePayment } from '../../src/domain/payments.ts';
import {
  accepted,
  expectAcceptedButRefused,
  expectRefused,
  GRACE,
  MINUTE,
  NOW,
  next,
  openOrder,
  payment,
  pendingOrder,
  UNTIL,
} from './samples.ts';

const expired = (order = openOrder(), now = UNTIL) => next(expire(order, now));
const cancelled = (order = openOrder()) => next(cancel(order, { reason: null, override: false, controlled: 0 }, NOW));
const onAccount = next(
  confirm(
    next(beginConfirm(openOrder(), { request: 's', onAccount: true }, NOW)),
    { request: 's', soldPlaceIds: ['plc_1', 'plc_2'] },
    NOW,
  ),
);
const settlement = (status: 'captured' | 'failed', paymentId = 'pay_p') => ({ paymentId, status, request: 'settle' });

describe('a captured payment', () => {
  test('of a part of the amount lowers what is due, and the state stays', () => {
    const { next: order, facts } = accepted(addPayment(openOrder(), payment('pay_1', 4_000), NOW));
    expect([order.state, due(order), paid(order), paymentStatus(order)]).toEqual(['open', 6_000, 4_000, 'partial']);
    expect([order.pendingStep, facts]).toEqual([null, []]);
  });

  test('in full is written with the pending step of the sale', () => {
    const order = next(addPayment(openOrder(), payment('pay_1', 10_000), NOW));
    expect(order.pendingStep).toEqual({ step: 'confirm', request: 'pay', since: NOW, late: false, paymentId: 'pay_1' });
    expect([order.state, paymentStatus(order)]).toEqual(['open', 'paid']);
  });

  test('in full together with earlier ones begins the sale', () => {
    const part = next(addPayment(openOrder(), payment('pay_1', 4_000), NOW));
    expect(next(addPayment(part, payment('pay_2', 6_000), NOW)).pendingStep?.step).toBe('confirm');
  });

  test('of more than is due is refused, also after the same amount was paid', () => {
    expectRefused(addPayment(openOrder(), payment('pay_1', 10_001), NOW), 'exceeds_due');
    expectRefused(addPayment(openOrder(0), payment('pay_1', 1), NOW), 'exceeds_due');
    const paying = { ...next(addPayment(openOrder(), payment('pay_1', 10_000), NOW)), pendingStep: null };
    expectRefused(addPayment(paying, payment('pay_2', 10_000), NOW), 'exceeds_due');
  });

  test('on an order confirmed on account pays it', () => {
    const order = next(addPayment(onAccount, payment('pay_1', 10_000), NOW));
    expect([order.state, order.pendingStep, paymentStatus(order)]).toEqual(['confirmed', null, 'paid']);
    expectRefused(addPayment(order, payment('pay_2', 1), NOW), 'exceeds_due');
  });

  test('is recorded once if it is repeated', () => {
    const input = payment('pay_1', 4_000, 'captured');
    const once = next(addPayment(openOrder(), input, NOW));
    expect(addPayment(once, input, NOW)).toEqual({ next: once, facts: [] });
    expect(next(addPayment(once, { ...input, id: 'pay_2' }, NOW)).payments.map(({ id }) => id)).toEqual([
      'pay_1',
      'pay_2',
    ]);
  });

  test('on a cancelled order is refused', () => {
    expectRefused(addPayment(cancelled(), payment('pay_1', 1), NOW), 'wrong_state');
  });
});

describe('amounts', () => {
  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%p is not an amount', (amount) => {
    expectRefused(addPayment(openOrder(), payment('pay_1', amount), NOW), 'invalid_amount');
  });

  test('are in the currency of the order', () => {
    expectRefused(
      addPayment(openOrder(), payment('pay_1', 1, 'captured', { currency: 'EUR' }), NOW),
      'currency_mismatch',
    );
    expect(next(addPayment(openOrder(), payment('pay_1', 1), NOW)).payments[0]?.currency).toBe('CHF');
  });

  test('paid before a line was removed leave nothing due', () => {
    const part = next(addPayment(openOrder(5_000, 5_000), payment('pay_1', 7_000), NOW));
    const less = next(removeLine(part, { request: 'r', lineId: 'lin_1' }, NOW));
    expect([due(less), paid(less), paymentStatus(less)]).toEqual([0, 7_000, 'paid']);
  });
});

describe('a pending payment', () => {
  test('makes the order wait, with its places held for the grace period', () => {
    const order = next(addPayment(openOrder(), payment('pay_1', 10_000, 'pending'), NOW));
    const deadline = UNTIL + GRACE;
    expect(order).toMatchObject({ state: 'payment_pending', cameFrom: 'open', deadline, expiresAt: UNTIL });
    expect(order.pendingStep).toEqual({
      step: 'extend',
      request: 'pay',
      since: NOW,
      cause: 'payment',
      until: deadline,
    });
    expect([due(order), paymentStatus(order)]).toEqual([10_000, 'unpaid']);
    const waiting = next(extended(order, { request: 'pay' }, NOW));
    expect(waiting).toEqual({ ...order, pendingStep: null });
  });

  test('for which the places cannot be held longer gives no grace period, and is captured late', () => {
    const order = next(addPayment(openOrder(), payment('pay_1', 10_000, 'pending'), NOW));
    const early = next(failExtension(order, { request: 'pay' }, NOW));
    expect(early).toMatchObject({ state: 'payment_pending', deadline: UNTIL, pendingStep: null });
    const { next: late, facts } = accepted(failExtension(order, { request: 'pay' }, UNTIL));
    expect([late.state, late.payments[0]?.status, facts.map(({ type }) => type)]).toEqual([
      'expired',
      'pending',
      ['order.expired'],
    ]);
    const captured = next(settlePayment(late, settlement('captured', 'pay_1'), UNTIL + MINUTE));
    expect(captured.pendingStep).toMatchObject({ step: 'confirm', late: true });
  });

  test('that fails returns the order to its previous state and deadline', () => {
    const order = next(settlePayment(pendingOrder(), settlement('failed'), NOW));
    expect(order).toMatchObject({ state: 'open', cameFrom: null, deadline: UNTIL, payments: [{ status: 'failed' }] });
    const reserved = { ...openOrder(), state: 'reserved', dueAt: UNTIL } as const;
    expect(next(settlePayment(pendingOrder(reserved), settlement('failed'), NOW)).state).toBe('reserved');
  });

  test('that fails after the previous deadline expires the order', () => {
    const { next: order, facts } = accepted(settlePayment(pendingOrder(), settlement('failed'), UNTIL + MINUTE));
    expect([order.state, facts.map(({ type }) => type)]).toEqual(['expired', ['order.expired']]);
  });

  test('that fails while another one is pending leaves the order waiting', () => {
    const two = next(addPayment(pendingOrder(), payment('pay_2', 5_000, 'pending'), NOW));
    expect([two.deadline, two.pendingStep]).toEqual([UNTIL + GRACE, null]);
    const one = next(settlePayment(two, settlement('failed'), NOW));
    expect(one.state).toBe('payment_pending');
    expect(next(settlePayment(one, settlement('failed', 'pay_2'), NOW)).state).toBe('open');
  });

  test('that is captured begins the sale if it covers the due amount, else restores the previous state', () => {
    expect(next(settlePayment(pendingOrder(), settlement('captured'), NOW)).pendingStep).toMatchObject({
      step: 'confirm',
    });
    const part = next(settlePayment(pendingOrder(openOrder(), 4_000), settlement('captured'), NOW));
    expect(part).toMatchObject({ state: 'open', cameFrom: null, deadline: UNTIL, pendingStep: null, modifiedAt: NOW });
    expect(due(part)).toBe(6_000);
    const reserved = { ...openOrder(), state: 'reserved', dueAt: UNTIL } as const;
    expect(next(settlePayment(pendingOrder(reserved, 4_000), settlement('captured'), NOW)).state).toBe('reserved');
  });

  test('of a part that is captured after the previous deadline keeps the order waiting for the grace period', () => {
    const part = next(settlePayment(pendingOrder(openOrder(), 4_000), settlement('captured'), UNTIL));
    expect(part).toMatchObject({
      state: 'payment_pending',
      cameFrom: 'open',
      deadline: UNTIL + GRACE,
      pendingStep: null,
    });
    expect(next(addPayment(part, payment('pay_2', 6_000), UNTIL + MINUTE)).pendingStep).toMatchObject({ late: false });
    expect(expired(part, UNTIL + GRACE).state).toBe('expired');
  });

  test('of a part that is captured after another one failed, or before, restores the previous state', () => {
    const two = next(addPayment(pendingOrder(openOrder(), 4_000), payment('pay_2', 5_000, 'pending'), NOW));
    for (const order of [
      next(settlePayment(next(settlePayment(two, settlement('failed'), NOW)), settlement('captured', 'pay_2'), NOW)),
      next(settlePayment(next(settlePayment(two, settlement('captured'), NOW)), settlement('failed', 'pay_2'), NOW)),
      next(settlePayment(next(settlePayment(two, settlement('captured'), NOW)), settlement('captured', 'pay_2'), NOW)),
    ])
      expect([order.state, order.deadline]).toEqual(['open', UNTIL]);
    const waits = next(addPayment(two, payment('pay_3', 1_000), NOW));
    expect(waits.state).toBe('payment_pending');
  });

  test('that is captured in full while the places are gone returns the order to its previous state', () => {
    const selling = next(settlePayment(pendingOrder(), settlement('captured'), NOW));
    const failed = expectAcceptedButRefused(failConfirm(selling, { request: 'settle' }, NOW), 'places_gone');
    expect(failed).toMatchObject({ state: 'open', deadline: UNTIL, pendingStep: null });
    expect(expectAcceptedButRefused(failConfirm(selling, { request: 'settle' }, UNTIL), 'places_gone').state).toBe(
      'payment_pending',
    );
  });

  test('is final once settled, and the same status again changes nothing', () => {
    const part = next(settlePayment(pendingOrder(openOrder(), 4_000), settlement('captured'), NOW));
    expect(settlePayment(part, settlement('captured'), NOW)).toEqual({ next: part, facts: [] });
    expectRefused(settlePayment(part, settlement('failed'), NOW), 'payment_final');
    const failed = next(settlePayment(pendingOrder(), settlement('failed'), NOW));
    expect(settlePayment(failed, settlement('failed'), NOW)).toEqual({ next: failed, facts: [] });
    expectRefused(settlePayment(failed, settlement('captured'), NOW), 'payment_final');
  });

  test('of another order is refused as unknown', () => {
    expectRefused(settlePayment(pendingOrder(), settlement('captured', 'pay_x'), NOW), 'unknown_payment');
  });

  test('on an expired or a cancelled order is refused', () => {
    expectRefused(addPayment(expired(), payment('pay_1', 1, 'pending'), UNTIL), 'wrong_state');
    expectRefused(addPayment(cancelled(), payment('pay_1', 1, 'pending'), NOW), 'wrong_state');
  });

  test('captured after the order was paid otherwise is recorded, so that it can be refunded', () => {
    const paidTwice = next(
      settlePayment(
        { ...next(addPayment(pendingOrder(), payment('pay_2', 10_000), NOW)), pendingStep: null },
        settlement('captured'),
        NOW,
      ),
    );
    expect([paid(paidTwice), due(paidTwice), paymentStatus(paidTwice)]).toEqual([20_000, 0, 'paid']);
  });

  test('captured after the cancellation is recorded, and the command is refused', () => {
    const order = cancelled(pendingOrder());
    const recorded = expectAcceptedButRefused(
      settlePayment(order, settlement('captured'), NOW),
      'paid_after_cancellation',
    );
    expect([recorded.state, paid(recorded), recorded.pendingStep]).toEqual(['cancelled', 10_000, null]);
    expect(accepted(settlePayment(order, settlement('failed'), NOW)).answer).toBeUndefined();
  });
});

describe('a late payment', () => {
  const late = { step: 'confirm', late: true };

  test('in full begins the sale of the expired order, as a new payment or by settling a pending one', () => {
    const posted = next(addPayment(expired(), payment('pay_1', 10_000), UNTIL + 1));
    expect(posted).toMatchObject({ state: 'expired', pendingStep: { ...late, paymentId: 'pay_1' } });
    const captured = next(
      settlePayment(expired(pendingOrder(), UNTIL + GRACE), settlement('captured'), UNTIL + GRACE + MINUTE),
    );
    expect(captured).toMatchObject({ state: 'expired', pendingStep: { ...late, paymentId: 'pay_p' } });
  });

  test('of a part is recorded and does not confirm the order', () => {
    const recorded = expectAcceptedButRefused(addPayment(expired(), payment('pay_1', 4_000), UNTIL), 'late_and_unpaid');
    expect([recorded.state, paid(recorded), recorded.pendingStep]).toEqual(['expired', 4_000, null]);
    expect(next(addPayment(recorded, payment('pay_2', 6_000), UNTIL)).pendingStep).toMatchObject(late);
  });

  test('captured again begins the sale again', () => {
    const failed = { ...next(addPayment(expired(), payment('pay_1', 10_000), UNTIL)), pendingStep: null };
    expect(next(settlePayment(failed, settlement('captured', 'pay_1'), UNTIL)).pendingStep).toMatchObject(late);
    expect(paid(next(settlePayment(failed, settlement('captured', 'pay_1'), UNTIL)))).toBe(10_000);
  });

  test('is the only way to confirm an expired order', () => {
    expectRefused(beginConfirm(expired(), { request: 's', onAccount: true }, UNTIL), 'wrong_state');
  });

  test('on an order whose expiry is not written yet is refused as past due', () => {
    expectRefused(addPayment(openOrder(), payment('pay_1', 10_000), UNTIL), 'past_due');
    expectRefused(settlePayment(pendingOrder(), settlement('captured'), UNTIL + GRACE), 'past_due');
  });
});
