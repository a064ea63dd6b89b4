import assert from 'node:assert/strict';
import type { DomainFact } from '../../../src/domain/order/facts.ts';
import {
  due,
  isPaidInFull,
  paid,
  paymentStatus,
  refunded,
  refundStatus,
  total,
} from '../../../src/domain/order/money.ts';
import type { Order, State } from '../../../src/domain/order/order.ts';
import type { Reason } from '../../../src/domain/refusals.ts';
import type { Stock } from './stock.ts';

/** Captured and refunded money, recorded outside the order. */
export interface Ledger {
  captured: number;
  refunded: number;
  readonly refunds: { readonly at: number; readonly amount: number }[];
}

/** Captured money that pays for the order: less what was refunded before its confirmation. */
export const payingOf = ({ captured, refunds }: Ledger, { confirmedAt }: Order): number =>
  refunds.reduce((rest, { at, amount }) => (confirmedAt === null || at < confirmedAt ? rest - amount : rest), captured);

const arrows: Readonly<Record<State, readonly State[]>> = {
  draft: ['open'],
  open: ['reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'],
  reserved: ['payment_pending', 'confirmed', 'expired', 'cancelled'],
  payment_pending: ['open', 'reserved', 'confirmed', 'expired', 'cancelled'],
  confirmed: ['cancelled'],
  expired: ['confirmed'],
  cancelled: [],
};

/** The states in which each command is not refused for the state. */
const allowed = {
  lines: ['open', 'reserved'],
  removal: ['open', 'reserved'],
  extension: ['open', 'reserved'],
  reservation: ['open'],
  confirmation: ['open', 'reserved', 'payment_pending'],
  pending: ['open', 'reserved', 'payment_pending', 'confirmed'],
  captured: ['open', 'reserved', 'payment_pending', 'confirmed', 'expired'],
  settlement: ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'],
  details: ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'],
  cancellation: ['open', 'reserved', 'payment_pending', 'confirmed'],
  checkout: ['open'],
  refund: ['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'],
} as const satisfies Record<string, readonly State[]>;
export type Kind = keyof typeof allowed;

/**
 * The reason why there is nothing to buy: the order was bought and may still be paid, is being confirmed, or is an
 * empty or an expired cart.
 */
const checkoutRefusal = ({
  listedAt,
  checkout,
  payments,
  state,
  pendingStep: pending,
  lines,
}: Order): Reason | undefined => {
  const hasFailed = payments.length > 0 && payments.every(({ status }) => status === 'failed');
  const isAgain = checkout !== undefined && hasFailed && state === 'open' && pending?.step !== 'confirm';
  if (listedAt !== null && !isAgain) return 'cart_gone';
  if (pending !== null) return undefined;
  if (lines.length === 0) return 'empty';
  return state === 'expired' ? 'cart_expired' : undefined;
};

/** Checks that the refusal of a command is that of the state and the pending step, which precede every other rule. */
export const checkRefusal = (kind: Kind, before: Order, refused: Reason | undefined): void => {
  const own = kind === 'checkout' ? checkoutRefusal(before) : undefined;
  if (own) assert.equal(refused, own);
  if (own) return;
  const states: readonly State[] = allowed[kind];
  assert.notEqual(refused, 'past_due');
  assert.notEqual(refused, 'step_lost');
  if (before.pendingStep && (kind !== 'refund' || before.pendingStep.step === 'confirm') && kind !== 'cancellation')
    assert.equal(refused, 'busy');
  if (before.pendingStep) return;
  const isPending = before.state === 'payment_pending' && before.payments.some(({ status }) => status === 'pending');
  // Such an order can be confirmed on account only.
  if (kind === 'confirmation' && isPending && refused === 'wrong_state') return;
  if (states.includes(before.state))
    assert.ok(refused !== 'busy' && refused !== 'wrong_state', `${kind} while ${before.state}: ${refused}`);
  else assert.equal(refused, 'wrong_state');
};

const unpaid = (state: State) => state === 'open' || state === 'reserved' || state === 'payment_pending';

/** Invariants of every write, whatever the command. */
export const checkWrite = (before: Order, after: Order, facts: readonly DomainFact[], stock: Stock): void => {
  if (before.state !== after.state)
    assert.ok(arrows[before.state].includes(after.state), `${before.state} → ${after.state}`);
  const moved = before.state === after.state ? [] : [after.state];
  const published = moved.filter((state) => state === 'expired' || state === 'cancelled' || state === 'confirmed');
  // Tickets carry the buyer, cancelled ones included.
  const hasTickets = after.state === 'confirmed' || after.cancellation?.hadTickets;
  const buyer = hasTickets && before.contactNumber !== after.contactNumber ? ['confirmed'] : [];
  assert.deepEqual(
    facts.map(({ type }) => type),
    [...published, ...buyer].map((state) => `order.${state}`),
  );
  for (const [index, payment] of before.payments.entries()) {
    const now = after.payments[index];
    assert.equal(now?.amount, payment.amount);
    if (payment.status !== 'pending') assert.equal(now?.status, payment.status);
  }
  assert.deepEqual(after.refunds.slice(0, before.refunds.length), before.refunds);
  if (after.state === 'confirmed' && before.state !== 'confirmed') {
    const sold = stock.own().flatMap((place) => (place.sold ? [place.place.id] : []));
    assert.ok(after.lines.every(({ place }) => sold.includes(place.id)));
    assert.ok(after.lines.length > 0);
    const byPayment = before.pendingStep?.step === 'confirm' && before.pendingStep.paymentId !== null;
    if (byPayment) assert.ok(paid(after) - refunded(after) >= total(after), 'sold for money that was refunded');
  }
  // Only a sale that found places gone leaves an order unsold that is paid in full.
  if (isPaidInFull(after) && before.pendingStep?.step !== 'confirm') {
    assert.ok(before.state === 'expired' || after.state !== 'expired', 'an order that is paid in full expires');
    const isReleased = before.pendingStep?.step === 'release' && after.pendingStep === null;
    assert.ok(!isReleased || !unpaid(after.state), 'an order that is paid in full by a removed line is not sold');
  }
  assert.ok((after.modifiedAt ?? 0) >= (before.modifiedAt ?? 0));
  const settledAt = before.cancellation?.settledAt ?? null;
  if (settledAt !== null) assert.equal(after.cancellation?.settledAt, settledAt);
};

const checkCancellation = ({ cancellation }: Order): void => {
  if (!cancellation) return;
  const { ticketsCancelled, controlled, placesReleased, settledAt, requestedAt } = cancellation;
  const known = [ticketsCancelled, controlled, placesReleased].every((number) => number !== null);
  assert.equal(settledAt !== null, known);
  if (settledAt !== null) assert.ok(settledAt >= requestedAt);
};

/** Invariants of an order at every observable instant. */
export const checkOrder = (order: Order, ledger: Ledger, stock: Stock, now: number): void => {
  assert.deepEqual([paid(order), refunded(order)], [ledger.captured, ledger.refunded]);
  const price = order.lines.reduce((subtotal, { amount }) => subtotal + amount, 0);
  const money = payingOf(ledger, order);
  assert.deepEqual([total(order), due(order)], [price, Math.max(0, price - money)]);
  assert.ok(ledger.refunded <= ledger.captured);
  if (order.lines.length > 0)
    assert.equal(paymentStatus(order), money >= price ? 'paid' : money > 0 ? 'partial' : 'unpaid');
  const back = ledger.refunded === 0 ? 'none' : ledger.refunded < ledger.captured ? 'partial' : 'full';
  assert.equal(refundStatus(order), back);
  assert.equal(order.deadline !== null, unpaid(order.state));
  assert.equal(order.cameFrom !== null, order.state === 'payment_pending');
  const waitsForNothing =
    order.state === 'payment_pending' && order.payments.every(({ status }) => status !== 'pending');
  if (waitsForNothing && !order.pendingStep)
    assert.ok((order.expiresAt ?? 0) <= now, 'the order waits for a payment, and none is pending');
  assert.equal(order.cancellation !== null, order.state === 'cancelled');
  const wanted = order.pendingStep?.step === 'lines' ? order.pendingStep.quantity : 0;
  if (order.state !== 'draft') assert.equal(order.heldPlaces, unpaid(order.state) ? order.lines.length + wanted : 0);
  if (order.state === 'confirmed' || order.state === 'cancelled') assert.equal(order.pendingStep, null);
  for (const { ticketId } of order.lines) assert.equal(ticketId !== null, order.confirmedAt !== null);
  checkCancellation(order);
  const ids = order.lines.map(({ place }) => place.id);
  assert.equal(new Set(ids).size, ids.length);
  const own = stock.own();
  const has = (id: string, sold: boolean) => own.some((one) => one.place.id === id && (one.sold || !sold));
  if (order.state === 'confirmed')
    assert.deepEqual(
      ids.filter((id) => !has(id, true)),
      [],
    );
  const holding =
    (order.state === 'open' || order.state === 'reserved') && !order.pendingStep && (order.deadline ?? 0) > now;
  if (holding)
    assert.deepEqual(
      ids.filter((id) => !has(id, false)),
      [],
    );
};
