import { describe, expect, test } from '@jest/globals';
import { changeDetails, checkTariffAccess } from '../../src/domain/buyer.ts';
import { cancel } from '../../src/domain/cancellation.ts';
import {
  type CheckoutInput,
  cancelByShopper,
  changeLine,
  checkOut,
  eraseNames,
  isCart,
} from '../../src/domain/cart.ts';
import { confirm } from '../../src/domain/confirmation.ts';
import { addLines, isEmptiedCart, open, removeLine } from '../../src/domain/lines.ts';
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
  MINUTE,
  NOW,
  toSale,
  UNTIL,
} from './samples.ts';

const cartOf = (...lines: readonly ReturnType<typeof createLine>[]): Order =>
  expectNext(open(buildNewOrder(lines, true), NOW));
const cart = cartOf(createLine(1), createLine(2, 2_000, 'member'));

const input = (more: Partial<CheckoutInput> = {}): CheckoutInput => ({
  requestId: 'r-1',
  contactNumber: 'C2',
  criteria: ['member', 'account'],
  method: 'simulated',
  token: 'ok',
  paymentId: 'pay_1',
  graceMs: GRACE,
  ...more,
});
const buy = (order: Order, more: Partial<CheckoutInput> = {}, now = NOW + 1) => checkOut(order, input(more), now);
const emptied = expectNext(removeLine(cartOf(createLine(1)), { lineId: 'lin_1', asOf: 1 }, NOW));
const confirmed = (order: Order) => confirm(order, toSale(order), NOW);

describe('a checkout', () => {
  test('makes an order of the cart, with its payment and the sale that is due, in one write', () => {
    const bought = expectNext(buy(cart));
    expect(bought).toMatchObject({
      contactNumber: 'C2',
      listedAt: NOW + 1,
      modifiedAt: NOW + 1,
      checkout: { requestId: 'r-1', paymentMethod: 'simulated', at: NOW + 1 },
      saleDue: { since: NOW + 1, paymentId: 'pay_1' },
      payments: [{ id: 'pay_1', method: 'simulated', amount: 7_000, status: 'captured' }],
    });
    const { next: sold, facts } = expectAccepted(confirmed(bought));
    expect(sold).toMatchObject({ state: 'confirmed', heldPlaces: 0 });
    expect(facts).toMatchObject([{ type: 'order.confirmed', data: { contactNumber: 'C2' } }]);
  });

  test('on account has no payment, and waits for a pending payment with the grace period', () => {
    expect(expectNext(confirmed(expectNext(buy(cart, { method: 'on_account' }))))).toMatchObject({
      state: 'confirmed',
      payments: [],
    });
    for (const more of [{ method: 'external' }, { token: 'pending' }] as const) {
      const waiting = expectNext(buy(cart, more));
      expect(waiting).toMatchObject({
        state: 'payment_pending',
        cameFrom: 'open',
        deadline: UNTIL + GRACE,
        payments: [{ status: 'pending', amount: 7_000 }],
      });
      const failed = settlePayment(waiting, { paymentId: 'pay_1', status: 'failed' }, NOW + 2);
      expect(expectNext(failed)).toMatchObject({ state: 'open', deadline: UNTIL, listedAt: NOW + 1 });
    }
  });

  test('sells a cart free of charge with every method, also if a payment would be declined', () => {
    for (const more of [{ method: 'external' }, { token: 'declined' }, { method: 'on_account' }] as const)
      expect(expectNext(buy(cartOf(createLine(1, 0)), more))).toMatchObject({
        state: 'open',
        listedAt: NOW + 1,
        payments: [],
      });
  });

  test('is refused after the deadline, and for an empty cart also after its expiry', () => {
    expectRefused(buy(expectNext(expire(emptied, UNTIL))), 'empty');
    expectRefused(buy(cart, {}, UNTIL), 'past_due');
  });
});

describe('an order whose payment failed', () => {
  const settled = (order: Order, status: 'captured' | 'failed', paymentId = 'pay_1') =>
    settlePayment(order, { paymentId, status }, NOW + 2);
  const failed = expectNext(settled(expectNext(buy(cart, { method: 'external' })), 'failed'));
  const again = (more: Partial<CheckoutInput> = {}, now = NOW + 3) =>
    buy(failed, { requestId: 'r-2', paymentId: 'pay_2', contactNumber: 'C3', ...more }, now);

  test('is a cart again with its id and hold, and stays listed', () => {
    expect(isCart(failed)).toBe(true);
    const bought = expectNext(again());
    expect(bought).toMatchObject({
      id: cart.id,
      listedAt: failed.listedAt,
      modifiedAt: NOW + 3,
      expiresAt: UNTIL,
      contactNumber: 'C3',
      checkout: { requestId: 'r-2' },
      payments: [{ status: 'failed' }, { id: 'pay_2', status: 'captured', amount: 7_000 }],
      saleDue: { since: NOW + 3, paymentId: 'pay_2' },
    });
    expect(expectNext(again({ method: 'on_account' })).payments).toHaveLength(1);
    expect(
      expectNext(changeLine(failed, 'lin_1', { beneficiary: { firstName: 'Clara' } }, NOW)).listedAt,
    ).not.toBeNull();
  });

  test('is no cart while a payment is pending or money was captured', () => {
    const waiting = expectNext(again({ method: 'external' }));
    expect(waiting.state).toBe('payment_pending');
    for (const order of [
      waiting,
      expectNext(again()),
      expectNext(confirmed(expectNext(again({ method: 'on_account' })))),
    ]) {
      expect(isCart(order)).toBe(false);
      expectRefused(buy(order, { requestId: 'r-3', paymentId: 'pay_3' }), 'cart_gone');
    }
    const twice = expectNext(settled(waiting, 'failed', 'pay_2'));
    expect(twice).toMatchObject({ state: 'open', deadline: UNTIL });
    expect(expectNext(buy(twice, { requestId: 'r-3', paymentId: 'pay_3' })).payments).toHaveLength(3);
  });

  test('is no cart after its hold has ended: it expires', () => {
    expectRefused(again({}, UNTIL), 'past_due');
    expect(isCart(expectNext(expire(failed, UNTIL)))).toBe(false);
    const waiting = expectNext(buy(cart, { method: 'external' }));
    const late = settlePayment(waiting, { paymentId: 'pay_1', status: 'failed' }, UNTIL);
    expect(expectNext(late).state).toBe('expired');
  });

  test('refuses the capture of the failed payment', () => {
    expectRefused(settled(failed, 'captured'), 'payment_final');
    expectRefused(settled(expectNext(again({ method: 'external' })), 'captured'), 'payment_final');
  });

  test('is never a cart if the institution created it', () => {
    const { checkout: _, ...made } = failed;
    expect(isCart(made)).toBe(false);
    expectRefused(buy(made, { requestId: 'r-2' }), 'cart_gone');
    expectRefused(changeLine(made, 'lin_1', {}, NOW), 'cart_gone');
  });
});

describe('a cart', () => {
  test('holds its lines for a new hold time if it was emptied, else until its own deadline', () => {
    const more = { lines: [createLine(3)], currency: 'CHF', until: UNTIL + 10 * MINUTE };
    expect([isEmptiedCart(emptied), isEmptiedCart(cart)]).toEqual([true, false]);
    expect(expectNext(addLines(emptied, more, NOW))).toMatchObject({ expiresAt: more.until, deadline: more.until });
    expect(expectNext(addLines(cart, more, NOW))).toMatchObject({ expiresAt: UNTIL, deadline: UNTIL });
  });

  test('changes a tariff with its price and criterion, in its currency only', () => {
    const tariff = { tariffId: 'trf_2', criterion: null, amount: 100, currency: 'CHF' };
    const changed = expectNext(changeLine(cart, 'lin_2', { tariff }, NOW));
    expect(changed.lines[1]).toMatchObject({ tariffId: 'trf_2', criterion: null, amount: 100 });
    expect(changed.lines[1]).not.toHaveProperty('currency');
    expect(changed.lines[0]).toEqual({ ...cart.lines[0] });
    expectRefused(changeLine(cart, 'lin_2', { tariff: { ...tariff, currency: 'EUR' } }, NOW), 'currency_mismatch');
    expectRefused(changeLine(cart, 'lin_2', { tariff: { ...tariff, amount: 0.5 } }, NOW), 'invalid_amount');
    expectRefused(changeLine(cart, 'lin_9', { tariff }, NOW), 'unknown_line');
    expectRefused(changeLine(cart, 'lin_2', { tariff }, UNTIL), 'past_due');
    expectRefused(changeLine(expectNext(buy(cart)), 'lin_2', { tariff }, NOW), 'cart_gone');
  });

  test('stores beneficiaries, and removes them when it ends without a purchase', () => {
    const beneficiary = { firstName: 'Clara', lastName: 'Haskil' };
    const named = expectNext(changeLine(cart, 'lin_1', { beneficiary }, NOW));
    expect(named.lines[0]?.beneficiary).toEqual(beneficiary);
    expect(expectNext(changeLine(named, 'lin_1', { beneficiary: {} }, NOW)).lines[0]?.beneficiary).toEqual(beneficiary);
    expect(
      expectNext(changeLine(named, 'lin_1', { beneficiary: { firstName: null } }, NOW)).lines[0]?.beneficiary,
    ).toEqual({
      firstName: null,
      lastName: 'Haskil',
    });
    const how = { reason: null, override: false, controlled: null };
    for (const ended of [expectNext(expire(named, UNTIL)), expectNext(cancel(named, how, NOW))])
      expect(ended.lines.map((line) => line.beneficiary ?? null)).toEqual([null, null]);
    const bought = expectNext(confirmed(expectNext(buy(named))));
    expect(expectNext(cancel(bought, how, NOW)).lines[0]?.beneficiary).toEqual(beneficiary);
    expect(eraseNames(bought, NOW).lines.map((line) => line.beneficiary ?? null)).toEqual([null, null]);
    expect(eraseNames(cart, NOW)).toBe(cart);
  });
});

test('a shopper cancels until the first performance starts', () => {
  const starts = Date.parse(String(cart.lines[0]?.startDate));
  const sold = expectNext(confirmed(expectNext(buy(cart))));
  const how = { reason: null, controlled: 0 };
  expect(expectNext(cancelByShopper(sold, how, starts - 1)).state).toBe('cancelled');
  expectRefused(cancelByShopper(sold, how, starts), 'performance_begun');
  expectRefused(cancelByShopper(sold, { reason: null, controlled: 1 }, NOW), 'ticket_controlled');
  expectRefused(cancelByShopper(expectNext(cancelByShopper(sold, how, NOW)), how, NOW), 'not_cancellable');
});

const sold = createConfirmedOrder();

describe('details', () => {
  test('change if they are given, and null removes', () => {
    const order = expectNext(changeDetails(createOpenOrder(), { externalReference: 'x' }, NOW + 1));
    expect(order).toMatchObject({ contactNumber: 'C1', externalReference: 'x', modifiedAt: NOW + 1 });
    expect(expectNext(changeDetails(order, { contactNumber: null }, NOW))).toMatchObject({
      contactNumber: null,
      externalReference: 'x',
      modifiedAt: NOW + 1,
    });
  });

  test('change nothing if they are the same', () => {
    const order = createOpenOrder();
    expect(changeDetails(order, { contactNumber: 'C1', externalReference: null }, NOW)).toEqual({
      next: order,
      facts: [],
    });
    expect(expectNext(changeDetails(order, {}, NOW))).toBe(order);
  });

  test('of a confirmed order publish it again with another buyer, but not with another reference', () => {
    const { facts } = expectAccepted(changeDetails(sold, { contactNumber: 'C2' }, NOW));
    expect(facts).toMatchObject([{ type: 'order.confirmed', data: { contactNumber: 'C2' } }]);
    expect(expectAccepted(changeDetails(sold, { externalReference: 'y' }, NOW)).facts).toEqual([]);
  });

  test('of a cancelled order do so as well if it has tickets, which follow the buyer, and not if it has none', () => {
    const how = { reason: null, override: false, controlled: 0 };
    const factsOf = (order: typeof sold) =>
      expectAccepted(changeDetails(expectNext(cancel(order, how, NOW)), { contactNumber: 'C2' }, NOW)).facts;
    expect(factsOf(sold)).toMatchObject([{ type: 'order.confirmed', data: { contactNumber: 'C2' } }]);
    expect(factsOf(createOpenOrder())).toEqual([]);
  });

  test('change in every visible state', () => {
    const cancelled = expectNext(cancel(createOpenOrder(), { reason: null, override: false, controlled: null }, NOW));
    expect(expectNext(changeDetails(cancelled, { externalReference: 'z' }, NOW)).externalReference).toBe('z');
    const paid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));
    expectRefused(changeDetails(paid, { externalReference: 'z' }, NOW), 'sale_due');
    expectRefused(changeDetails(createOpenOrder(), { externalReference: 'z' }, UNTIL), 'past_due');
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
