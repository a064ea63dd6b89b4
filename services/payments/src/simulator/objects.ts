// The stored sessions as the provider shows them, in the types of its SDK: the members that a caller can use.

import type Stripe from 'stripe';
import { getStatus, isPaid, isWithdrawing, sumRefunds, toId } from './session.ts';
import type { Session, SimulatedRefund } from './store.ts';

/** The objects to show in the place of their ids, by dotted paths (`payment_intent.latest_charge`). */
export type Expand = readonly string[];

const enter = <Shown>(expand: Expand, member: string, id: string, show: (inside: Expand) => Shown): Shown | string => {
  const inside = expand.filter((path) => path === member || path.startsWith(`${member}.`));
  return inside.length === 0 ? id : show(inside.map((path) => path.slice(member.length + 1)));
};

type ShownSession = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'allowed_payment_method_types'
  | 'amount_subtotal'
  | 'amount_total'
  | 'cancel_url'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'customer_email'
  | 'expires_at'
  | 'livemode'
  | 'locale'
  | 'metadata'
  | 'mode'
  | 'payment_method_types'
  | 'payment_status'
  | 'status'
  | 'success_url'
  | 'url'
> & { readonly payment_intent: string | ReturnType<typeof showPaymentIntent> | null };

/** `pageUrl`: the address of its page, which it has while it is open. */
export function showSession(session: Session, now: number, pageUrl: string, expand: Expand): ShownSession {
  const { payment, amount, currency } = session;
  const status = getStatus(session, now);
  return {
    id: session.id,
    object: 'checkout.session',
    allowed_payment_method_types: [...session.methods],
    amount_subtotal: payment?.amount ?? amount,
    amount_total: payment?.amount ?? amount,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReference,
    created: session.createdAt,
    currency: payment?.currency ?? currency,
    customer_email: null,
    expires_at: session.expiresAt,
    livemode: false,
    locale: session.locale,
    metadata: { ...session.metadata },
    mode: 'payment',
    payment_intent: payment
      ? enter(expand, 'payment_intent', toId('pi', session.id), (inside) => showPaymentIntent(session, inside))
      : null,
    payment_method_types: [...session.methods],
    payment_status: isPaid(session) ? 'paid' : 'unpaid',
    status,
    success_url: session.successUrl,
    url: status === 'open' ? pageUrl : null,
  };
}

const INTENT = { processing: 'processing', succeeded: 'succeeded', failed: 'requires_payment_method' } as const;

export function showPaymentIntent(session: Session, expand: Expand) {
  const { payment } = session;
  const state = payment?.state ?? 'processing';
  const amount = payment?.amount ?? session.amount;
  return {
    id: toId('pi', session.id),
    object: 'payment_intent',
    amount,
    amount_received: state === 'succeeded' ? amount : 0,
    canceled_at: null,
    cancellation_reason: null,
    created: payment?.at ?? session.createdAt,
    currency: payment?.currency ?? session.currency,
    latest_charge: isPaid(session)
      ? enter(expand, 'latest_charge', toId('ch', session.id), (inside) => showCharge(session, inside))
      : null,
    livemode: false,
    metadata: { ...session.paymentMetadata },
    payment_method_types: [...session.methods],
    status: INTENT[state],
  } satisfies Partial<Record<keyof Stripe.PaymentIntent, unknown>>;
}

type ShownCharge = Pick<
  Stripe.Charge,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_captured'
  | 'amount_refunded'
  | 'captured'
  | 'created'
  | 'currency'
  | 'disputed'
  | 'livemode'
  | 'metadata'
  | 'paid'
  | 'refunded'
  | 'status'
> & { readonly payment_intent: string | object };

export function showCharge(session: Session, expand: Expand): ShownCharge {
  const { amount, currency, at } = session.payment ?? { ...session, at: session.createdAt };
  const refunded = sumRefunds(session);
  return {
    id: toId('ch', session.id),
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    captured: true,
    created: at,
    currency,
    disputed: session.dispute !== null,
    livemode: false,
    metadata: { ...session.paymentMetadata },
    paid: true,
    payment_intent: enter(expand, 'payment_intent', toId('pi', session.id), (inside): object =>
      showPaymentIntent(session, inside),
    ),
    refunded: refunded === amount,
    status: 'succeeded',
  };
}

type ShownRefund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'failure_reason' | 'metadata' | 'status'
> & { readonly charge: string | ShownCharge; readonly payment_intent: string | object; readonly reason: string | null };

export function showRefund(session: Session, refund: SimulatedRefund, expand: Expand): ShownRefund {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    charge: enter(expand, 'charge', toId('ch', session.id), (inside) => showCharge(session, inside)),
    created: refund.createdAt,
    currency: session.payment?.currency ?? session.currency,
    ...(refund.status === 'failed' && { failure_reason: 'unknown' }),
    metadata: { ...refund.metadata },
    payment_intent: enter(expand, 'payment_intent', toId('pi', session.id), (inside): object =>
      showPaymentIntent(session, inside),
    ),
    reason: refund.reason,
    status: refund.status,
  };
}

type ShownDispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'is_charge_refundable' | 'livemode' | 'metadata' | 'status'
> &
  Pick<Stripe.Dispute, 'reason'> & {
    /** What it has taken, and given back. */
    readonly balance_transactions: readonly Pick<Stripe.BalanceTransaction, 'object' | 'amount' | 'currency'>[];
    readonly charge: string | ShownCharge;
    readonly payment_intent: string | object;
  };

/** Undefined without a dispute. */
export function showDispute(session: Session, expand: Expand): ShownDispute | undefined {
  const { dispute } = session;
  if (!dispute) return undefined;
  const currency = session.payment?.currency ?? session.currency;
  const book = (amount: number) => ({ object: 'balance_transaction' as const, amount, currency });
  return {
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    balance_transactions: [
      ...(isWithdrawing(dispute) || dispute.status === 'won' ? [book(-dispute.amount)] : []),
      ...(dispute.status === 'won' ? [book(dispute.amount)] : []),
    ],
    charge: enter(expand, 'charge', toId('ch', session.id), (inside) => showCharge(session, inside)),
    created: dispute.createdAt,
    currency,
    is_charge_refundable: !isWithdrawing(dispute),
    livemode: false,
    metadata: {},
    payment_intent: enter(expand, 'payment_intent', toId('pi', session.id), (inside): object =>
      showPaymentIntent(session, inside),
    ),
    reason: dispute.reason,
    status: dispute.status,
  };
}

/** A page of a list, newest first, as the provider pages it. */
export function showList<Shown extends { readonly id: string }>(
  url: string,
  all: readonly Shown[],
  form: URLSearchParams,
) {
  const after = all.findIndex(({ id }) => id === form.get('starting_after'));
  const rest = all.slice(after + 1);
  const limit = Number(form.get('limit') ?? 10);
  return { object: 'list', url, data: rest.slice(0, limit), has_more: rest.length > limit };
}
