import { describe, expect, test } from '@jest/globals';
import { cancel } from '../../src/domain/cancellation.ts';
import { beginConfirm, confirm } from '../../src/domain/confirmation.ts';
import { released, removeLine } from '../../src/domain/lines.ts';
import { expire } from '../../src/domain/order/expiry.ts';
import type { Order } from '../../src/domain/order/order.ts';
import { NO_OWNER } from '../../src/domain/order/pending-step.ts';
import { recordPlacesReleased, recordTicketsCancelled } from '../../src/domain/settlement.ts';
import { controlledTickets, recordControl, recordControlReverted } from '../../src/domain/tickets.ts';
import { accepted, draft, expectRefused, NOW, next, openOrder, pendingOrder, UNTIL } from './samples.ts';

const how = { reason: 'rain', override: false, controlled: null };
const selling = next(beginConfirm(openOrder(), { request: 's', onAccount: true }, NOW));
const confirmed = next(confirm(selling, { request: 's', soldPlaceIds: ['plc_1', 'plc_2'] }, NOW));

describe('a cancellation', () => {
  test('of an order with tickets waits for all three numbers', () => {
    const { next: order, facts } = accepted(cancel(confirmed, how, NOW + 1));
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
    for (const order of [openOrder(), pendingOrder()])
      expect(next(cancel(order, how, NOW)).cancellation).toMatchObject({
        ticketsCancelled: 0,
        controlled: 0,
        placesReleased: null,
        settledAt: null,
      });
  });

  test('of an order without places is settled at once', () => {
    const removing = next(removeLine(openOrder(1), { request: 'd', lineId: 'lin_1' }, NOW));
    const empty = next(released(removing, { request: 'd' }, NOW));
    expect(next(cancel(empty, how, NOW)).cancellation).toMatchObject({ placesReleased: 0, settledAt: NOW });
  });

  test('is final, and is refused for expired orders and drafts', () => {
    expectRefused(cancel(next(cancel(openOrder(), how, NOW)), how, NOW), 'wrong_state');
    expectRefused(cancel(openOrder(), how, UNTIL), 'past_due');
    expectRefused(cancel(next(expire(openOrder(), UNTIL)), how, UNTIL), 'wrong_state');
    expectRefused(cancel(draft(), how, NOW), 'busy');
  });

  test('waits for a pending sale, and aborts one that was left to recovery', () => {
    expectRefused(cancel(selling, how, NOW), 'busy');
    const left = { ...selling, pendingStep: selling.pendingStep && { ...selling.pendingStep, owner: NO_OWNER } };
    const order = next(cancel(left, how, NOW));
    expectRefused(confirm(order, { request: 's', soldPlaceIds: ['plc_1', 'plc_2'] }, NOW), 'step_lost');
  });

  test('does not wait for the places of a removed line, and releases them itself', () => {
    const removing = next(removeLine(openOrder(), { request: 'd', lineId: 'lin_1' }, NOW));
    expect(accepted(cancel(removing, how, NOW)).facts[0]).toMatchObject({ data: { placeIds: ['plc_2', 'plc_1'] } });
  });
});

describe('a controlled ticket', () => {
  const controlled = recordControl(confirmed, { ticketId: 'tic_1', version: 3 }).next;

  test('refuses the cancellation, unless overridden', () => {
    expectRefused(cancel(controlled, how, NOW), 'ticket_controlled');
    expect(accepted(cancel(controlled, { ...how, override: true }, NOW)).facts[0]).toMatchObject({
      data: { override: true },
    });
  });

  test('counts as the tickets service answers; without an answer as the order recorded it', () => {
    expectRefused(cancel(confirmed, { ...how, controlled: 1 }, NOW), 'ticket_controlled');
    expect(next(cancel(controlled, { ...how, controlled: 0 }, NOW)).state).toBe('cancelled');
  });

  test('is recorded by version: duplicates and older events change nothing', () => {
    expect(recordControl(controlled, { ticketId: 'tic_1', version: 3 }).next).toBe(controlled);
    expect(recordControlReverted(controlled, { ticketId: 'tic_1', version: 2 }).next).toBe(controlled);
    const reverted = recordControlReverted(controlled, { ticketId: 'tic_1', version: 4 }).next;
    expect([controlledTickets(controlled), controlledTickets(reverted)]).toEqual([1, 0]);
    expect(recordControl(reverted, { ticketId: 'tic_1', version: 3 }).next).toBe(reverted);
  });
});

describe('settlement', () => {
  const order = next(cancel(confirmed, how, NOW));
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
    const open = next(cancel(openOrder(), how, NOW));
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
    const without = next(cancel(openOrder(), how, NOW));
    expect(tickets(without, NOW)).toBe(without);
  });
});
