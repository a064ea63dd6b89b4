import { describe, expect, test } from '@jest/globals';
import * as hold from '../../src/domain/lines.ts';
import { expire, isPastDue } from '../../src/domain/order/state.ts';
import {
  buildNewOrder,
  createLine,
  createOpenOrder,
  createPendingOrder,
  expectNext,
  expectRefused,
  GRACE,
  MINUTE,
  NOW,
  UNTIL,
} from './samples.ts';

const extend = (order = createOpenOrder(), now = NOW) => hold.extend(order, { minutes: 30, at: NOW }, now);
const reserve = (dueAt: number) => hold.reserve(createOpenOrder(), { dueAt }, NOW);
const huge = Number.MAX_SAFE_INTEGER;

test('an order has prices whose sum is exact', () => {
  for (const amounts of [[-1], [0.5], [2 ** 53], [huge, 1]])
    expectRefused(
      hold.open(buildNewOrder(amounts.map((amount, index) => createLine(index + 1, amount))), NOW),
      'invalid_amount',
    );
});

test('an order expires from its deadline on, once; a waiting one after the grace period; no command precedes it', () => {
  expectRefused(expire(createOpenOrder(), UNTIL - 1), 'not_due');
  expectRefused(expire(expectNext(expire(createOpenOrder(), UNTIL)), UNTIL), 'not_due');
  expect(isPastDue(createPendingOrder(), UNTIL + GRACE - 1)).toBe(false);
  expect(expectNext(expire(createPendingOrder(), UNTIL + GRACE))).toMatchObject({ state: 'expired', cameFrom: null });
  expectRefused(extend(createOpenOrder(), UNTIL), 'past_due');
  expectRefused(hold.addLines(createOpenOrder(), { lines: [createLine(3)], currency: 'CHF' }, UNTIL), 'past_due');
});

test('an extension counts from the request on, however late it is written, and moves `dueAt` of a reserved order', () => {
  const until = NOW + 30 * MINUTE;
  const order = expectNext(extend(createOpenOrder(), NOW + MINUTE));
  expect(order).toMatchObject({ expiresAt: until, deadline: until, dueAt: null, modifiedAt: NOW + MINUTE });
  expect(expectNext(extend(expectNext(reserve(NOW + MINUTE))))).toMatchObject({ state: 'reserved', dueAt: until });
});

test('a reservation is due in the future', () => {
  for (const dueAt of [NOW, Number.NaN, Number.POSITIVE_INFINITY]) expectRefused(reserve(dueAt), 'due_in_past');
});

describe('lines', () => {
  const add = (number: number, amount?: number, order = createOpenOrder()) =>
    hold.addLines(order, { lines: [createLine(number, amount)], currency: 'CHF' }, NOW);
  const remove = (order = createOpenOrder(), lineId = 'lin_1', asOf = 1, now = NOW) =>
    expectNext(hold.removeLine(order, { lineId, asOf }, now));

  test('that are added have an exact sum and no place of another line', () => {
    expectRefused(add(3, huge), 'invalid_amount');
    expectRefused(add(1), 'place_repeated');
  });

  test('that are removed together keep the first instant and the last version until all are released', () => {
    const both = remove(remove(), 'lin_2', 2, NOW + MINUTE);
    expect(both.removedPlaces).toEqual({ since: NOW, asOf: 2, placeIds: ['plc_1', 'plc_2'] });
    const left = hold.removeReleasedPlaces(both, ['plc_2']);
    expect(left.removedPlaces?.placeIds).toEqual(['plc_1']);
    expect(hold.removeReleasedPlaces(left, ['plc_1']).removedPlaces).toBeNull();
    expect(hold.removeReleasedPlaces(both, ['plc_9'])).toBe(both);
  });

  test('for a place that was removed make it the own of the order again', () => {
    const again = expectNext(add(1, undefined, remove()));
    expect([again.lines.length, again.removedPlaces]).toEqual([2, null]);
  });
});
