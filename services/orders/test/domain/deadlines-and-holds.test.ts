import { describe, expect, test } from '@jest/globals';
import { beginExtension, beginReservation, extended, failExtension } from '../../src/domain/hold.ts';
import { addLines, beginLines, failLines, released, removeLine } from '../../src/domain/lines.ts';
import { list, open } from '../../src/domain/opening.ts';
import { expire } from '../../src/domain/order/expiry.ts';
import { total } from '../../src/domain/order/money.ts';
import { isPastDue } from '../../src/domain/order/state.ts';
import {
  accepted,
  draft,
  expectAcceptedButRefused,
  expectRefused,
  GRACE,
  MINUTE,
  NOW,
  newLine,
  next,
  openOrder,
  pendingOrder,
  UNTIL,
} from './samples.ts';

const extend = (order = openOrder(), minutes = 30, now = NOW) => beginExtension(order, { request: 'e', minutes }, now);
const reserve = (order = openOrder(), dueAt = NOW + 120 * MINUTE) =>
  beginReservation(order, { request: 'r', dueAt }, NOW);
const reserved = () => next(extended(next(reserve()), { request: 'r' }, NOW));

describe('a new order', () => {
  test('is a draft until its places are held, and counts towards the hold limit', () => {
    expect(draft()).toMatchObject({ state: 'draft', heldPlaces: 2, listedAt: null, pendingStep: { step: 'create' } });
    expect(openOrder()).toMatchObject({
      state: 'open',
      expiresAt: UNTIL,
      deadline: UNTIL,
      heldPlaces: 2,
      listedAt: NOW,
      performanceIds: ['prf_1', 'prf_0'],
    });
  });

  test('opens once, for the request that created it, with prices whose sum is exact', () => {
    const hold = { request: 'create', lines: [newLine(1)], currency: 'CHF', until: UNTIL };
    expectRefused(open(draft(), { ...hold, request: 'another' }, NOW), 'step_lost');
    expectRefused(open(openOrder(), hold, NOW), 'step_lost');
    for (const amount of [-1, 0.5, 2 ** 53])
      expectRefused(open(draft(), { ...hold, lines: [newLine(1, amount)] }, NOW), 'invalid_amount');
    const huge = [newLine(1, Number.MAX_SAFE_INTEGER), newLine(2, 1)];
    expectRefused(open(draft(), { ...hold, lines: huge }, NOW), 'invalid_amount');
  });

  test('may be a cart, which is listed from its checkout on', () => {
    const hold = { request: 'create', lines: [newLine(1)], currency: 'CHF', until: UNTIL, cart: true };
    const cart = next(open(draft(), hold, NOW));
    expect([cart.listedAt, cart.modifiedAt]).toEqual([null, null]);
    expect(next(beginLines(cart, { request: 'l', quantity: 1 }, NOW)).modifiedAt).toBeNull();
    const listed = next(list(cart, NOW + 1));
    expect([listed.listedAt, listed.modifiedAt]).toEqual([NOW + 1, NOW + 1]);
    expect(list(listed, NOW + 2)).toEqual({ next: listed, facts: [] });
    expectRefused(list(draft(), NOW), 'wrong_state');
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

  test('does not expire while a step is pending', () => {
    expectRefused(expire(next(extend()), UNTIL * 2), 'not_due');
  });

  test('refuses commands until the expiry is written', () => {
    expectRefused(extend(openOrder(), 30, UNTIL), 'past_due');
    expectRefused(beginLines(openOrder(), { request: 'l', quantity: 1 }, UNTIL), 'past_due');
  });
});

describe('an extension', () => {
  test('holds the places for the minutes from now, once the catalog does', () => {
    const order = next(extended(next(extend()), { request: 'e' }, NOW + 1));
    const until = NOW + 30 * MINUTE;
    expect(order).toMatchObject({ state: 'open', expiresAt: until, deadline: until, pendingStep: null, dueAt: null });
    expect(next(extend(openOrder(), 30)).expiresAt).toBe(UNTIL);
  });

  test('never shortens the hold', () => {
    expect(next(extend(openOrder(), 1)).pendingStep).toMatchObject({ until: UNTIL });
  });

  test('is more than 0 and at most 60 minutes', () => {
    expect(next(extend(openOrder(), 60)).pendingStep).toMatchObject({ until: NOW + 60 * MINUTE });
    for (const minutes of [0, -1, 60.5, 1e9, Number.NaN])
      expectRefused(extend(openOrder(), minutes), 'invalid_minutes');
  });

  test('moves `dueAt` of a reserved order', () => {
    const near = next(extended(next(reserve(openOrder(), NOW + MINUTE)), { request: 'r' }, NOW));
    const order = next(extended(next(extend(near)), { request: 'e' }, NOW));
    expect([order.state, order.dueAt]).toEqual(['reserved', NOW + 30 * MINUTE]);
  });

  test('is refused in every other state', () => {
    expectRefused(extend(pendingOrder()), 'wrong_state');
    for (const state of ['confirmed', 'expired', 'cancelled'] as const)
      expectRefused(extend({ ...openOrder(), state, deadline: null }), 'wrong_state');
  });

  test('changes nothing if places are gone, and the order expires if it is past due', () => {
    const order = openOrder();
    expect(expectAcceptedButRefused(failExtension(next(extend(order)), { request: 'e' }, NOW), 'places_gone')).toEqual(
      order,
    );
    const late = failExtension(next(extend(order)), { request: 'e' }, UNTIL);
    expect(expectAcceptedButRefused(late, 'places_gone').state).toBe('expired');
  });

  test('is refused if another process ended it', () => {
    expectRefused(extended(openOrder(), { request: 'e' }, NOW), 'step_lost');
    expectRefused(failExtension(next(extend()), { request: 'x' }, NOW), 'step_lost');
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

  test('is accepted for open orders only', () => {
    expectRefused(reserve(reserved()), 'wrong_state');
    expectRefused(reserve(pendingOrder()), 'wrong_state');
    for (const state of ['confirmed', 'expired', 'cancelled'] as const)
      expectRefused(reserve({ ...openOrder(), state, deadline: null }), 'wrong_state');
  });
});

describe('lines', () => {
  const begin = (order = openOrder()) => beginLines(order, { request: 'l', quantity: 2 }, NOW);
  const held = { request: 'l', lines: [newLine(3), newLine(4)], currency: 'CHF' };

  test('are added once their places are held, and count towards the hold limit before', () => {
    expect(next(begin()).heldPlaces).toBe(4);
    const order = next(addLines(next(begin()), held, NOW));
    expect([order.lines.length, order.heldPlaces, total(order), order.pendingStep]).toEqual([4, 4, 20_000, null]);
  });

  test('leave the order unchanged if their places were not held', () => {
    const order = openOrder();
    expect(next(failLines(next(begin(order)), { request: 'l' }, NOW))).toEqual(order);
    expect(next(failLines(next(begin(order)), { request: 'l' }, UNTIL)).state).toBe('expired');
  });

  test('are refused after the deadline, in another currency, at an inexact sum, and for a place of a line', () => {
    expectRefused(addLines(next(begin()), held, UNTIL), 'past_due');
    expectRefused(addLines(next(begin()), { ...held, currency: 'EUR' }, NOW), 'currency_mismatch');
    const huge = [newLine(3, Number.MAX_SAFE_INTEGER)];
    expectRefused(addLines(next(begin()), { ...held, lines: huge }, NOW), 'invalid_amount');
    expectRefused(addLines(next(begin()), { ...held, lines: [newLine(1)] }, NOW), 'place_repeated');
    expectRefused(addLines(openOrder(), held, NOW), 'step_lost');
  });

  test('are removed at once, and their places released', () => {
    const order = next(removeLine(openOrder(), { request: 'd', lineId: 'lin_1' }, NOW));
    expect(order.lines.map(({ id }) => id)).toEqual(['lin_2']);
    expect(order).toMatchObject({ heldPlaces: 1, pendingStep: { step: 'release', placeIds: ['plc_1'] } });
    expect(order.performanceIds).toEqual(['prf_0']);
    expect(next(released(order, { request: 'd' }, NOW)).pendingStep).toBeNull();
    expectRefused(released(openOrder(), { request: 'd' }, NOW), 'step_lost');
    expectRefused(removeLine(openOrder(), { request: 'd', lineId: 'lin_9' }, NOW), 'unknown_line');
  });

  test('change only while the order is open or reserved', () => {
    expect(next(begin(reserved())).pendingStep?.step).toBe('lines');
    const others = (['confirmed', 'expired', 'cancelled'] as const).map((state) => ({
      ...openOrder(),
      state,
      deadline: null,
    }));
    for (const order of [pendingOrder(), ...others]) {
      expectRefused(begin(order), 'wrong_state');
      expectRefused(removeLine(order, { request: 'd', lineId: 'lin_1' }, NOW), 'wrong_state');
    }
  });
});
