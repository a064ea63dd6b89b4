import type { DomainFact } from './facts.ts';
import type { Order, State } from './order.ts';

/** Why a command is refused; whoever speaks a protocol maps each to one of its codes. */
export const reasons = [
  // Another step is under way: wait for it.
  'busy',
  // The deadline has passed and the expiry is not written yet: write `expire`, then decide again.
  'past_due',
  // The mark that the call ends is not there any more: somebody else finished it; read the order again.
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
  // The cart was bought already, so it is no cart any more.
  'checked_out',
  'tariff_not_accessible',
  'account_required',
  'payment_declined',
  'performance_begun',
] as const;
export type Reason = (typeof reasons)[number];

/** `details`: an English sentence for people. */
export interface Refusal {
  readonly reason: Reason;
  readonly details: string;
  /** The state that forbids the command (`wrong_state`). */
  readonly state?: State;
  /** The payment that is recorded all the same. */
  readonly recorded?: { readonly orderId: string; readonly paymentId: string };
}

/** Nothing may be written. */
export interface Refused {
  readonly refused: Refusal;
}

/** What to write, in one write with its facts. `next` is the very same object if nothing changes. */
export interface Accepted<O extends Order = Order> {
  readonly next: O;
  readonly facts: readonly DomainFact[];
  /** Said after the write: it is to be kept, and still the command did not reach its aim. */
  readonly answer?: Refusal;
}

export type Decision<O extends Order = Order> = Accepted<O> | Refused;

/** A refusal. */
export const refuse = (reason: Reason, details: string): Refused => ({ refused: { reason, details } });

/** A change. */
export const accept = <O extends Order>(next: O, ...facts: readonly DomainFact[]): Accepted<O> => ({ next, facts });

/** A change that is kept although the command fails. `paymentId`: the payment that is recorded with it. */
export const keptThough = <O extends Order>(
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
