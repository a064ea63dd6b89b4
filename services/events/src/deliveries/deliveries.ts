// Delivering events to webhooks: the work that is due of them, and what a process has of it.

import type { Logger } from '@boxoffice/runtime';
import type { Claim, WorkKind, WorkResult } from '@boxoffice/service';
import type { Log } from '../log/log.ts';
import type { WebhookDocument } from '../store.ts';
import { markDisabled } from '../webhooks/rules.ts';
import { createDelivery, type Delivery, type DeliveryDependencies } from './deliver.ts';

/** A webhook that cannot be worked on is logged once in this time. */
const LOG_EVERY_MS = 60_000;
/** Webhooks that a process works on at once: a slow receiver holds one of them, and delays no other webhook. */
const SLOTS = 1_000;

interface DeliveriesDependencies extends Omit<DeliveryDependencies, 'failed'> {
  readonly log: Pick<Log, 'onAppended'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The delivering part of a process. */
export type Deliveries = ReturnType<typeof createDeliveries>;

/** Creates the deliveries of a process, which the runner calls. */
export function createDeliveries(its: DeliveriesDependencies) {
  const running = new Set<Delivery>();
  const loggedAt = new Map<string, number>();
  const failed = (id: string, error: unknown): void => {
    if (performance.now() - (loggedAt.get(id) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    loggedAt.set(id, performance.now());
    its.logger.warn('a webhook has to wait: its deliveries could not be read or written', { id, error });
  };
  /** Something has changed at an institution: those that are worked on here need not wait for their next look. */
  const wake = (institution: string): void => {
    for (const one of running) if (one.institution === institution) one.wake();
  };
  its.log.onAppended(wake);
  return {
    wake,
    /** Delivers what there is for a webhook that the process has claimed. */
    async deliver(webhook: WebhookDocument, claim: Claim): Promise<WorkResult> {
      const delivery = createDelivery({ ...its, failed }, webhook, claim);
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

/** The work of webhooks: an operator who drops it disables the webhook. */
export const deliver: WorkKind<WithDeliveries> = {
  handle: ({ deliveries }, webhook: WebhookDocument, claim) => deliveries.deliver(webhook, claim),
  slots: () => SLOTS,
  institutionSlots: SLOTS / 2,
  dropped: (webhook: WebhookDocument, now) =>
    markDisabled(webhook, 'An operator has given its deliveries up.', new Date(now)),
};
