import { describe, expect, test } from '@jest/globals';
import { beginConfirm, confirm, failConfirm } from '../../src/domain/confirmation.ts';
import { beginReservation, extended } from '../../src/domain/hold.ts';
import { removeLine } from '../../src/domain/lines.ts';
import { addPayment } from '../../src/domain/payments.ts';
import { currentTicket, recordReplacement } from '../../src/domain/tickets.ts';
import {
  accepted,
  draft,
  expectAcceptedButRefused,
  expectRefused,
  MINUTE,
  NOW,
  next,
  openOrder,
  payment,
  pendingOrder,
  UNTIL,
} from './samples.ts';

const sale = { request: 'sell', soldPlaceIds: ['plc_1', 'plc_2'] };
const begin = (order = openOrder(), onAccount = true) => beginConfirm(order, { request: 'sell', onAccount }, NOW);

describe('a confirmation', () => {
  test('confirms the order after the sale, with the ids of its tickets and the event', () => {
    const { next: confirmed, facts } = accepted(confirm(next(begin()), sale, NOW + 1));
    expect(confirmed).toMatchObject({
      state: 'confirmed',
      confirmedAt: NOW + 1,
      modifiedAt: NOW + 1,
      expiresAt: null,
      deadline: null,
      heldPlaces: 0,
      pendingStep: null,
    });
    expect(confirmed.lines.map(({ ticketId }) => ticketId)).toEqual(['tic_1', 'tic_2']);
    expect(facts).toEqual([
      {
        type: 'order.confirmed',
        data: {
          orderId: 'ord_1',
          contactNumber: 'C1',
          pointOfSale: null,
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

  test('needs money, unless it is free of charge or on account', () => {
    expectRefused(begin(openOrder(), false), 'unpaid');
    expect(next(begin(openOrder(0, 0), false)).pendingStep).toMatchObject({
      step: 'confirm',
      late: false,
      paymentId: null,
    });
    expectRefused(begin(openOrder(0, 1), false), 'unpaid');
  });

  test('is possible while open, reserved or waiting for a payment', () => {
    const reserving = next(beginReservation(openOrder(), { request: 'r', dueAt: NOW + MINUTE }, NOW));
    expect(next(begin(next(extended(reserving, { request: 'r' }, NOW)))).pendingStep?.step).toBe('confirm');
    expect(next(begin(pendingOrder())).pendingStep?.step).toBe('confirm');
    for (const state of ['confirmed', 'expired', 'cancelled'] as const)
      expectRefused(begin({ ...openOrder(), state, deadline: null }), 'wrong_state');
    expectRefused(begin(draft()), 'busy');
    expectRefused(beginConfirm(openOrder(), { request: 'sell', onAccount: true }, UNTIL), 'past_due');
  });

  test('waits while another step is pending', () => {
    expectRefused(begin(next(begin())), 'busy');
  });

  test('is refused for an order without lines', () => {
    const removed = next(removeLine(openOrder(1), { request: 'r', lineId: 'lin_1' }, NOW));
    expectRefused(begin({ ...removed, pendingStep: null }), 'empty');
  });

  test('is refused unless the place of every line was sold', () => {
    expectRefused(confirm(next(begin()), { ...sale, soldPlaceIds: ['plc_1'] }, NOW), 'not_sold');
  });

  test('uses the places that replace lost ones', () => {
    const place = { id: 'plc_9', label: 'FLOOR 9', row: null, seat: null };
    const replaced = [{ replaces: 'plc_2', place }];
    expectRefused(confirm(next(begin()), { ...sale, replaced }, NOW), 'not_sold');
    const { next: confirmed, facts } = accepted(
      confirm(next(begin()), { ...sale, soldPlaceIds: ['plc_1', 'plc_9'], replaced }, NOW),
    );
    expect(confirmed.lines[1]?.place).toEqual(place);
    expect(facts[0]).toMatchObject({ data: { tickets: [{}, { place }] } });
  });

  test('changes nothing if another process completed it, and is refused without its pending step', () => {
    const confirmed = next(confirm(next(begin()), sale, NOW));
    expect(confirm(confirmed, sale, NOW + 1)).toEqual({ next: confirmed, facts: [] });
    expectRefused(confirm(openOrder(), sale, NOW), 'step_lost');
    expectRefused(confirm(next(begin()), { ...sale, request: 'another' }, NOW), 'step_lost');
    expectRefused(failConfirm(next(begin()), { request: 'another' }, NOW), 'step_lost');
  });
});

describe('a sale whose places are gone', () => {
  test('leaves the order unchanged until its deadline', () => {
    const order = openOrder();
    const failed = expectAcceptedButRefused(failConfirm(next(begin(order)), { request: 'sell' }, NOW), 'places_gone');
    expect(failed).toEqual(order);
  });

  test('expires the order past its deadline, and its payments stay', () => {
    const paying = next(addPayment(openOrder(), payment('pay_1', 10_000), NOW));
    const decision = failConfirm(paying, { request: 'pay' }, UNTIL);
    const expired = expectAcceptedButRefused(decision, 'places_gone');
    expect(expired).toMatchObject({
      state: 'expired',
      pendingStep: null,
      payments: [{ status: 'captured', amount: 10_000 }],
    });
    expect(accepted(decision).facts).toEqual([
      { type: 'order.expired', data: { orderId: 'ord_1', placeIds: ['plc_1', 'plc_2'] } },
    ]);
  });
});

describe('replaced tickets', () => {
  const confirmed = next(confirm(next(begin()), sale, NOW));
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
    const early = recordReplacement(next(begin()), first, NOW).next;
    expect(early.lines[0]?.ticketId).toBeNull();
    expect(next(confirm(early, sale, NOW)).lines[0]?.ticketId).toBe('tic_b');
  });

  test('of unknown lines, and cycles, change nothing', () => {
    expect(recordReplacement(confirmed, { ...first, lineId: 'lin_7' }, NOW).next).toBe(confirmed);
    const replacements = [
      { ticketId: 'tic_b', replaces: 'tic_1' },
      { ticketId: 'tic_1', replaces: 'tic_b' },
    ];
    expect(['tic_1', 'tic_b']).toContain(currentTicket({ id: 'lin_1', replacements }));
  });
});
