import type { DomainFact } from './facts.ts';
import type { Order, State } from './order.ts';

/** Reasons for which a command is refused; each interface maps them to its own codes. */
export const reasons = [
  // Another step is pending: wait for it.
  'busy',
  // The deadline has passed and the expiry is not written yet: write `expire`, then decide again.
  'past_due',
  // The pending step that the command ends is gone, since another process ended it; read the order again.
  'step_lost',
  // Nothing expires yet.
  'not_due',
  'wrong_state',
  'empty',
  'unpaid',
  'not_sold',
  'places_gone',
  'ticket_controlled',
  'payment_final',
  'late_and_unpaid',
  'paid_after_cancellation',
  'paid_and_refunded',
  'unknown_line',
  'unknown_payment',
  'exceeds_due',
  'exceeds_paid',
  'invalid_amount',
  'currency_mismatch',
  'due_in_past',
  'invalid_minutes',
  // The cart was bought already, so it is an order now.
  'checked_out',
  'tariff_not_accessible',
  'account_required',
  'payment_declined',
  'performance_begun',
] as const;
export type Reason = (typeof reasons)[number];

/** `details`: an English sentence for humans. */
export interface Refusal {
  readonly reason: Reason;
  readonly details: string;
  /** The state that forbids the command (`wrong_state`). */
  readonly state?: State;
  /** The payment that is recorded despite the refusal. */
  readonly recorded?: { readonly orderId: string; readonly paymentId: string };
}

/** Nothing may be written. */
export interface Refused {
  readonly refused: Refusal;
}

/**
 * The next state of the order, to be written with its facts in one write. `next` is the same object if nothing
 * changes.
 */
export interface Accepted<O extends Order = Order> {
  readonly next: O;
  readonly facts: readonly DomainFact[];
  /** The refusal to answer after the write: the change is kept, but the command did not succeed. */
  readonly answer?: Refusal;
}

export type Decision<O extends Order = Order> = Accepted<O> | Refused;

/** A refusal. */
export const refuse = (reason: Reason, details: string): Refused => ({ refused: { reason, details } });

/** A change. */
export const accept = <O extends Order>(next: O, ...facts: readonly DomainFact[]): Accepted<O> => ({ next, facts });

/** A change that is written although the command is refused. `paymentId`: the payment recorded with it. */
export const acceptButRefuse = <O extends Order>(
  kept: Accepted<O>,
  reason: Reason,
  details: string,
  paymentId?: string | null,
): Accepted<O> => ({
  ...kept,
  answer: { reason, details, ...(paymentId ? { recorded: { orderId: kept.next.id, paymentId } } : {}) },
});

/** Whether a decision refuses. */
export const isRefused = (decision: Decision): decision is Refused => 'refused' in decision;
