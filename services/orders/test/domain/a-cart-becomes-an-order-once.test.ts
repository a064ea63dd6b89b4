import { describe, expect, test } from '@jest/globals';
import { changeDetails, checkTariffAccess } from '../../src/domain/buyer.ts';
import { cancel } from '../../src/domain/cancellation.ts';
import { type CheckoutInput, cancelByShopper, changeLine, checkOut, isCart } from '../../src/domain/cart.ts';
import { confirm } from '../../src/domain/confirmation.ts';
import { open, removeLine } from '../../src/domain/lines.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment, settlePayment } from '../../src/domain/payments.ts';
import {
  buildNewOrder,
  buildPayment,
  createConfirmedOrder,
  createLine,
  createOpenOrder,
  expectAccepted,
  expectNext,
  expectRefused,
  GRACE,
  NOW,
  toSale,
  UNTIL,
} from './samples.ts';

const cartOf = (...lines: readonly ReturnType<typeof createLine>[]): Order =>
  expectNext(open(buildNewOrder(lines, true), NOW));
const cart = cartOf(createLine(1), createLine(2, 2_000, 'member'));

const buy = (order: Order, more: Partial<CheckoutInput> = {}, now = NOW + 1) => {
  const own = { requestId: 'r-1', paymentId: 'pay_1', contactNumber: 'C2', criteria: ['member', 'account'] };
  return checkOut(order, { ...own, method: 'simulated', token: 'ok', graceMs: GRACE, ...more }, now);
};
const confirmed = (order: Order) => expectNext(confirm(order, toSale(order), NOW));
const how = { reason: null, override: false, controlled: null };

describe('a checkout', () => {
  test('sells a cart free of charge also if a payment would be declined', () => {
    const bought = expectNext(buy(cartOf(createLine(1, 0)), { token: 'declined' }));
    expect(bought).toMatchObject({ state: 'open', listedAt: NOW + 1, payments: [] });
  });

  test('is refused after the deadline, and for an empty cart also after its expiry', () => {
    const emptied = expectNext(removeLine(cartOf(createLine(1)), { lineId: 'lin_1', asOf: 1 }, NOW));
    expectRefused(buy(expectNext(expire(emptied, UNTIL))), 'empty');
    expectRefused(buy(cart, {}, UNTIL), 'past_due');
  });
});

describe('an order whose payment failed', () => {
  const fail = (order: Order, paymentId = 'pay_1', now = NOW + 2) =>
    expectNext(settlePayment(order, { paymentId, status: 'failed' }, now));
  const waiting = expectNext(buy(cart, { method: 'external' }));
  const failed = fail(waiting);
  const again = (more: Partial<CheckoutInput> = {}, now = NOW + 3) =>
    buy(failed, { requestId: 'r-2', paymentId: 'pay_2', ...more }, now);

  test('is a cart again with its hold, unless a payment is pending, money was captured, or it is confirmed', () => {
    expect(isCart(failed)).toBe(true);
    expect(failed).toMatchObject({ state: 'open', deadline: UNTIL, listedAt: NOW + 1 });
    const pending = expectNext(again({ method: 'external' }));
    for (const order of [pending, expectNext(again()), confirmed(expectNext(again({ method: 'on_account' })))]) {
      expect(isCart(order)).toBe(false);
      expectRefused(buy(order, { requestId: 'r-3', paymentId: 'pay_3' }), 'cart_gone');
    }
    const third = buy(fail(pending, 'pay_2'), { requestId: 'r-3', paymentId: 'pay_3' });
    expect(expectNext(third).payments).toHaveLength(3);
  });

  test('is no cart after its hold has ended: it expires', () => {
    expectRefused(again({}, UNTIL), 'past_due');
    expect(isCart(expectNext(expire(failed, UNTIL)))).toBe(false);
    expect(fail(waiting, 'pay_1', UNTIL).state).toBe('expired');
  });

  test('is never a cart if the institution created it', () => {
    const { checkout: _, ...made } = failed;
    expectRefused(buy(made, { requestId: 'r-2' }), 'cart_gone');
    expectRefused(changeLine(made, 'lin_1', {}, NOW), 'cart_gone');
  });
});

describe('a cart', () => {
  test('changes a tariff in its currency only, at an exact price and until its deadline', () => {
    const tariff = { tariffId: 'trf_2', criterion: null, amount: 100, currency: 'CHF' };
    const changed = expectNext(changeLine(cart, 'lin_2', { tariff }, NOW));
    expect(changed.lines).toEqual([cart.lines[0], expect.not.objectContaining({ currency: 'CHF' })]);
    for (const [other, reason] of [
      [{ currency: 'EUR' }, 'currency_mismatch'],
      [{ amount: 0.5 }, 'invalid_amount'],
    ] as const)
      expectRefused(changeLine(cart, 'lin_2', { tariff: { ...tariff, ...other } }, NOW), reason);
    expectRefused(changeLine(cart, 'lin_2', { tariff }, UNTIL), 'past_due');
  });

  test('loses its beneficiaries when it ends without a purchase; a bought one keeps them', () => {
    const beneficiary = { firstName: 'Clara', lastName: 'Haskil' };
    const named = expectNext(changeLine(cart, 'lin_1', { beneficiary }, NOW));
    for (const ended of [expectNext(expire(named, UNTIL)), expectNext(cancel(named, how, NOW))])
      expect(ended.lines.map((line) => line.beneficiary ?? null)).toEqual([null, null]);
    const bought = confirmed(expectNext(buy(named)));
    expect(expectNext(cancel(bought, how, NOW)).lines[0]?.beneficiary).toEqual(beneficiary);
  });
});

test('a shopper cancels until the first performance starts', () => {
  const starts = Date.parse(String(cart.lines[0]?.startDate));
  const sold = confirmed(expectNext(buy(cart)));
  expect(expectNext(cancelByShopper(sold, how, starts - 1)).state).toBe('cancelled');
  expectRefused(cancelByShopper(sold, how, starts), 'performance_begun');
});

describe('details', () => {
  test('of an order with tickets publish it again with another buyer, not with another reference', () => {
    const sold = createConfirmedOrder();
    for (const order of [sold, expectNext(cancel(sold, how, NOW))]) {
      const { facts } = expectAccepted(changeDetails(order, { contactNumber: 'C2' }, NOW));
      expect(facts).toMatchObject([{ type: 'order.confirmed', data: { contactNumber: 'C2' } }]);
      expect(expectAccepted(changeDetails(order, { externalReference: 'y' }, NOW)).facts).toEqual([]);
    }
    const without = expectNext(cancel(createOpenOrder(), how, NOW));
    expect(expectAccepted(changeDetails(without, { contactNumber: 'C2' }, NOW)).facts).toEqual([]);
  });

  test('change in every state, after the sale or the expiry that is due; the same ones change nothing', () => {
    const paid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));
    expectRefused(changeDetails(paid, { externalReference: 'z' }, NOW), 'sale_due');
    expectRefused(changeDetails(createOpenOrder(), { externalReference: 'z' }, UNTIL), 'past_due');
    const order = createOpenOrder();
    for (const same of [{}, { contactNumber: 'C1', externalReference: null }])
      expect(changeDetails(order, same, NOW)).toEqual({ next: order, facts: [] });
  });
});

test('each criterion that the contact lacks is named once', () => {
  const lacking = (...given: Parameters<typeof checkTariffAccess>) =>
    checkTariffAccess(...given)?.refused.details.split(':')[0];
  const lines = [createLine(1), createLine(2, 1, 'member'), createLine(3, 1, 'member'), createLine(4, 1, 'student')];
  expect(lacking(lines, [])).toBe('A tariff needs a contact with member and student');
  expect(lacking(lines, ['student'])).toBe('A tariff needs a contact with member');
  expect(lacking([createLine(1)], [])).toBeUndefined();
});
