import type { Logger } from '@boxoffice/runtime';
import type { Claim, WorkKind, WorkResult } from '@boxoffice/service';
import type { Log } from '../log/log.ts';
import type { WebhookDocument } from '../store.ts';
import { markDisabled } from '../webhooks/rules.ts';
import { createDelivery, type Delivery, type DeliveryDependencies } from './deliver.ts';

/** Milliseconds between log lines about a webhook that cannot be worked on. */
const LOG_EVERY_MS = 60_000;
/** Concurrent webhooks: a slow receiver holds one slot, and delays no other webhook. */
const SLOTS = 1_000;

interface DeliveriesDependencies extends Omit<DeliveryDependencies, 'failed'> {
  readonly log: Pick<Log, 'onAppended'>;
  readonly logger: Pick<Logger, 'warn'>;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(its: DeliveriesDependencies) {
  const running = new Set<Delivery>();
  const loggedAt = new Map<string, number>();
  const logFailure = (id: string, error: unknown): void => {
    if (performance.now() - (loggedAt.get(id) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    loggedAt.set(id, performance.now());
    its.logger.warn('a webhook has to wait: its deliveries could not be read or written', { id, error });
  };
  /** Webhooks that are worked on here need not wait for their next look. */
  const wake = (institution: string): void => {
    for (const one of running) if (one.institution === institution) one.wake();
  };
  its.log.onAppended(wake);
  return {
    wake,
    async deliver(webhook: WebhookDocument, claim: Claim): Promise<WorkResult> {
      const delivery = createDelivery({ ...its, failed: logFailure }, webhook, claim);
      running.add(delivery);
      try {
        return await delivery.run();
      } finally {
        running.delete(delivery);
        loggedAt.delete(webhook.id);
      }
    },
  };
}

interface WithDeliveries {
  readonly deliveries: Deliveries;
}

/** An operator who drops the work disables the webhook. */
export const deliver: WorkKind<WithDeliveries> = {
  handle: ({ deliveries }, webhook: WebhookDocument, claim) => deliveries.deliver(webhook, claim),
  slots: () => SLOTS,
  institutionSlots: SLOTS / 2,
  dropped: (webhook: WebhookDocument, now) =>
    markDisabled(webhook, 'An operator has given its deliveries up.', new Date(now)),
};
