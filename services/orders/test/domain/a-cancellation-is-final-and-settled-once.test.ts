import { describe, expect, test } from '@jest/globals';
import { cancel, recordPlacesReleased, recordTicketsCancelled } from '../../src/domain/cancellation.ts';
import { confirmPaidOrder, giveUpSale, recordControl, recordReplacement } from '../../src/domain/confirmation.ts';
import { removeLine } from '../../src/domain/lines.ts';
import type { Order } from '../../src/domain/order/order.ts';
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
  toSale,
  UNTIL,
} from './samples.ts';

const how = { reason: 'rain', override: false, controlled: null };
const paid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));

describe('a cancellation', () => {
  test('precedes a sale in flight, which then confirms nothing; its payment stays recorded', () => {
    const order = expectNext(cancel(paid, how, NOW));
    expect(order).toMatchObject({ state: 'cancelled', saleDue: null, payments: [{ status: 'captured' }] });
    const sale = { ...toSale(paid), due: createSaleDue() };
    expect(expectAcceptedButRefused(confirmPaidOrder(order, sale, NOW), 'paid_after_cancellation')).toBe(order);
    expect(expectAcceptedButRefused(giveUpSale(order, createSaleDue(), NOW), 'paid_after_cancellation')).toBe(order);
    expectRefused(confirmPaidOrder(order, { ...sale, due: createSaleDue(null) }, NOW), 'wrong_state');
  });

  test('without an answer of tickets asks for no override because of a ticket whose line has left', () => {
    const order = createConfirmedOrder(createOpenOrder());
    const [left, ...lines] = order.lines.map((line) => ({ ...line, changeId: 'chg_1', leftAt: NOW }));
    const ticketNotes = [{ ticketId: String(left?.ticketId), version: 2, controlled: true }];
    expectRefused(cancel({ ...order, ticketNotes }, how, NOW), 'ticket_controlled');
    const gone = { ...order, ticketNotes, lines, formerLines: left ? [left] : [] };
    expectNext(cancel(gone, how, NOW));
    const replaced = { lineId: String(left?.id), ticketId: 'tic_new', replaces: String(left?.ticketId) };
    const known = recordReplacement({ ...gone, ticketNotes: [] }, replaced, NOW).next;
    expect(known).toMatchObject({ lines, formerLines: [{ id: left?.id, ticketId: 'tic_new' }] });
    const note = { ticketId: 'tic_new', version: 2, controlled: true };
    expectNext(cancel(recordControl(known, note).next, how, NOW));
  });

  test('waits for the sale of a paid order whose hold is over', () => {
    const expired = expectNext(expire(createOpenOrder(), UNTIL));
    for (const order of [paid, expectNext(addPayment(expired, buildPayment('pay_1', 10_000), UNTIL))])
      expectRefused(cancel(order, how, UNTIL), 'sale_due');
  });

  test('with override, after one without it, is there for tickets that stayed controlled, once', () => {
    const cancelled = expectNext(cancel(createConfirmedOrder(), how, NOW));
    const settled = (controlled: number) =>
      recordTicketsCancelled(cancelled, { version: 1, ticketsCancelled: 1, controlled }, NOW).next;
    for (const order of [cancelled, settled(1)]) {
      expectRefused(cancel(order, how, NOW), 'wrong_state');
      const { next, facts } = expectAccepted(cancel(order, { ...how, reason: null, override: true }, NOW));
      expect(facts).toMatchObject([
        { type: 'order.cancelled', data: { override: true, placeIds: ['plc_1', 'plc_2'] } },
      ]);
      expect(next.cancellation).toEqual({ ...order.cancellation, override: true });
      expectRefused(cancel(next, { ...how, override: true }, NOW), 'wrong_state');
    }
    expectRefused(cancel(settled(0), { ...how, override: true }, NOW), 'wrong_state');
    const unsold = expectNext(cancel(createOpenOrder(), how, NOW));
    expectRefused(cancel(unsold, { ...how, override: true }, NOW), 'wrong_state');
  });

  test('names the places of a removed line that is not released yet, unless the order has tickets', () => {
    const removed = expectNext(removeLine(createOpenOrder(), { lineId: 'lin_1', asOf: 1 }, NOW));
    for (const [before, placeIds, left] of [
      [removed, ['plc_2', 'plc_1'], undefined],
      [createConfirmedOrder(removed), ['plc_2'], ['plc_1']],
    ] as const) {
      const { next, facts } = expectAccepted(cancel(before, how, NOW));
      expect(facts[0]).toMatchObject({ data: { placeIds } });
      expect(next.removedPlaces?.placeIds).toEqual(left);
    }
  });
});

describe('settlement', () => {
  const order = expectNext(cancel(createConfirmedOrder(), how, NOW));
  const tickets = (current: Order, now: number) =>
    recordTicketsCancelled(current, { version: 5, ticketsCancelled: 1, controlled: 1 }, now).next;
  const places = (current: Order, now: number) =>
    recordPlacesReleased(current, { version: 2, cause: 'tickets.cancelled', placesReleased: 1 }, now).next;

  test('happens once, when the last number is known; newer numbers keep its instant', () => {
    for (const [first, last] of [
      [tickets, places],
      [places, tickets],
    ] as const) {
      const half = first(order, NOW + 1);
      expect(half.cancellation?.settledAt).toBeNull();
      const whole = last(half, NOW + 2);
      expect(whole.cancellation?.settledAt).toBe(NOW + 2);
      expect(tickets(places(whole, NOW + 3), NOW + 3)).toBe(whole);
      const newer = recordTicketsCancelled(whole, { version: 6, ticketsCancelled: 2, controlled: 0 }, NOW + 9).next;
      expect(newer.cancellation).toMatchObject({ ticketsCancelled: 2, controlled: 0, settledAt: NOW + 2 });
    }
  });

  test('is neither of an order that had no tickets nor of one that is not cancelled', () => {
    const without = expectNext(cancel(createOpenOrder(), how, NOW));
    for (const other of [without, createConfirmedOrder()]) expect(tickets(other, NOW)).toBe(other);
    expect(places(createConfirmedOrder(), NOW)).toMatchObject({ cancellation: null });
  });
});
