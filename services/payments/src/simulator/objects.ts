// The stored sessions as the provider shows them, in the types of its SDK: the members that the service reads.

import type Stripe from 'stripe';
import { getStatus, isPaid, toId } from './session.ts';
import type { Session, SimulatedRefund } from './store.ts';

type ShownSession = Pick<
  Stripe.Checkout.Session,
  'id' | 'object' | 'amount_total' | 'currency' | 'livemode' | 'payment_status' | 'status' | 'url'
> & { readonly payment_intent: string | ReturnType<typeof showPaymentIntent> | null };

interface SessionView {
  /** Seconds since 1970. */
  readonly now: number;
  /** The address of its page, which it has while it is open. */
  readonly pageUrl: string;
  /** Whether its payment is shown with its charge, or their id. */
  readonly withPayment: boolean;
}

export function showSession(session: Session, { now, pageUrl, withPayment }: SessionView): ShownSession {
  const { id, payment, amount, currency } = session;
  const status = getStatus(session, now);
  return {
    id,
    object: 'checkout.session',
    amount_total: payment?.amount ?? amount,
    currency: payment?.currency ?? currency,
    livemode: false,
    payment_intent: payment && (withPayment ? showPaymentIntent(session, payment) : toId('pi', id)),
    payment_status: isPaid(session) ? 'paid' : 'unpaid',
    status,
    url: status === 'open' ? pageUrl : null,
  };
}

const INTENT = { processing: 'processing', succeeded: 'succeeded', failed: 'requires_payment_method' } as const;

const showPaymentIntent = (session: Session, { state, amount, currency }: NonNullable<Session['payment']>) =>
  ({
    id: toId('pi', session.id),
    object: 'payment_intent',
    amount,
    amount_received: state === 'succeeded' ? amount : 0,
    currency,
    latest_charge: isPaid(session)
      ? { id: toId('ch', session.id), object: 'charge', disputed: session.dispute !== null }
      : null,
    status: INTENT[state],
  }) satisfies Partial<Record<keyof Stripe.PaymentIntent, unknown>>;

type ShownRefund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'currency' | 'metadata' | 'payment_intent' | 'status'
>;

export function showRefund(session: Session, refund: SimulatedRefund): ShownRefund {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    currency: session.payment?.currency ?? session.currency,
    metadata: { ...refund.metadata },
    payment_intent: toId('pi', session.id),
    status: refund.status,
  };
}

type ShownDispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'payment_intent' | 'reason' | 'status'
>;

export function listDisputes({ id: sessionId, payment, currency, dispute }: Session): readonly ShownDispute[] {
  if (!dispute) return [];
  const { id, amount, createdAt: created, reason, status } = dispute;
  const of = { currency: payment?.currency ?? currency, payment_intent: toId('pi', sessionId) };
  return [{ id, object: 'dispute', amount, created, reason, status, ...of }];
}

/** A page of a list, newest first, as the provider pages it. */
export function showList(url: string, all: readonly { readonly id: string }[], form: URLSearchParams) {
  const after = all.findIndex(({ id }) => id === form.get('starting_after'));
  const rest = all.slice(after + 1);
  const limit = Number(form.get('limit') ?? 10);
  return { object: 'list', url, data: rest.slice(0, limit), has_more: rest.length > limit };
}
