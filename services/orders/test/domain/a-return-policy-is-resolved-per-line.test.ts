// rule commerce.5: fees `{amount}`, `{percent}` (of the line's amount) or null, never more than the line's amount | services/orders/src/domain/changes/policy.ts
// rule commerce.5: A performance that moves moves the instants | services/orders/src/domain/changes/policy.ts

import type { ReturnFee, ReturnTerms } from '@boxoffice/prices';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { moveLine, moveLines, resolveReturnPolicy } from '../../src/domain/changes/policy.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { createLine, createOpenOrder, MINUTE, NOW } from './samples.ts';

const NONE: ReturnTerms = { returnMinutes: null, returnFee: null, exchangeMinutes: null, exchangeFee: null };
const START = Date.parse(createLine(1).startDate);
const resolve = (returnPolicy: Partial<ReturnTerms>, amount = 5_000) =>
  resolveReturnPolicy({ ...createLine(1, amount), returnPolicy: { ...NONE, ...returnPolicy } });

describe('a return policy', () => {
  test('is null of a line without one; what is not allowed is null, a fee that is null is 0', () => {
    expect(resolveReturnPolicy(createLine(1))).toBeNull();
    const nothing = { returnableUntil: null, returnFee: 0, exchangeableUntil: null, exchangeFee: 0 };
    expect(resolve({})).toEqual(nothing);
    expect(resolve({ returnFee: { amount: 7 } })).toEqual({ ...nothing, returnFee: 7 });
    expect(resolve({ returnMinutes: 0, exchangeMinutes: 90 })).toEqual({
      ...nothing,
      returnableUntil: START,
      exchangeableUntil: START - 90 * MINUTE,
    });
  });

  test.each<[ReturnFee, number, number]>([
    [{ amount: 500 }, 5_000, 500],
    [{ amount: 500 }, 499, 499],
    [{ amount: 500 }, 0, 0],
    [{ percent: '0' }, 5_000, 0],
    [{ percent: '100' }, 5_000, 5_000],
    [{ percent: '50' }, 3, 2],
    [{ percent: '12.5' }, 4, 1],
    [{ percent: '33.3333' }, 10_000, 3_333],
    [{ percent: '10', roundTo: 5 }, 1_025, 105],
    [{ percent: '99', roundTo: 100 }, 1_090, 1_090],
  ])('has the fee %j of a line of %d as %d', (fee, amount, charged) => {
    expect(resolve({ returnFee: fee, exchangeFee: fee }, amount)).toMatchObject({
      ...{ returnFee: charged, exchangeFee: charged },
    });
  });

  test('never charges less than nothing or more than the line costs', () => {
    const fees = fc.oneof(
      fc.record({ amount: fc.nat({ max: 20_000 }) }),
      fc.record({ percent: fc.integer({ min: 0, max: 1_000_000 }).map((each) => String(each / 10_000)) }),
    );
    fc.assert(
      fc.property(fees, fc.nat({ max: 1_000_000 }), (fee, amount) => {
        const { returnFee = -1 } = resolve({ returnFee: fee }, amount) ?? {};
        return Number.isSafeInteger(returnFee) && returnFee >= 0 && returnFee <= amount;
      }),
    );
  });
});

describe('a performance that moves', () => {
  const later = { performanceId: 'prf_1', startDate: '2031-02-08T20:00:00.000Z', asOf: 4 };
  const own = { ...createLine(1), returnPolicy: { ...NONE, returnMinutes: 60 } };
  const untilOf = (line: typeof own) => resolveReturnPolicy(line)?.returnableUntil;

  test('moves the instants of its lines with a policy, whatever the order of the news', () => {
    const moved = moveLine(own, [later]);
    expect(untilOf(moved)).toBe(Date.parse(later.startDate) - 60 * MINUTE);
    expect(moved.startDate).toBe(own.startDate);
    expect(moveLine(moved, [{ ...later, startDate: own.startDate, asOf: 3 }])).toBe(moved);
    expect(untilOf(moveLine(moved, [{ ...later, startDate: own.startDate, asOf: 5 }]))).toBe(untilOf(own));
    expect(moveLine(own, [{ ...later, performanceId: 'prf_2' }])).toBe(own);
    const without = createLine(1);
    expect(moveLine(without, [later])).toBe(without);
  });

  test('is a change of the order only where instants differ', () => {
    const open = createOpenOrder();
    const [first = own, ...others] = open.lines.map((line) => ({ ...line, returnPolicy: own.returnPolicy }));
    const order: Order = { ...open, lines: [{ ...createLine(2), ticketId: null, replacements: [] }, ...others] };
    expect(moveLines(order, later, NOW + 1)).toBe(order);
    const listed: Order = { ...order, lines: [...order.lines, { ...first, ticketId: null, replacements: [] }] };
    const same = moveLines(listed, { ...later, startDate: first.startDate, asOf: 2 }, NOW + 1);
    expect([same === listed, same.modifiedAt]).toEqual([false, listed.modifiedAt]);
    expect(moveLines(same, later, NOW + 1).modifiedAt).toBe(NOW + 1);
  });
});
