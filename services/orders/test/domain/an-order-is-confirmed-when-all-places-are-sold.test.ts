import { describe, expect, test } from '@jest/globals';
import {
  checkSellable,
  confirm,
  confirmPaidOrder,
  getCurrentTicketId,
  giveUpSale,
  recordReplacement,
} from '../../src/domain/confirmation.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment } from '../../src/domain/payments.ts';
import {
  buildPayment,
  createConfirmedOrder,
  createOpenOrder,
  createSaleDue,
  expectAccepted,
  expectAcceptedButRefused,
  expectNext,
  expectRefused,
  NOW,
  UNTIL,
} from './samples.ts';

const sale = { soldPlaceIds: ['plc_1', 'plc_2'] };
const paid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));

describe('a confirmation', () => {
  test('by command waits for the sale that follows from a payment, and is refused after the deadline', () => {
    expect(checkSellable(paid, true, NOW)?.refused.reason).toBe('sale_due');
    expect(checkSellable(createOpenOrder(), true, UNTIL)?.refused.reason).toBe('past_due');
  });

  test('begins anew unless the place of every line, or one that replaces it, was sold', () => {
    expectRefused(confirm(createOpenOrder(), { soldPlaceIds: ['plc_1'] }, NOW), 'overtaken');
    expectRefused(confirmPaidOrder(paid, { soldPlaceIds: ['plc_1'], due: createSaleDue() }, NOW), 'overtaken');
    const replaced = [{ replaces: 'plc_2', place: { id: 'plc_9', label: 'FLOOR 9', row: null, seat: null } }];
    expectRefused(confirm(createOpenOrder(), { ...sale, replaced }, NOW), 'overtaken');
  });
});

describe('the sale of a paid order', () => {
  test('is refused for an order that is not paid in full, and expires one that is free of charge', () => {
    for (const order of [createOpenOrder(), createOpenOrder(0)])
      expectRefused(confirmPaidOrder(order, { ...sale, due: createSaleDue(null) }, NOW), 'unpaid');
    expect(expectNext(expire(createOpenOrder(0), UNTIL)).state).toBe('expired');
  });

  test('whose places are gone leaves the order unchanged until its deadline, then expires it with its payment', () => {
    const left = expectAcceptedButRefused(giveUpSale(paid, createSaleDue(), NOW), 'places_gone');
    expect(left).toEqual({ ...paid, saleDue: null });
    expect(giveUpSale(left, createSaleDue(), UNTIL)).toMatchObject({ next: left, facts: [] });
    expect(expectAccepted(giveUpSale(paid, createSaleDue(), UNTIL))).toMatchObject({
      next: { state: 'expired', saleDue: null, payments: [{ status: 'captured' }] },
      facts: [{ type: 'order.expired', data: { orderId: 'ord_1', placeIds: ['plc_1', 'plc_2'] } }],
      answer: { reason: 'places_gone', recorded: { orderId: 'ord_1', paymentId: 'pay_1' } },
    });
    expect(expectAccepted(giveUpSale(paid, createSaleDue(null), UNTIL)).answer).not.toHaveProperty('recorded');
  });
});

describe('replaced tickets', () => {
  const confirmed = createConfirmedOrder();
  const fact = { lineId: 'lin_1', ticketId: 'tic_b', replaces: 'tic_1' };

  test('reported before the confirmation are in it', () => {
    const early = recordReplacement(createOpenOrder(), fact, NOW).next;
    expect(early.lines[0]?.ticketId).toBeNull();
    expect(expectNext(confirm(early, sale, NOW)).lines[0]?.ticketId).toBe('tic_b');
  });

  test('of unknown lines, duplicates and cycles change nothing', () => {
    expect(recordReplacement(confirmed, { ...fact, lineId: 'lin_7' }, NOW).next).toBe(confirmed);
    const once = recordReplacement(confirmed, fact, NOW).next;
    expect(recordReplacement(once, fact, NOW).next).toBe(once);
    const replacements = [fact, { ticketId: 'tic_1', replaces: 'tic_b' }];
    expect(['tic_1', 'tic_b']).toContain(getCurrentTicketId({ id: 'lin_1', replacements }));
  });
});
