import { expect } from '@jest/globals';
import { confirm } from '../../src/domain/confirmation.ts';
import { type Accepted, type Decision, isRefused, type Reason } from '../../src/domain/decisions.ts';
import { type NewOrder, open } from '../../src/domain/lines.ts';
import type { Change, NewLine, Order } from '../../src/domain/order/order.ts';
import { addPayment, type PaymentInput } from '../../src/domain/payments.ts';

export const NOW = Date.parse('2031-01-01T12:00:00Z');
export const MINUTE = 60_000;
export const UNTIL = NOW + 15 * MINUTE;
export const GRACE = 15 * MINUTE;

/** A line at a place of the number. */
export function createLine(number: number, amount = 5_000, criterion: string | null = null): NewLine {
  return {
    id: `lin_${number}`,
    productId: 'prd_1',
    performanceId: `prf_${number % 2}`,
    startDate: '2031-02-01T19:00:00.000Z',
    seatCategoryId: 'cat_1',
    tariffId: 'trf_1',
    criterion,
    place: { id: `plc_${number}`, label: `A-${number}`, row: 'A', seat: number },
    amount,
  };
}

/** A new order with these lines, held until UNTIL. */
export function buildNewOrder(lines: readonly NewLine[], cart = false): NewOrder {
  return {
    id: 'ord_1',
    client: 'client',
    pointOfSale: null,
    contactNumber: 'C1',
    externalReference: null,
    ticketDelivery: 'print',
    lines,
    currency: 'CHF',
    until: UNTIL,
    cart,
  };
}

/** The decision, which must be accepted. */
export function expectAccepted<O extends Order>(decision: Decision<O>): Accepted<O> {
  if (isRefused(decision)) throw new Error(`refused: ${decision.refused.reason}: ${decision.refused.details}`);
  return decision;
}

/** What an accepted decision writes. */
export function expectNext<O extends Order>(decision: Decision<O>): O {
  return expectAccepted(decision).next;
}

/** Expects a refusal, with a sentence for humans. */
export function expectRefused(decision: Decision, reason: Reason): void {
  expect(decision).toMatchObject({ refused: { reason, details: expect.stringMatching(/\S.*\.$/s) } });
}

/** Expects a decision that is written and still answers a refusal. */
export function expectAcceptedButRefused(decision: Decision, reason: Reason): Order {
  expect(expectAccepted(decision).answer).toMatchObject({ reason, details: expect.stringMatching(/\S.*\.$/s) });
  return expectNext(decision);
}

/** An open order with a line per amount, held until UNTIL. */
export function createOpenOrder(...amounts: readonly number[]): Order {
  const prices = amounts.length > 0 ? amounts : [5_000, 5_000];
  return expectNext(open(buildNewOrder(prices.map((amount, index) => createLine(index + 1, amount))), NOW));
}

/** The input of a payment. */
export function buildPayment(
  id: string,
  amount: number,
  status: 'captured' | 'pending' = 'captured',
  more: Partial<PaymentInput> = {},
): PaymentInput {
  return { id, method: 'card', amount, reference: null, status, graceMs: GRACE, ...more };
}

/** The order with a pending payment, its places held for it. */
export function createPendingOrder(order = createOpenOrder(), amount = 10_000): Order {
  return expectNext(addPayment(order, buildPayment('pay_p', amount, 'pending'), NOW));
}

/** The sale of the places of these lines. */
export function toSale({ lines }: Pick<Order, 'lines'>) {
  return { soldPlaceIds: lines.map(({ place }) => place.id) };
}

/** The order, confirmed on account. */
export function createConfirmedOrder(order = createOpenOrder()): Order {
  return expectNext(confirm(order, toSale(order), NOW));
}

/** The sale that is due since {@link NOW}. */
export function createSaleDue(paymentId: string | null = 'pay_1') {
  return { since: NOW, paymentId };
}

/** Of nothing; with 5 due. */
export function createChange(id: string, state: Change['state'] = 'pending'): Change {
  return {
    ...{ id, state, reason: null, returns: [], exchanges: [], difference: 5, fee: 0, due: 5, credit: 0, newLines: [] },
    ...{ fees: [], refundId: null, expiresAt: NOW + 900_000, deadline: NOW + 900_000, coveredAt: null },
    ...{ createdAt: NOW, doneAt: state === 'done' ? NOW : null, asOf: 2 },
    settlement: { ticketsCancelled: null, controlled: null, placesReleased: null, settledAt: null },
  };
}
