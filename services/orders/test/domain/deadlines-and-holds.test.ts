import { describe, expect, test } from '@jest/globals';
import * as hold from '../../src/domain/lines.ts';
import { addLines, listed, open, removeLine, unextendable, withoutReleased } from '../../src/domain/lines.ts';
import { total } from '../../src/domain/order/order.ts';
import { expire, isPastDue } from '../../src/domain/order/state.ts';
import { addPayment } from '../../src/domain/payments.ts';
import {
  accepted,
  expectRefused,
  GRACE,
  MINUTE,
  NOW,
  newLine,
  newOrder,
  next,
  openOrder,
  payment,
  pendingOrder,
  UNTIL,
} from './samples.ts';

const extend = (order = openOrder(), minutes = 30, now = NOW) => hold.extend(order, { minutes, at: now }, now);
const reserve = (order = openOrder(), dueAt = NOW + 120 * MINUTE) => hold.reserve(order, { dueAt }, NOW);
const reserved = () => next(reserve());

describe('a new order', () => {
  test('has its places held, and counts towards the hold limit', () => {
    expect(openOrder()).toMatchObject({
      state: 'open',
      expiresAt: UNTIL,
      deadline: UNTIL,
      heldPlaces: 2,
      listedAt: NOW,
      performanceIds: ['prf_1', 'prf_0'],
    });
  });

  test('has prices whose sum is exact', () => {
    for (const amount of [-1, 0.5, 2 ** 53]) expectRefused(open(newOrder([newLine(1, amount)]), NOW), 'invalid_amount');
    const huge = [newLine(1, Number.MAX_SAFE_INTEGER), newLine(2, 1)];
    expectRefused(open(newOrder(huge), NOW), 'invalid_amount');
  });

  test('may be a cart, which is listed from its checkout on', () => {
    const cart = next(open(newOrder([newLine(1)], true), NOW));
    expect([cart.listedAt, cart.modifiedAt]).toEqual([null, null]);
    expect(next(addLines(cart, { lines: [newLine(2)], currency: 'CHF' }, NOW)).modifiedAt).toBeNull();
    const bought = listed(cart, NOW + 1);
    expect([bought.listedAt, bought.modifiedAt]).toEqual([NOW + 1, NOW + 1]);
    expect(listed(bought, NOW + 2)).toBe(bought);
  });
});

describe('an order past its deadline', () => {
  test('expires with its places from the deadline on', () => {
    expectRefused(expire(openOrder(), UNTIL - 1), 'not_due');
    const { next: expired, facts } = accepted(expire(openOrder(), UNTIL));
    expect(expired).toMatchObject({ state: 'expired', expiresAt: UNTIL, deadline: null, heldPlaces: 0 });
    expect(facts).toEqual([{ type: 'order.expired', data: { orderId: 'ord_1', placeIds: ['plc_1', 'plc_2'] } }]);
    expectRefused(expire(expired, UNTIL), 'not_due');
  });

  test('expires after the grace period if it waits for a payment', () => {
    expect(isPastDue(pendingOrder(), UNTIL + GRACE - 1)).toBe(false);
    expect(next(expire(pendingOrder(), UNTIL + GRACE))).toMatchObject({ state: 'expired', cameFrom: null });
  });

  test('is sold instead of expired if it is paid in full, with its payment recorded', () => {
    const paid = { ...next(addPayment(openOrder(), payment('pay_1', 10_000), NOW)), saleDue: null };
    const { next: due, facts } = accepted(expire(paid, UNTIL));
    expect([due.state, due.saleDue, facts]).toEqual(['open', { since: UNTIL, paymentId: null }, []]);
    expectRefused(expire(due, UNTIL * 2), 'not_due');
  });

  test('refuses commands until the expiry is written', () => {
    expectRefused(extend(openOrder(), 30, UNTIL), 'past_due');
    expect(unextendable(openOrder(), UNTIL)?.refused.reason).toBe('past_due');
  });
});

describe('an extension', () => {
  test('holds the places for the minutes from the request on, however late it is written', () => {
    const order = next(hold.extend(openOrder(), { minutes: 30, at: NOW }, NOW + MINUTE));
    const until = NOW + 30 * MINUTE;
    expect(order).toMatchObject({ state: 'open', expiresAt: until, deadline: until, dueAt: null });
    expect(order.modifiedAt).toBe(NOW + MINUTE);
  });

  test('is more than 0 and at most 60 minutes', () => {
    expect(next(extend(openOrder(), 60)).expiresAt).toBe(NOW + 60 * MINUTE);
    for (const minutes of [0, -1, 60.5, 1e9, Number.NaN])
      expectRefused(extend(openOrder(), minutes), 'invalid_minutes');
  });

  test('moves `dueAt` of a reserved order', () => {
    const order = next(extend(next(reserve(openOrder(), NOW + MINUTE))));
    expect([order.state, order.dueAt]).toEqual(['reserved', NOW + 30 * MINUTE]);
  });
});

describe('a reservation', () => {
  test('holds the places until `dueAt`', () => {
    const dueAt = NOW + 120 * MINUTE;
    expect(reserved()).toMatchObject({ state: 'reserved', dueAt, expiresAt: dueAt, deadline: dueAt, heldPlaces: 2 });
    expect(pendingOrder(reserved())).toMatchObject({ cameFrom: 'reserved', deadline: dueAt + GRACE });
  });

  test('must be due in the future', () => {
    for (const dueAt of [NOW, NOW - 1, Number.NaN, Number.POSITIVE_INFINITY])
      expectRefused(reserve(openOrder(), dueAt), 'due_in_past');
  });
});

describe('lines', () => {
  const held = { lines: [newLine(3), newLine(4)], currency: 'CHF' };
  const remove = (order = openOrder(), lineId = 'lin_1', asOf = 1) => removeLine(order, { lineId, asOf }, NOW);

  test('are added with the places that are held for them, which count towards the hold limit', () => {
    const order = next(addLines(openOrder(), held, NOW));
    expect([order.lines.length, order.heldPlaces, total(order)]).toEqual([4, 4, 20_000]);
    expect(order.deadline).toBe(UNTIL);
  });

  test('are refused after the deadline, in another currency, at an inexact sum, and for a place of a line', () => {
    expectRefused(addLines(openOrder(), held, UNTIL), 'past_due');
    expectRefused(addLines(openOrder(), { ...held, currency: 'EUR' }, NOW), 'currency_mismatch');
    const huge = [newLine(3, Number.MAX_SAFE_INTEGER)];
    expectRefused(addLines(openOrder(), { ...held, lines: huge }, NOW), 'invalid_amount');
    expectRefused(addLines(openOrder(), { ...held, lines: [newLine(1)] }, NOW), 'place_repeated');
  });

  test('are removed at once, and their places listed until they are released', () => {
    const order = next(remove());
    expect(order.lines.map(({ id }) => id)).toEqual(['lin_2']);
    expect(order.removedPlaces).toEqual({ since: NOW, asOf: 1, placeIds: ['plc_1'] });
    expect([order.heldPlaces, order.performanceIds]).toEqual([1, ['prf_0']]);
    expect(withoutReleased(order, ['plc_1']).removedPlaces).toBeNull();
    expectRefused(remove(openOrder(), 'lin_9'), 'unknown_line');
  });

  test('that are removed together keep the first instant and the last version', () => {
    const both = next(removeLine(next(remove()), { lineId: 'lin_2', asOf: 2 }, NOW + MINUTE));
    expect(both.removedPlaces).toEqual({ since: NOW, asOf: 2, placeIds: ['plc_1', 'plc_2'] });
    expect(withoutReleased(both, ['plc_2']).removedPlaces?.placeIds).toEqual(['plc_1']);
    expect(withoutReleased(both, ['plc_9'])).toBe(both);
  });

  test('for a place that was removed make it the own of the order again', () => {
    const again = next(addLines(next(remove()), { ...held, lines: [newLine(1)] }, NOW));
    expect([again.lines.length, again.removedPlaces]).toEqual([2, null]);
  });
});
