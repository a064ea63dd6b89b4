// rule commerce.5: (resource order, in its versions, no `order.changed` beside) | services/orders/src/events.ts
// rule commerce.5: An erasure drops the beneficiaries of `formerLines`, too | services/orders/src/domain/cart.ts
import { describe, expect, test } from '@jest/globals';
import { eraseNames } from '../../src/domain/cart.ts';
import { hasNames } from '../../src/domain/order/facts.ts';
import type { Change, Line, Order, Payment } from '../../src/domain/order/order.ts';
import { announceOrder } from '../../src/events.ts';
import type { OrderDocument } from '../../src/store.ts';
import { createChange, createLine, createOpenOrder, NOW } from './samples.ts';

const toLine = (number: number, more: Partial<Line> = {}): Line => ({
  ...{ ...createLine(number), ticketId: `tic_${number}`, replacements: [] },
  ...more,
});

const sold = (more: Partial<Order> = {}): OrderDocument => ({
  ...{ ...createOpenOrder(), state: 'confirmed', confirmedAt: NOW, lines: [toLine(1), toLine(2)] },
  ...{ institution: 'opera', version: 2, shortNumber: 'k7m2xq9c', performanceId: 'prf_1', listedAt: NOW },
  ...more,
});

const pending: Change = {
  ...createChange('chg_1'),
  ...{ returns: [{ lineId: 'lin_1', reason: null, fee: 0 }], difference: -5_000 },
  ...{ exchanges: [{ lineId: 'lin_2', newLineId: 'lin_3', fee: 0 }], newLines: [toLine(3, { ticketId: null })] },
};
const covered: Change = { ...pending, coveredAt: NOW };
const done: Change = { ...pending, state: 'done', newLines: [], doneAt: NOW, expiresAt: null, deadline: null };
const settled: Change = { ...done, settlement: { ...done.settlement, ticketsCancelled: 1, settledAt: NOW } };
const lapsed: Change = { ...pending, state: 'lapsed', expiresAt: null, deadline: null };
const former = { changeId: 'chg_1', leftAt: NOW };
const changed = sold({
  ...{ lines: [toLine(3)], formerLines: [toLine(1), toLine(2)].map((line) => ({ ...line, ...former })) },
  ...{ changes: [done], performanceIds: ['prf_1'] },
});

const typesOf = (before: OrderDocument, after: OrderDocument) => announceOrder(before, after).map(({ type }) => type);

describe('of a change its order tells', () => {
  const of = (...changes: Change[]) => sold({ changes });

  test.each<[string, OrderDocument, OrderDocument, string[]]>([
    ['that it waits for its payment', sold(), of(pending), ['order.change_pending']],
    ['nothing of one that is to be done at once', sold(), of(covered), []],
    ['nothing of its places that are sold', of(pending), of(covered), []],
    ['that it is done', of(covered), changed, ['order.lines_changed']],
    ['that it has lapsed', of(pending), of(lapsed), ['order.change_lapsed']],
    ['that it is settled', changed, { ...changed, changes: [settled] }, ['order.change_settled']],
    ['of each of two', of(lapsed), sold({ changes: [lapsed, { ...pending, id: 'chg_2' }] }), ['order.change_pending']],
    [
      'that it lapses with a cancellation',
      of(pending),
      { ...of(lapsed), state: 'cancelled' },
      ['order.change_lapsed', 'order.cancelled'],
    ],
  ])('%s', (_, before, after, types) => {
    expect(typesOf(before, after)).toEqual(types);
  });

  test('which lines left, for which, and what the order costs then', () => {
    const [event] = announceOrder(of(covered), changed);
    expect(event).toMatchObject({
      resource: { type: 'order', id: 'ord_1' },
      data: {
        ...{ changeId: 'chg_1', returned: [{ lineId: 'lin_1' }], difference: -5_000, performanceIds: ['prf_1'] },
        ...{ exchanged: [{ lineId: 'lin_2', newLineId: 'lin_3' }], total: 5_000, due: 5_000, credit: 0 },
      },
    });
  });
});

test('a payment tells the change that it pays', () => {
  const captured = (id: string): Payment => ({
    ...{ id, method: 'card', amount: 500, currency: 'CHF', reference: null },
    ...{ status: 'captured', createdAt: NOW, updatedAt: NOW },
  });
  const payments = [{ ...captured('pay_1'), changeId: 'chg_1' }, captured('pay_2')];
  const told = announceOrder(sold(), sold({ payments })).map(({ data }) => data);
  expect(told[0]).toMatchObject({ changeId: 'chg_1' });
  expect(told[1]).not.toHaveProperty('changeId');
});

test('an erasure drops the names of lines that left, and of those that a change wants', () => {
  const beneficiary = { firstName: 'Ada', lastName: 'Martin' };
  const named = sold({
    formerLines: [{ ...toLine(4, { beneficiary }), ...former }],
    changes: [{ ...pending, newLines: [toLine(3, { beneficiary })] }],
  });
  expect(hasNames({ lines: [], formerLines: named.formerLines })).toBe(true);
  expect(hasNames({ lines: [], changes: named.changes })).toBe(true);
  const erased = eraseNames(named, NOW);
  expect(hasNames(erased)).toBe(false);
  expect(JSON.stringify(erased)).not.toContain('Martin');
  expect(eraseNames(erased, NOW)).toBe(erased);
});
