import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { changeDetails, unmetCriteria } from '../../src/domain/details.ts';
import { addPayment } from '../../src/domain/payments.ts';
import { accepted, confirmedOrder, expectRefused, NOW, newLine, next, openOrder, payment, UNTIL } from './samples.ts';

const confirmed = confirmedOrder();

describe('details', () => {
  test('change if they are given, and null removes', () => {
    const order = next(changeDetails(openOrder(), { externalReference: 'x' }, NOW + 1));
    expect(order).toMatchObject({ contactNumber: 'C1', externalReference: 'x', modifiedAt: NOW + 1 });
    expect(next(changeDetails(order, { contactNumber: null }, NOW))).toMatchObject({
      contactNumber: null,
      externalReference: 'x',
      modifiedAt: NOW + 1,
    });
  });

  test('change nothing if they are the same', () => {
    const order = openOrder();
    expect(changeDetails(order, { contactNumber: 'C1', externalReference: null }, NOW)).toEqual({
      next: order,
      facts: [],
    });
    expect(next(changeDetails(order, {}, NOW))).toBe(order);
  });

  test('of a confirmed order publish it again with another buyer, but not with another reference', () => {
    const { facts } = accepted(changeDetails(confirmed, { contactNumber: 'C2' }, NOW));
    expect(facts).toMatchObject([{ type: 'order.confirmed', data: { contactNumber: 'C2' } }]);
    expect(accepted(changeDetails(confirmed, { externalReference: 'y' }, NOW)).facts).toEqual([]);
  });

  test('of a cancelled order do so as well if it has tickets, which follow the buyer, and not if it has none', () => {
    const how = { reason: null, override: false, controlled: 0 };
    const factsOf = (order: typeof confirmed) =>
      accepted(changeDetails(next(cancel(order, how, NOW)), { contactNumber: 'C2' }, NOW)).facts;
    expect(factsOf(confirmed)).toMatchObject([{ type: 'order.confirmed', data: { contactNumber: 'C2' } }]);
    expect(factsOf(openOrder())).toEqual([]);
  });

  test('change in every visible state', () => {
    const cancelled = next(cancel(openOrder(), { reason: null, override: false, controlled: null }, NOW));
    expect(next(changeDetails(cancelled, { externalReference: 'z' }, NOW)).externalReference).toBe('z');
    const paid = next(addPayment(openOrder(), payment('pay_1', 10_000), NOW));
    expectRefused(changeDetails(paid, { externalReference: 'z' }, NOW), 'sale_due');
    expectRefused(changeDetails(openOrder(), { externalReference: 'z' }, UNTIL), 'past_due');
  });
});

test('each criterion that the contact lacks is returned once', () => {
  const lines = [newLine(1), newLine(2, 1, 'member'), newLine(3, 1, 'member'), newLine(4, 1, 'student')];
  expect(unmetCriteria(lines, null)).toEqual(['member', 'student']);
  expect(unmetCriteria(lines, ['student'])).toEqual(['member']);
  expect(unmetCriteria([newLine(1)], null)).toEqual([]);
});
