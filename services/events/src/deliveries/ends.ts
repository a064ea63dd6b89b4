import { type Retries, retryAfter } from '@boxoffice/service';
import type { Documents } from '@boxoffice/store';
import type { DeliveryDocument, WebhookDocument } from '../store.ts';
import { markDisabled } from '../webhooks/rules.ts';
import { type Attempted, buildAttemptRecord } from './attempt.ts';
import { deliverNow } from './due.ts';
import { createNextAttempt } from './plan.ts';
import { findFirstPlannedDelivery } from './planned.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** After the last attempt an event is given up. */
const RETRIES: Retries = {
  isEnding: true,
  delaysMs: [
    5 * SECOND,
    MINUTE,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
};

/** A webhook without any success for so long is disabled. */
const GIVES_UP_MS = 5 * DAY;

interface EndingDocuments {
  readonly webhooks: Documents<WebhookDocument>;
  readonly deliveries: Documents<DeliveryDocument>;
}

export type Ending = 'succeeded' | 'failed' | 'given_up';

/** Removes a planned attempt that is not to be made any more. */
export async function drop(
  deliveries: Documents<DeliveryDocument>,
  delivery: DeliveryDocument,
  now: number,
): Promise<void> {
  await release(deliveries, delivery, now);
  await deliveries.delete(delivery.id);
}

interface Dropping {
  readonly deliveries: Documents<DeliveryDocument>;
  isIdle(delivery: DeliveryDocument): boolean;
  mayBegin(): boolean;
  now(): number;
}

const BATCH = 200;

/** Without `origin` all planned attempts. True if none is left but those that somebody makes. */
export async function dropAll(its: Dropping, webhookId: string, origin?: 'feed'): Promise<boolean> {
  const where = { webhookId, outcome: 'waiting', ...(origin && { origin }) } as const;
  for (;;) {
    const found = await its.deliveries.find({ where, limit: BATCH });
    await Promise.all(found.filter(its.isIdle).map((delivery) => drop(its.deliveries, delivery, its.now())));
    if (found.length < BATCH) return true;
    if (!its.mayBegin()) return false;
  }
}

/** Written before this attempt's end, so that a crash between the two leaves no attempt waiting for nothing. */
const release = async (
  deliveries: Documents<DeliveryDocument>,
  { id, webhookId, resourceId }: DeliveryDocument,
  now: number,
): Promise<void> => {
  const first = await findFirstPlannedDelivery(deliveries, webhookId, resourceId, 2);
  const next = first.find((one) => one.id !== id);
  if (next?.dueAt !== null) return;
  await deliveries.update(next.id, (current) =>
    current.outcome === 'waiting' && current.dueAt === null ? { next: { ...current, dueAt: now } } : undefined,
  );
};

/** Disables if the receiver is gone (410), or nothing has succeeded for five days of failures. */
export async function disableIfDue(
  documents: EndingDocuments,
  webhook: WebhookDocument,
  { httpStatus, error }: Attempted,
  now: number,
): Promise<void> {
  if (error === null) return;
  if (httpStatus === 410) {
    await disable(documents, webhook, 'The receiver answered 410 (Gone).', now);
    return;
  }
  const since = await findFirstFailure(documents, webhook);
  if (since !== undefined && now - Date.parse(since) >= GIVES_UP_MS)
    await disable(documents, webhook, `No delivery has succeeded since ${since}.`, now);
}

/** Leaves a webhook whose address somebody has changed since. */
const disable = async (
  { webhooks }: EndingDocuments,
  { id, url }: WebhookDocument,
  reason: string,
  now: number,
): Promise<void> => {
  await webhooks.update(id, (current) =>
    current.deletedAt === null && current.state !== 'disabled' && current.url === url
      ? { next: markDisabled(current, reason, new Date(now)), due: deliverNow(current, now) }
      : undefined,
  );
};

/** Failures count after the last success, or after the webhook was activated; ISO 8601 UTC. */
const findFirstFailure = async (
  { deliveries }: EndingDocuments,
  { id: webhookId, activatedAt }: WebhookDocument,
): Promise<string | undefined> => {
  const succeeded = { webhookId, outcome: 'succeeded' };
  const [last] = await deliveries.find({ where: succeeded, orderBy: 'at', descending: true, limit: 1 });
  const since = last?.at != null && last.at > activatedAt ? last.at : activatedAt;
  const failed = { webhookId, outcome: 'failed', at: { gt: since } };
  const [first] = await deliveries.find({ where: failed, orderBy: 'at', limit: 1 });
  return first?.at ?? undefined;
};

export async function end(
  documents: EndingDocuments,
  webhook: WebhookDocument,
  delivery: DeliveryDocument,
  attempted: Attempted,
  times: { readonly now: number; readonly random: number },
): Promise<Ending> {
  const { deliveries } = documents;
  const { now } = times;
  const delay = attempted.error === null ? undefined : retryAfter(RETRIES, delivery.attempt, times.random);
  const nextAt = delay === undefined || attempted.httpStatus === 410 ? undefined : now + delay;
  if (nextAt === undefined) await release(deliveries, delivery, now);
  else await deliveries.insertMany([createNextAttempt(delivery, nextAt, now)]);
  await deliveries.update(delivery.id, (current) =>
    current.outcome === 'waiting' ? { next: buildAttemptRecord(current, attempted, nextAt) } : undefined,
  );
  await disableIfDue(documents, webhook, attempted, now);
  if (attempted.error === null) return 'succeeded';
  return nextAt === undefined ? 'given_up' : 'failed';
}
