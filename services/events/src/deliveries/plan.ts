import { derivedId } from '@boxoffice/runtime';
import type { Documents, New } from '@boxoffice/store';
import type { DeliveryDocument, Origin } from './documents.ts';

/** An event as the feed shows it. */
interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly resource: { readonly id: string };
}

const padded = (number: number): string => String(number).padStart(16, '0');

/** A planned attempt. The id follows from what it is for, so that planning it again adds nothing. */
export const planned = (
  webhookId: string,
  event: DeliveredEvent,
  reason: { readonly origin: Origin; readonly round: string; readonly attempt?: number },
  times: { readonly dueAt: number | null; readonly now: number },
): New<DeliveryDocument> => {
  const { origin, round, attempt = 1 } = reason;
  return {
    id: derivedId('dlv', webhookId, event.id, round, String(attempt)),
    webhookId,
    eventId: event.id,
    type: event.type,
    sequence: event.sequence,
    resourceId: event.resource.id,
    lane: `${padded(event.sequence)} ${round} ${padded(attempt)}`,
    origin,
    round,
    attempt,
    outcome: 'waiting',
    dueAt: times.dueAt,
    at: null,
    durationMs: null,
    httpStatus: null,
    error: null,
    nextAttemptAt: null,
    createdAt: new Date(times.now).toISOString(),
  };
};

/** The attempt after a failed one. */
export const following = (failed: DeliveryDocument, dueAt: number, now: number): New<DeliveryDocument> => {
  const { webhookId, eventId, type, sequence, resourceId, origin, round, attempt } = failed;
  const event = { id: eventId, type, sequence, resource: { id: resourceId } };
  return planned(webhookId, event, { origin, round, attempt: attempt + 1 }, { dueAt, now });
};

/** The first planned attempts of a resource, in their order. */
export const firstOf = (
  deliveries: Documents<DeliveryDocument>,
  webhookId: string,
  resourceId: string,
  limit = 1,
): Promise<DeliveryDocument[]> =>
  deliveries.find({ where: { webhookId, outcome: 'waiting', resourceId }, orderBy: 'lane', limit });

/** The newest attempt of a webhook that was made. */
export const latestOf = async (
  deliveries: Documents<DeliveryDocument>,
  webhookId: string,
): Promise<DeliveryDocument | undefined> => {
  const where = { webhookId, at: { gt: '' } };
  const [last] = await deliveries.find({ where, orderBy: 'at', descending: true, limit: 1 });
  return last;
};

/**
 * Plans first attempts of new events. Of each resource only the first is due; the others become due one after the other
 * as attempts end. Only the owner of the webhook calls it, never while it ends an attempt.
 */
export const planFirst = async (
  deliveries: Documents<DeliveryDocument>,
  webhookId: string,
  events: readonly DeliveredEvent[],
  now: number,
): Promise<void> => {
  const resources = [...new Set(events.map(({ resource }) => resource.id))];
  const heads = new Map<string, string>();
  await Promise.all(
    resources.map(async (resourceId) => {
      const [first] = await firstOf(deliveries, webhookId, resourceId);
      if (first) heads.set(resourceId, first.lane);
    }),
  );
  const documents = events.map((event) => {
    const document = planned(webhookId, event, { origin: 'feed', round: 'feed' }, { dueAt: now, now });
    const head = heads.get(event.resource.id);
    // An interrupted planning may have left a later one of the same resource.
    const isHeld = head !== undefined && head < document.lane;
    if (!isHeld) heads.set(event.resource.id, document.lane);
    return isHeld ? { ...document, dueAt: null } : document;
  });
  await deliveries.insertMany(documents);
};
