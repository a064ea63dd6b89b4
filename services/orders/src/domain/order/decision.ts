import { type Details, type Reason, type Row, refusals } from '../refusals.ts';
import type { DomainFact } from './facts.ts';
import type { Order, State } from './order.ts';

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

const rows: Readonly<Record<Reason, Row>> = refusals;

/** A refusal; without `details` it says what the table says. */
export const refuse = <R extends Reason>(reason: R, ...[details]: Details<R>): Refused => ({
  refused: { reason, details: details ?? rows[reason].details ?? '' },
});

/** A change. */
export const accept = <O extends Order>(next: O, ...facts: readonly DomainFact[]): Accepted<O> => ({ next, facts });

/** A change that is written although the command is refused. `paymentId`: the payment recorded with it. */
export const acceptButRefuse = <O extends Order>(
  kept: Accepted<O>,
  { refused }: Refused,
  paymentId?: string | null,
): Accepted<O> => ({
  ...kept,
  answer: { ...refused, ...(paymentId ? { recorded: { orderId: kept.next.id, paymentId } } : {}) },
});

/** Whether a decision refuses. */
export const isRefused = (decision: Decision): decision is Refused => 'refused' in decision;
