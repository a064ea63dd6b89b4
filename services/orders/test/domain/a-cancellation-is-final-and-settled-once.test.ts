import { describe, expect, test } from '@jest/globals';
import { cancel, recordPlacesReleased, recordTicketsCancelled } from '../../src/domain/cancellation.ts';
import { confirmPaidOrder, countControlledTickets, giveUpSale, recordControl } from '../../src/domain/confirmation.ts';
import { removeLine } from '../../src/domain/lines.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { expire } from '../../src/domain/order/state.ts';
import { addPayment } from '../../src/domain/payments.ts';
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
  toSale,
  UNTIL,
} from './samples.ts';

const how = { reason: 'rain', override: false, controlled: null };
const confirmed = createConfirmedOrder();
const paid = expectNext(addPayment(createOpenOrder(), buildPayment('pay_1', 10_000), NOW));

describe('a cancellation', () => {
  test('of an order with tickets waits for all three numbers', () => {
    const { next: order, facts } = expectAccepted(cancel(confirmed, how, NOW + 1));
    expect(order).toMatchObject({ state: 'cancelled', deadline: null, heldPlaces: 0, modifiedAt: NOW + 1 });
    expect(order.cancellation).toMatchObject({
      reason: 'rain',
      requestedAt: NOW + 1,
      ticketsCancelled: null,
      controlled: null,
      placesReleased: null,
      settledAt: null,
    });
    const data = { orderId: 'ord_1', hadTickets: true, override: false, placeIds: ['plc_1', 'plc_2'] };
    expect(facts).toEqual([{ type: 'order.cancelled', data }]);
  });

  test('of an order without tickets waits for its places only', () => {
    for (const order of [createOpenOrder(), createPendingOrder()])
      expect(expectNext(cancel(order, how, NOW)).cancellation).toMatchObject({
        ticketsCancelled: 0,
        controlled: 0,
        placesReleased: null,
        settledAt: null,
      });
  });

  test('precedes a sale in flight, which then confirms nothing; its payment stays recorded', () => {
    const order = expectNext(cancel(paid, how, NOW));
    expect(order).toMatchObject({ state: 'cancelled', saleDue: null, payments: [{ status: 'captured' }] });
    const sale = { ...toSale(paid), due: createSaleDue() };
    expect(expectAcceptedButRefused(confirmPaidOrder(order, sale, NOW), 'paid_after_cancellation')).toBe(order);
    expect(expectAcceptedButRefused(giveUpSale(order, createSaleDue(), NOW), 'paid_after_cancellation')).toBe(order);
    expectRefused(confirmPaidOrder(order, { ...sale, due: createSaleDue(null) }, NOW), 'wrong_state');
  });

  test('waits for the sale of a paid order whose hold is over', () => {
    expectRefused(cancel(paid, how, UNTIL), 'sale_due');
    const late = expectNext(
      addPayment(expectNext(expire(createOpenOrder(), UNTIL)), buildPayment('pay_1', 10_000), UNTIL),
    );
    expectRefused(cancel(late, how, UNTIL), 'sale_due');
  });

  test('names the places of a removed line that is not released yet', () => {
    const removed = expectNext(removeLine(createOpenOrder(), { lineId: 'lin_1', asOf: 1 }, NOW));
    const { next: order, facts } = expectAccepted(cancel(removed, how, NOW));
    expect(facts[0]).toMatchObject({ data: { placeIds: ['plc_2', 'plc_1'] } });
    expect(order.removedPlaces).toBeNull();
  });

  test('of an order with tickets names only their places, and keeps those of a removed line until they are released', () => {
    const removed = createConfirmedOrder(expectNext(removeLine(createOpenOrder(), { lineId: 'lin_1', asOf: 1 }, NOW)));
    const { next: order, facts } = expectAccepted(cancel(removed, how, NOW));
    expect(facts[0]).toMatchObject({ data: { placeIds: ['plc_2'] } });
    expect(order.removedPlaces?.placeIds).toEqual(['plc_1']);
  });
});

describe('a controlled ticket', () => {
  const controlled = recordControl(confirmed, { ticketId: 'tic_1', version: 3, controlled: true }).next;

  test('counts as the tickets service answers; without an answer as the order recorded it', () => {
    expectRefused(cancel(confirmed, { ...how, controlled: 1 }, NOW), 'ticket_controlled');
    expect(expectNext(cancel(controlled, { ...how, controlled: 0 }, NOW)).state).toBe('cancelled');
  });

  test('is recorded by version: duplicates and older events change nothing', () => {
    expect(recordControl(controlled, { ticketId: 'tic_1', version: 3, controlled: true }).next).toBe(controlled);
    expect(recordControl(controlled, { ticketId: 'tic_1', version: 2, controlled: false }).next).toBe(controlled);
    const reverted = recordControl(controlled, { ticketId: 'tic_1', version: 4, controlled: false }).next;
    expect([countControlledTickets(controlled), countControlledTickets(reverted)]).toEqual([1, 0]);
    expect(recordControl(reverted, { ticketId: 'tic_1', version: 3, controlled: true }).next).toBe(reverted);
  });
});

describe('settlement', () => {
  const order = expectNext(cancel(confirmed, how, NOW));
  const tickets = (current: Order, now: number) =>
    recordTicketsCancelled(current, { version: 5, ticketsCancelled: 1, controlled: 1 }, now).next;
  const places = (current: Order, now: number) =>
    recordPlacesReleased(current, { version: 2, cause: 'tickets.cancelled', placesReleased: 1 }, now).next;

  test('happens once, when the last number is known, in either order', () => {
    for (const rules of [
      [tickets, places],
      [places, tickets],
    ]) {
      const half = rules[0]?.(order, NOW + 1) ?? order;
      expect(half.cancellation?.settledAt).toBeNull();
      const whole = rules[1]?.(half, NOW + 2) ?? half;
      expect(whole.cancellation).toMatchObject({
        ticketsCancelled: 1,
        controlled: 1,
        placesReleased: 1,
        settledAt: NOW + 2,
      });
      expect(tickets(places(whole, NOW + 3), NOW + 3)).toBe(whole);
    }
  });

  test('counts the release caused by the cancellation, and never one caused by an expiry', () => {
    for (const cause of ['order.cancelled', 'order.expired'] as const)
      expect(recordPlacesReleased(order, { version: 9, cause, placesReleased: 2 }, NOW).next).toBe(order);
    const open = expectNext(cancel(createOpenOrder(), how, NOW));
    expect(recordPlacesReleased(open, { version: 9, cause: 'order.expired', placesReleased: 2 }, NOW).next).toBe(open);
    const done = recordPlacesReleased(open, { version: 1, cause: 'order.cancelled', placesReleased: 2 }, NOW + 1).next;
    expect(done.cancellation).toMatchObject({ placesReleased: 2, settledAt: NOW + 1 });
  });

  test('accepts newer numbers and keeps its first instant', () => {
    const whole = tickets(places(order, NOW + 1), NOW + 2);
    const newer = recordTicketsCancelled(whole, { version: 6, ticketsCancelled: 2, controlled: 0 }, NOW + 9).next;
    expect(newer.cancellation).toMatchObject({ ticketsCancelled: 2, controlled: 0, settledAt: NOW + 2 });
  });

  test('happens to cancelled orders only', () => {
    expect(tickets(places(confirmed, NOW), NOW)).toBe(confirmed);
    const without = expectNext(cancel(createOpenOrder(), how, NOW));
    expect(tickets(without, NOW)).toBe(without);
  });
});
