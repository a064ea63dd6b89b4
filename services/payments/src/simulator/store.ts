import { collection, type Document, type New } from '@boxoffice/store';

export interface SimulatedRefund {
  readonly id: string;
  readonly amount: number;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'requires_action' | 'canceled';
  readonly metadata: Readonly<Record<string, string>>;
}

export interface SimulatedDispute {
  readonly id: string;
  readonly amount: number;
  readonly reason: string;
  /** `warning_…` is an inquiry, which takes no money. */
  readonly status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'won' | 'lost';
  readonly createdAt: number;
}

export interface SimulatedPayment {
  /** `processing`: the page is complete and unpaid, and waits for the bank. */
  readonly state: 'processing' | 'succeeded' | 'failed';
  readonly amount: number;
  readonly currency: string;
  readonly at: number;
  readonly refundsBegin: 'succeeded' | 'pending' | 'failed';
}

/**
 * A checkout session with all that became of it, so that a change is one write. Amounts are in the provider's unit,
 * currencies in lower case, instants in seconds since 1970, as the provider has them. Without data of the buyer.
 */
export interface SimulatedSession extends Document {
  readonly createdAt: number;
  readonly expiresAt: number;
  /** As stored: an open one whose time is over counts as expired (`getStatus`). */
  readonly status: 'open' | 'complete' | 'expired';
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  readonly locale: string | null;
  /** Where its page leads back to. */
  readonly successUrl: string;
  readonly payment: SimulatedPayment | null;
  readonly refunds: readonly SimulatedRefund[];
  readonly dispute: SimulatedDispute | null;
}

export type Session = New<SimulatedSession>;

export const simulatedSessionsCollection = collection<SimulatedSession>('simulated_sessions', [
  { name: 'created', fields: ['createdAt'] },
]);
