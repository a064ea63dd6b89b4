import { describe, expect, test } from '@jest/globals';
import {
  checkSellable,
  confirm,
  confirmPaidOrder,
  getCurrentTicketId,
  giveUpSale,
  recordReplacement,
} from '../../src/domain/confirmation.ts';
import { removeLine } from '../../src/domain/lines.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment, settlePayment } from '../../src/domain/payments.ts';
import {
  buildPayment,
  createConfirmedOrder,
  createOpenOrder,
  createPendingOrder,
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
const settled = (order: Order, paymentId: string): Order =>
  expectNext(settlePayment(order, { paymentId, status: 'captured' }, NOW));

describe('a confirmation', () => {
  test('confirms the order after the sale, with the ids of its tickets and the event', () => {
    const { next: confirmed, facts } = expectAccepted(confirm(createOpenOrder(), sale, NOW + 1));
    expect(confirmed).toMatchObject({
      state: 'confirmed',
      confirmedAt: NOW + 1,
      modifiedAt: NOW + 1,
      expiresAt: null,
      deadline: null,
      heldPlaces: 0,
      saleDue: null,
    });
    expect(confirmed.lines.map(({ ticketId }) => ticketId)).toEqual(['tic_1', 'tic_2']);
    expect(facts).toEqual([
      {
        type: 'order.confirmed',
        data: {
          orderId: 'ord_1',
          contactNumber: 'C1',
          pointOfSale: null,
          ticketDelivery: 'print',
          callFollows: true,
          tickets: [1, 2].map((number) => ({
            ticketId: `tic_${number}`,
            lineId: `lin_${number}`,
            performanceId: `prf_${number % 2}`,
            seatCategoryId: 'cat_1',
            tariffId: 'trf_1',
            place: { id: `plc_${number}`, label: `A-${number}`, row: 'A', seat: number },
            price: { amount: 5_000, currency: 'CHF' },
            productId: 'prd_1',
            startDate: '2031-02-01T19:00:00.000Z',
          })),
        },
      },
    ]);
  });

  test('by command waits for the sale that follows from a payment, and is refused after the deadline', () => {
    expect(checkSellable(paid, true, NOW)?.refused.reason).toBe('sale_due');
    expect(checkSellable(createOpenOrder(), true, UNTIL)?.refused.reason).toBe('past_due');
  });

  test('begins anew unless the place of every line was sold', () => {
    expectRefused(confirm(createOpenOrder(), { soldPlaceIds: ['plc_1'] }, NOW), 'overtaken');
    expectRefused(confirmPaidOrder(paid, { soldPlaceIds: ['plc_1'], due: createSaleDue() }, NOW), 'overtaken');
  });

  test('uses the places that replace lost ones', () => {
    const place = { id: 'plc_9', label: 'FLOOR 9', row: null, seat: null };
    const replaced = [{ replaces: 'plc_2', place }];
    expectRefused(confirm(createOpenOrder(), { ...sale, replaced }, NOW), 'overtaken');
    const { next: confirmed, facts } = expectAccepted(
      confirm(createOpenOrder(), { soldPlaceIds: ['plc_1', 'plc_9'], replaced }, NOW),
    );
    expect(confirmed.lines[1]?.place).toEqual(place);
    expect(facts[0]).toMatchObject({ data: { tickets: [{}, { place }] } });
  });
});

describe('the sale of a paid order', () => {
  const byPayment = { ...sale, due: createSaleDue() };
  const byDeadline = { ...sale, due: createSaleDue(null) };

  test('confirms it once, whichever process comes first', () => {
    const confirmed = expectNext(confirmPaidOrder(paid, byPayment, NOW));
    expect(confirmed).toMatchObject({ state: 'confirmed', saleDue: null });
    expect(confirmPaidOrder(confirmed, byPayment, NOW + 1)).toEqual({ next: confirmed, facts: [] });
    expect(giveUpSale(confirmed, createSaleDue(), NOW + 1)).toEqual({ next: confirmed, facts: [] });
  });

  test('is due anew after another process has given it up, whose expiry has released the places', () => {
    const givenUp = expectAcceptedButRefused(giveUpSale(paid, createSaleDue(), UNTIL), 'places_gone');
    expect(givenUp.state).toBe('expired');
    const again = expectNext(confirmPaidOrder(givenUp, byPayment, UNTIL));
    expect(again).toEqual({ ...givenUp, saleDue: { since: UNTIL, paymentId: 'pay_1' } });
    const later = { since: UNTIL, paymentId: 'pay_1' };
    expect(expectNext(confirmPaidOrder(again, byPayment, UNTIL))).toBe(again);
    expect(expectAcceptedButRefused(giveUpSale(again, createSaleDue(), UNTIL), 'places_gone')).toBe(again);
    expect(expectNext(confirmPaidOrder(again, { ...sale, due: later }, UNTIL))).toMatchObject({
      state: 'confirmed',
      saleDue: null,
    });
  });

  test('is refused for an order that is not paid in full', () => {
    expectRefused(confirmPaidOrder(createOpenOrder(), byDeadline, NOW), 'unpaid');
    expectRefused(
      confirmPaidOrder(createOpenOrder(0), { soldPlaceIds: ['plc_1'], due: createSaleDue(null) }, NOW),
      'unpaid',
    );
  });

  test('whose places are gone leaves the order unchanged until its deadline', () => {
    const left = expectAcceptedButRefused(giveUpSale(paid, createSaleDue(), NOW), 'places_gone');
    expect(left).toEqual({ ...paid, saleDue: null });
    expect(giveUpSale(left, createSaleDue(), UNTIL)).toMatchObject({
      next: left,
      facts: [],
      answer: { reason: 'places_gone' },
    });
  });

  test('whose places are gone expires the order past its deadline, and its payments stay', () => {
    const decision = giveUpSale(paid, createSaleDue(), UNTIL);
    expect(expectAcceptedButRefused(decision, 'places_gone')).toMatchObject({
      state: 'expired',
      saleDue: null,
      payments: [{ status: 'captured', amount: 10_000 }],
    });
    expect(expectAccepted(decision)).toMatchObject({
      facts: [{ type: 'order.expired', data: { orderId: 'ord_1', placeIds: ['plc_1', 'plc_2'] } }],
      answer: { recorded: { orderId: 'ord_1', paymentId: 'pay_1' } },
    });
    expect(expectAccepted(giveUpSale(paid, createSaleDue(null), UNTIL)).answer).not.toHaveProperty('recorded');
  });
});

describe('a sale is due', () => {
  const partPaid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 5_000), NOW));

  test.each([
    ['a payment', paid, NOW, 'pay_1'],
    ['a settled payment', settled(createPendingOrder(), 'pay_p'), NOW, 'pay_p'],
    ['a removed line', expectNext(removeLine(partPaid, { lineId: 'lin_1', asOf: 2 }, NOW)), NOW, null],
    ['its deadline', expectNext(expire({ ...paid, saleDue: null }, UNTIL)), UNTIL, null],
    [
      'a late payment',
      expectNext(addPayment(expectNext(expire(createOpenOrder(), UNTIL)), buildPayment('pay_1', 10_000), UNTIL)),
      UNTIL,
      'pay_1',
    ],
  ])('once an order is paid in full by %s', (_, order, since, paymentId) => {
    expect(order.saleDue).toEqual({ since, paymentId });
  });

  test('not while something is due, nor for an order that is free of charge', () => {
    expect(partPaid.saleDue ?? null).toBeNull();
    expect(expectNext(expire(createOpenOrder(0), UNTIL))).toMatchObject({ state: 'expired' });
  });
});

describe('replaced tickets', () => {
  const confirmed = createConfirmedOrder();
  const first = { lineId: 'lin_1', ticketId: 'tic_b', replaces: 'tic_1' };
  const second = { lineId: 'lin_1', ticketId: 'tic_c', replaces: 'tic_b' };

  test('are shown by their line, in any order of the events and despite duplicates', () => {
    for (const facts of [
      [first, second],
      [second, first],
      [second, second, first, first],
    ]) {
      const order = facts.reduce((current, fact) => recordReplacement(current, fact, NOW + 1).next, confirmed);
      expect(order.lines.map(({ ticketId }) => ticketId)).toEqual(['tic_c', 'tic_2']);
      expect(order.modifiedAt).toBe(NOW + 1);
    }
  });

  test('reported before the confirmation are in it', () => {
    const early = recordReplacement(createOpenOrder(), first, NOW).next;
    expect(early.lines[0]?.ticketId).toBeNull();
    expect(expectNext(confirm(early, sale, NOW)).lines[0]?.ticketId).toBe('tic_b');
  });

  test('of unknown lines, and cycles, change nothing', () => {
    expect(recordReplacement(confirmed, { ...first, lineId: 'lin_7' }, NOW).next).toBe(confirmed);
    const replacements = [
      { ticketId: 'tic_b', replaces: 'tic_1' },
      { ticketId: 'tic_1', replaces: 'tic_b' },
    ];
    expect(['tic_1', 'tic_b']).toContain(getCurrentTicketId({ id: 'lin_1', replacements }));
  });
});
