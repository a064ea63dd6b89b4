// What the provider tells of a change, and how: events in the form of its SDK, signed.

import { createRandomId } from '@boxoffice/runtime';
import type Stripe from 'stripe';
import { listDisputes, showRefund, showSession } from './objects.ts';
import { isPaid, isWithdrawing } from './session.ts';
import type { Session, SimulatedSession } from './store.ts';

interface SimulatedEvent {
  readonly type: Stripe.Event['type'];
  readonly object: object;
}

/** The kinds and objects of a change, in their order. Pure. */
export function listEvents(before: Session, after: Session, now: number): readonly SimulatedEvent[] {
  const session = (type: SimulatedEvent['type']) => ({
    type,
    object: showSession(after, { now, pageUrl: '', withPayment: false }),
  });
  const isDecided = before.payment?.state === 'processing' && after.payment?.state !== 'processing';
  return [
    ...(before.status !== 'complete' && after.status === 'complete' ? [session('checkout.session.completed')] : []),
    ...(before.status !== 'expired' && after.status === 'expired' ? [session('checkout.session.expired')] : []),
    ...(isDecided && isPaid(after) ? [session('checkout.session.async_payment_succeeded')] : []),
    ...(isDecided && !isPaid(after) ? [session('checkout.session.async_payment_failed')] : []),
    ...listRefundEvents(before, after),
    ...listDisputeEvents(before, after),
  ];
}

const listRefundEvents = (before: Session, after: Session): readonly SimulatedEvent[] =>
  after.refunds.flatMap((refund, index): readonly SimulatedEvent[] => {
    const earlier = before.refunds[index];
    const object = showRefund(after, refund);
    if (!earlier) return [{ type: 'refund.created', object }];
    if (earlier.status === refund.status) return [];
    return [
      { type: 'refund.updated', object },
      { type: 'charge.refund.updated', object },
      ...(refund.status === 'failed' ? [{ type: 'refund.failed' as const, object }] : []),
    ];
  });

const listDisputeEvents = (before: Session, after: Session): readonly SimulatedEvent[] => {
  const [object] = listDisputes(after);
  if (!object || before.dispute?.status === after.dispute?.status) return [];
  const isOpen = object.status === 'needs_response' || object.status === 'warning_needs_response';
  const event = (type: SimulatedEvent['type']) => ({ type, object });
  return [
    ...(before.dispute ? [] : [event('charge.dispute.created')]),
    ...(isWithdrawing(after.dispute) && !isWithdrawing(before.dispute)
      ? [event('charge.dispute.funds_withdrawn')]
      : []),
    ...(isOpen ? [] : [event('charge.dispute.closed')]),
    ...(object.status === 'won' ? [event('charge.dispute.funds_reinstated')] : []),
  ];
};

/** `now`: seconds since 1970. */
export async function signWebhook({ type, object }: SimulatedEvent, secret: string, now: number) {
  const { default: library } = await import('stripe');
  const payload = JSON.stringify({
    id: createRandomId('evt_simulated', 24),
    object: 'event',
    api_version: library.API_VERSION,
    created: now,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  });
  const signature = library.webhooks.generateTestHeaderString({ payload, secret, timestamp: now });
  return { body: Buffer.from(payload), signature };
}

interface WebhooksOptions {
  readonly now: () => number;
  readonly findWebhookSecret: (institution: string) => Promise<string | undefined>;
  readonly deliver: (institution: string, body: Buffer, signature: string) => Promise<unknown>;
  readonly logger: { warn(message: string, fields: object): void };
}

/** Sends each event once, beside the answer that caused it: a webhook is a hint, which may be lost. */
export function createWebhooks({ now, findWebhookSecret, deliver, logger }: WebhooksOptions) {
  const underWay = new Set<Promise<void>>();

  const send = async (before: Session, after: SimulatedSession): Promise<void> => {
    const secret = await findWebhookSecret(after.institution);
    if (secret === undefined) return;
    const seconds = Math.floor(now() / 1_000);
    for (const event of listEvents(before, after, seconds)) {
      const { body, signature } = await signWebhook(event, secret, seconds);
      await deliver(after.institution, body, signature);
    }
  };

  return {
    announce(before: Session, after: SimulatedSession): Promise<void> {
      const sending: Promise<void> = send(before, after)
        .catch((error: unknown) => logger.warn('a webhook of the simulator was not taken', { error }))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
      return sending;
    },
    async settle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
