import { describe, expect, test } from '@jest/globals';
import * as hold from '../../src/domain/lines.ts';
import {
  addLines,
  checkLinesAddable,
  markListed,
  open,
  removeLine,
  removeReleasedPlaces,
} from '../../src/domain/lines.ts';
import { computeTotal } from '../../src/domain/order/order.ts';
import { expire, isPastDue } from '../../src/domain/order/state.ts';
import { addPayment } from '../../src/domain/payments.ts';
import {
  buildNewOrder,
  buildPayment,
  createLine,
  createOpenOrder,
  createPendingOrder,
  expectAccepted,
  expectNext,
  expectRefused,
  GRACE,
  MINUTE,
  NOW,
  UNTIL,
} from './samples.ts';

const extend = (order = createOpenOrder(), minutes = 30, now = NOW) => hold.extend(order, { minutes, at: now }, now);
const reserve = (order = createOpenOrder(), dueAt = NOW + 120 * MINUTE) => hold.reserve(order, { dueAt }, NOW);
const reserved = () => expectNext(reserve());

describe('a new order', () => {
  test('has its places held, and counts towards the hold limit', () => {
    expect(createOpenOrder()).toMatchObject({
      state: 'open',
      expiresAt: UNTIL,
      deadline: UNTIL,
      heldPlaces: 2,
      listedAt: NOW,
      performanceIds: ['prf_1', 'prf_0'],
    });
  });

  test('has prices whose sum is exact', () => {
    for (const amount of [-1, 0.5, 2 ** 53])
      expectRefused(open(buildNewOrder([createLine(1, amount)]), NOW), 'invalid_amount');
    const huge = [createLine(1, Number.MAX_SAFE_INTEGER), createLine(2, 1)];
    expectRefused(open(buildNewOrder(huge), NOW), 'invalid_amount');
  });

  test('may be a cart, which is listed from its checkout on', () => {
    const cart = expectNext(open(buildNewOrder([createLine(1)], true), NOW));
    expect([cart.listedAt, cart.modifiedAt]).toEqual([null, null]);
    expect(expectNext(addLines(cart, { lines: [createLine(2)], currency: 'CHF' }, NOW)).modifiedAt).toBeNull();
    const bought = markListed(cart, NOW + 1);
    expect([bought.listedAt, bought.modifiedAt]).toEqual([NOW + 1, NOW + 1]);
    expect(markListed(bought, NOW + 2)).toBe(bought);
  });
});

describe('an order past its deadline', () => {
  test('expires with its places from the deadline on', () => {
    expectRefused(expire(createOpenOrder(), UNTIL - 1), 'not_due');
    const { next: expired, facts } = expectAccepted(expire(createOpenOrder(), UNTIL));
    expect(expired).toMatchObject({ state: 'expired', expiresAt: UNTIL, deadline: null, heldPlaces: 0 });
    expect(facts).toEqual([{ type: 'order.expired', data: { orderId: 'ord_1', placeIds: ['plc_1', 'plc_2'] } }]);
    expectRefused(expire(expired, UNTIL), 'not_due');
  });

  test('expires after the grace period if it waits for a payment', () => {
    expect(isPastDue(createPendingOrder(), UNTIL + GRACE - 1)).toBe(false);
    expect(expectNext(expire(createPendingOrder(), UNTIL + GRACE))).toMatchObject({ state: 'expired', cameFrom: null });
  });

  test('is sold instead of expired if it is paid in full, with its payment recorded', () => {
    const paid = { ...expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW)), saleDue: null };
    const { next: due, facts } = expectAccepted(expire(paid, UNTIL));
    expect([due.state, due.saleDue, facts]).toEqual(['open', { since: UNTIL, paymentId: null }, []]);
    expectRefused(expire(due, UNTIL * 2), 'not_due');
  });

  test('refuses commands until the expiry is written', () => {
    expectRefused(extend(createOpenOrder(), 30, UNTIL), 'past_due');
    expect(checkLinesAddable(createOpenOrder(), UNTIL)?.refused.reason).toBe('past_due');
  });
});

describe('an extension', () => {
  test('holds the places for the minutes from the request on, however late it is written', () => {
    const order = expectNext(hold.extend(createOpenOrder(), { minutes: 30, at: NOW }, NOW + MINUTE));
    const until = NOW + 30 * MINUTE;
    expect(order).toMatchObject({ state: 'open', expiresAt: until, deadline: until, dueAt: null });
    expect(order.modifiedAt).toBe(NOW + MINUTE);
  });

  test('is more than 0 and at most 60 minutes', () => {
    expect(expectNext(extend(createOpenOrder(), 60)).expiresAt).toBe(NOW + 60 * MINUTE);
    for (const minutes of [0, -1, 60.5, 1e9, Number.NaN])
      expectRefused(extend(createOpenOrder(), minutes), 'invalid_minutes');
  });

  test('moves `dueAt` of a reserved order', () => {
    const order = expectNext(extend(expectNext(reserve(createOpenOrder(), NOW + MINUTE))));
    expect([order.state, order.dueAt]).toEqual(['reserved', NOW + 30 * MINUTE]);
  });
});

describe('a reservation', () => {
  test('holds the places until `dueAt`', () => {
    const dueAt = NOW + 120 * MINUTE;
    expect(reserved()).toMatchObject({ state: 'reserved', dueAt, expiresAt: dueAt, deadline: dueAt, heldPlaces: 2 });
    expect(createPendingOrder(reserved())).toMatchObject({ cameFrom: 'reserved', deadline: dueAt + GRACE });
  });

  test('must be due in the future', () => {
    for (const dueAt of [NOW, NOW - 1, Number.NaN, Number.POSITIVE_INFINITY])
      expectRefused(reserve(createOpenOrder(), dueAt), 'due_in_past');
  });
});

describe('lines', () => {
  const held = { lines: [createLine(3), createLine(4)], currency: 'CHF' };
  const remove = (order = createOpenOrder(), lineId = 'lin_1', asOf = 1) => removeLine(order, { lineId, asOf }, NOW);

  test('are added with the places that are held for them, which count towards the hold limit', () => {
    const order = expectNext(addLines(createOpenOrder(), held, NOW));
    expect([order.lines.length, order.heldPlaces, computeTotal(order)]).toEqual([4, 4, 20_000]);
    expect(order.deadline).toBe(UNTIL);
  });

  test('are refused after the deadline, in another currency, at an inexact sum, and for a place of a line', () => {
    expectRefused(addLines(createOpenOrder(), held, UNTIL), 'past_due');
    expectRefused(addLines(createOpenOrder(), { ...held, currency: 'EUR' }, NOW), 'currency_mismatch');
    const huge = [createLine(3, Number.MAX_SAFE_INTEGER)];
    expectRefused(addLines(createOpenOrder(), { ...held, lines: huge }, NOW), 'invalid_amount');
    expectRefused(addLines(createOpenOrder(), { ...held, lines: [createLine(1)] }, NOW), 'place_repeated');
  });

  test('are removed at once, and their places listed until they are released', () => {
    const order = expectNext(remove());
    expect(order.lines.map(({ id }) => id)).toEqual(['lin_2']);
    expect(order.removedPlaces).toEqual({ since: NOW, asOf: 1, placeIds: ['plc_1'] });
    expect([order.heldPlaces, order.performanceIds]).toEqual([1, ['prf_0']]);
    expect(removeReleasedPlaces(order, ['plc_1']).removedPlaces).toBeNull();
    expectRefused(remove(createOpenOrder(), 'lin_9'), 'unknown_line');
  });

  test('that are removed together keep the first instant and the last version', () => {
    const both = expectNext(removeLine(expectNext(remove()), { lineId: 'lin_2', asOf: 2 }, NOW + MINUTE));
    expect(both.removedPlaces).toEqual({ since: NOW, asOf: 2, placeIds: ['plc_1', 'plc_2'] });
    expect(removeReleasedPlaces(both, ['plc_2']).removedPlaces?.placeIds).toEqual(['plc_1']);
    expect(removeReleasedPlaces(both, ['plc_9'])).toBe(both);
  });

  test('for a place that was removed make it the own of the order again', () => {
    const again = expectNext(addLines(expectNext(remove()), { ...held, lines: [createLine(1)] }, NOW));
    expect([again.lines.length, again.removedPlaces]).toEqual([2, null]);
  });
});
