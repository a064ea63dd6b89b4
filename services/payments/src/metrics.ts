import type { Metrics } from '@boxoffice/runtime';
import type { Dispute, PaymentState } from './domain/payment.ts';
import type { RefundState } from './domain/refund.ts';
import type { Refusal } from './provider/port.ts';
import type { openCollections } from './store.ts';

export interface PaymentsMetrics {
  onAnswered(call: string, ms: number, refusal: Refusal | null): void;
  /** A page was asked for, or a payment has become final. */
  countPayment(outcome: PaymentState | 'opened' | 'unavailable' | 'amount_too_small'): void;
  /** `doubled`: found more than once at the provider. */
  countRefund(outcome: RefundState | 'doubled'): void;
  countMismatch(): void;
  countDispute(state: Dispute['state']): void;
  countWebhook(outcome: 'taken' | 'ignored' | 'refused'): void;
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export function createPaymentsMetrics(
  metrics: Metrics | undefined,
  { payments, refunds }: ReturnType<typeof openCollections>,
  now: () => number,
): PaymentsMetrics {
  const nothing = () => undefined;
  if (!metrics)
    return {
      onAnswered: nothing,
      countPayment: nothing,
      countRefund: nothing,
      countMismatch: nothing,
      countDispute: nothing,
      countWebhook: nothing,
    };
  const labels = ['outcome'];
  const ended = metrics.counter({ name: 'payments_total', help: 'Pages and payments of providers by outcome', labels });
  const refunded = metrics.counter({ name: 'payments_refunds_total', help: 'Refunds by outcome', labels });
  const webhooks = metrics.counter({ name: 'payments_webhooks_total', help: 'Webhooks of providers', labels });
  const mismatches = metrics.counter({
    name: 'payments_mismatches_total',
    help: 'Payments that came with another amount or currency',
  });
  const disputes = metrics.counter({
    name: 'payments_disputes_total',
    help: 'Disputes that were found, and their ends',
    labels: ['state'],
  });
  // Each counts from 0, so that its first increase is seen.
  mismatches({}, 0);
  for (const outcome of ['done', 'failed', 'doubled']) refunded({ outcome }, 0);
  for (const state of ['open', 'won', 'lost']) disputes({ state }, 0);
  for (const outcome of ['taken', 'ignored', 'refused']) webhooks({ outcome }, 0);
  const seconds = metrics.histogram({
    name: 'payments_provider_seconds',
    help: 'Time until the provider answered',
    labels: ['call'],
    buckets: SECONDS,
  });
  const errors = metrics.counter({
    name: 'payments_provider_errors_total',
    help: 'Requests to the provider that failed, by reason',
    labels: ['call', 'reason'],
  });
  const watchAge = (name: string, help: string, findSince: () => Promise<number | undefined>) =>
    metrics.watch({ name, help }, async () => {
      const since = await findSince();
      return [{ value: since === undefined ? 0 : Math.max(0, now() - since) / 1_000 }];
    });
  const pending = { where: { state: 'pending' }, limit: 1, index: 'pending' } as const;
  watchAge('payments_overdue_seconds', 'For how long the page of the oldest pending payment is over', async () => {
    const [oldest] = await payments.acrossInstitutions.find({ ...pending, orderBy: 'endsAt' });
    return oldest?.endsAt;
  });
  watchAge('payments_refund_pending_seconds', 'Age of the oldest refund that is pending', async () => {
    const [oldest] = await refunds.acrossInstitutions.find({ ...pending, orderBy: 'createdAt' });
    return oldest?.createdAt;
  });
  metrics.watch({ name: 'payments_unacknowledged', help: 'Mismatches that are not acknowledged' }, async () => [
    {
      value: await payments.acrossInstitutions.count({ 'mismatch.acknowledgedAt': null, 'mismatch.at': { gt: '' } }),
    },
  ]);
  return {
    onAnswered(call, ms, refusal) {
      seconds(ms / 1_000, { call });
      if (refusal !== null) errors({ call, reason: refusal });
    },
    countPayment: (outcome) => ended({ outcome }),
    countRefund: (outcome) => refunded({ outcome }),
    countMismatch: () => mismatches({}),
    countDispute: (state) => disputes({ state }),
    countWebhook: (outcome) => webhooks({ outcome }),
  };
}
