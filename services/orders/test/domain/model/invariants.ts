import assert from 'node:assert/strict';
import { findPendingChange, listNewStock } from '../../../src/domain/changes/change.ts';
import type { DomainFact } from '../../../src/domain/order/facts.ts';
import {
  computeCredit,
  computeDue,
  computeEarmarked,
  computePaid,
  computePaymentStatus,
  computeRefunded,
  computeRefundStatus,
  computeTotal,
  isPaidInFull,
} from '../../../src/domain/order/money.ts';
import type { Line, Order, State } from '../../../src/domain/order/order.ts';
import { computeBase, listStock, listUses } from '../../../src/domain/price.ts';
import type { Stock } from './stock.ts';

/** Captured and refunded money by the request that moved it, recorded outside the order. */
export interface Ledger {
  readonly captured: Map<string, number>;
  readonly refunded: Map<string, { readonly amount: number; readonly at: number; readonly goodwill: number }>;
  /** The refunds that have failed. */
  readonly failed: Set<string>;
}

const listReturned = ({ refunded, failed }: Ledger) =>
  [...refunded].flatMap(([key, one]) => (failed.has(key) ? [] : [one]));

const sumOf = (amounts: Iterable<number>): number => [...amounts].reduce((sum, amount) => sum + amount, 0);

const priceOf = ({ lines }: Order): number => sumOf(lines.map(({ amount }) => amount));

/** What of a refund of this order, which the ledger does not have yet, raises no debt although it is no credit. */
export function computeLedgerGoodwill(ledger: Ledger, order: Order, amount: number): number {
  const back = listReturned(ledger);
  const net = sumOf(ledger.captured.values()) - sumOf(back.map((one) => one.amount));
  const owed = priceOf(order) - sumOf(back.map((one) => one.goodwill));
  return order.state === 'confirmed' && net >= owed ? Math.max(0, amount - (net - owed)) : 0;
}

const arrows: Readonly<Record<State, readonly State[]>> = {
  open: ['reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'],
  reserved: ['payment_pending', 'confirmed', 'expired', 'cancelled'],
  payment_pending: ['open', 'reserved', 'confirmed', 'expired', 'cancelled'],
  confirmed: ['cancelled'],
  expired: ['confirmed'],
  cancelled: [],
};

/** Invariants of every write, whatever the command. `gone`: it gave up a sale since places are gone. */
export function checkWrite(before: Order, after: Order, facts: readonly DomainFact[], gone: boolean): void {
  if (before.state !== after.state)
    assert.ok(arrows[before.state].includes(after.state), `${before.state} → ${after.state}`);
  const isOverridden = after.cancellation?.override === true && before.cancellation?.override === false;
  const moved = before.state === after.state && !isOverridden ? [] : [after.state];
  const published = moved.filter((state) => state === 'expired' || state === 'cancelled' || state === 'confirmed');
  // Tickets carry the buyer, cancelled ones included.
  const hasTickets = after.state === 'confirmed' || after.cancellation?.hadTickets;
  const isOtherBuyer = before.contactNumber !== after.contactNumber && before.state === after.state;
  assert.deepEqual(
    facts.map(({ type }) => type),
    [...published, ...(hasTickets && isOtherBuyer ? ['confirmed'] : [])].map((state) => `order.${state}`),
  );
  for (const [index, payment] of before.payments.entries()) {
    const now = after.payments[index];
    assert.equal(now?.amount, payment.amount, 'a payment is lost');
    if (payment.status !== 'pending') assert.equal(now?.status, payment.status);
  }
  for (const [index, refund] of before.refunds.entries()) {
    const now = after.refunds[index];
    assert.deepEqual([now?.id, now?.amount], [refund.id, refund.amount], 'a refund is lost');
    if (refund.status === 'failed') assert.equal(now?.status, 'failed');
  }
  const isExpired = before.state !== 'expired' && after.state === 'expired';
  assert.ok(!isExpired || gone || !isPaidInFull(after), 'an order that is paid in full expires');
  const isPaidNow = isUnpaid(after.state) && isPaidInFull(after) && !isPaidInFull(before);
  assert.ok(!isPaidNow || after.saleDue, 'an order that is paid in full is not to be sold');
  assert.ok((after.modifiedAt ?? 0) >= (before.modifiedAt ?? 0));
  const settledAt = before.cancellation?.settledAt ?? null;
  if (settledAt !== null) assert.equal(after.cancellation?.settledAt, settledAt);
}

const isUnpaid = (state: State) => state === 'open' || state === 'reserved' || state === 'payment_pending';

/** The order's money is what was moved. */
export function checkMoney(order: Order, ledger: Ledger): void {
  const back = listReturned(ledger);
  const [received, returned] = [sumOf(ledger.captured.values()), sumOf(back.map(({ amount }) => amount))];
  assert.deepEqual(
    [computePaid(order), computeRefunded(order)],
    [received, returned],
    'money of the order is not what was moved',
  );
  const { state, confirmedAt } = order;
  const isEnded = state === 'cancelled' || state === 'expired';
  const [price, net] = [priceOf(order), received - returned];
  // A change that lowers the price takes what is beyond it.
  const given = order.changes ? (order.goodwill ?? 0) : sumOf(back.map(({ goodwill }) => goodwill));
  assert.equal(order.goodwill ?? 0, given, 'goodwill is not what the refunds count for');
  assert.ok(given <= price, 'there is more goodwill than was sold');
  // What was given back before the confirmation of a cancelled order pays for nothing, what went back later does.
  const isCounted = ({ at }: { readonly at: number }) =>
    state !== 'cancelled' || confirmedAt === null || at < confirmedAt;
  const earmarked = computeEarmarked(order);
  const money = received - earmarked - sumOf(back.filter(isCounted).map(({ amount }) => amount));
  const owed = state === 'confirmed' ? price - given : price;
  const [due, credit] = [computeDue(order), computeCredit(order)];
  assert.deepEqual([computeTotal(order), due], [price, Math.max(0, owed - money)]);
  assert.equal(
    credit,
    Math.max(0, net - earmarked - (isEnded ? 0 : owed)),
    'credit is not what is there beyond what is owed',
  );
  assert.ok(isEnded || credit === 0 || due === 0, 'an order has credit, and something is due');
  assert.ok(returned <= received);
  if (order.lines.length > 0)
    assert.equal(computePaymentStatus(order), money >= owed ? 'paid' : money > 0 ? 'partial' : 'unpaid');
  assert.equal(computeRefundStatus(order), returned === 0 ? 'none' : returned < received ? 'partial' : 'full');
}

/** Invariants of an order at every instant. */
export function checkOrder(order: Order, stock: Stock, now: number): void {
  const { id, state, deadline, expiresAt, saleDue } = order;
  assert.equal(deadline !== null, isUnpaid(state));
  assert.equal(order.cameFrom !== null, state === 'payment_pending');
  const isWaiting = state === 'payment_pending' && order.payments.every(({ status }) => status !== 'pending');
  if (isWaiting && !saleDue) assert.ok((expiresAt ?? 0) <= now, 'the order waits for a payment, and none is pending');
  assert.equal(order.cancellation !== null, state === 'cancelled');
  const change = findPendingChange(order);
  const fresh = change ? listNewStock(order, change) : [];
  const held = fresh.length > 0 ? (change?.newLines.length ?? 0) : 0;
  assert.equal(order.heldPlaces, isUnpaid(state) && !order.unseen ? order.lines.length : held);
  assert.ok(!change || state === 'confirmed', 'a change of an order that has ended is pending');
  const all = [...order.lines, ...(order.formerLines ?? [])].map((line) => line.id);
  assert.equal(new Set(all).size, all.length, 'a line is there and has left, or has left twice');
  if (state === 'confirmed' || state === 'cancelled') assert.equal(saleDue ?? null, null);
  for (const { ticketId } of order.lines) assert.equal(ticketId !== null, order.confirmedAt !== null);
  checkCancellation(order);
  for (const line of order.lines) checkPrice(line, stock);
  const ids = listStock(order.lines);
  assert.equal(new Set(ids).size, ids.length);
  const own = stock.ownOf(id);
  const lacks = (has: (place: (typeof own)[number]) => boolean) =>
    ids.filter((placeId) => !own.some((one) => one.place.id === placeId && has(one)));
  if (state === 'confirmed')
    assert.deepEqual(
      lacks((one) => one.state === 'sold'),
      [],
      'confirmed, but not sold',
    );
  if (change && (change.deadline ?? 0) > now)
    assert.ok(
      fresh.every((placeId) => own.some((one) => one.place.id === placeId && one.freeFrom > now)),
      'a new place of a pending change is not held',
    );
  if (isUnpaid(state) && (expiresAt ?? 0) > now)
    assert.deepEqual(
      lacks(({ freeFrom }) => freeFrom > now),
      [],
      'a place is not held until the end of the hold',
    );
}

/** What its parts make, with one use of what is limited: of the discount for groups, or of the code. */
const checkPrice = (line: Line, stock: Stock): void => {
  const { amount, price } = line;
  const [base, terms] = [computeBase(line), price?.grant?.terms];
  const lowered = base - (terms === undefined ? 0 : terms.id === 'dsc_code' ? Math.round(base / 2) : Math.min(3, base));
  assert.equal(amount, lowered + (price ? Math.round(lowered / 10) : 0), 'a price is not what its parts make');
  const pools = listUses(line).map((id) => stock.places.find(({ place }) => place.id === id)?.pool);
  const needed = terms === undefined ? [] : [terms.id === 'dsc_code' ? 'cod_1' : terms.id];
  assert.deepEqual(pools, needed, 'a line has other uses than it needs');
};

const checkCancellation = ({ cancellation }: Order): void => {
  if (!cancellation) return;
  const { ticketsCancelled, controlled, placesReleased, settledAt, requestedAt } = cancellation;
  const known = [ticketsCancelled, controlled, placesReleased].every((number) => number !== null);
  assert.equal(settledAt !== null, known);
  if (settledAt !== null) assert.ok(settledAt >= requestedAt);
};
