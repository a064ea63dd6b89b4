import { deriveId } from '@boxoffice/runtime';
import { type Documents, findFitting, type New } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import type { EventBounds } from '../feed/visible.ts';
import type { DeliveryDocument, Origin, PositionDocument, Redelivery, WebhookDocument } from '../store.ts';
import { TEST_TYPE } from '../types/types.ts';
import type { Delivered } from '../webhooks/client-rights.ts';
import { findFirstPlannedDelivery } from './planned.ts';

interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly resource: { readonly id: string };
}

/** The id follows from what the attempt is for, so that planning it again adds nothing. */
export function createPlannedAttempt(
  webhookId: string,
  event: DeliveredEvent,
  reason: { readonly origin: Origin; readonly round: string; readonly attempt?: number },
  times: { readonly dueAt: number | null; readonly now: number },
): New<DeliveryDocument> {
  const { origin, round, attempt = 1 } = reason;
  return {
    id: deriveId('dlv', webhookId, event.id, round, String(attempt)),
    webhookId,
    eventId: event.id,
    type: event.type,
    sequence: event.sequence,
    resourceId: event.resource.id,
    lane: `${padNumber(event.sequence)} ${round} ${padNumber(attempt)}`,
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
}

const padNumber = (number: number): string => String(number).padStart(16, '0');

export function createNextAttempt(failed: DeliveryDocument, dueAt: number, now: number): New<DeliveryDocument> {
  const { webhookId, eventId, type, sequence, resourceId, origin, round, attempt } = failed;
  const event = { id: eventId, type, sequence, resource: { id: resourceId } };
  return createPlannedAttempt(webhookId, event, { origin, round, attempt: attempt + 1 }, { dueAt, now });
}

/** Planned attempts do not count. */
export async function findLatestAttempt(
  deliveries: Documents<DeliveryDocument>,
  webhookId: string,
): Promise<DeliveryDocument | undefined> {
  const where = { webhookId, at: { gt: '' } };
  const [last] = await deliveries.find({ where, orderBy: 'at', descending: true, limit: 1 });
  return last;
}

/** Of each resource only the first attempt is due. Called only by the owner, never while it ends an attempt. */
export async function planFirst(
  deliveries: Documents<DeliveryDocument>,
  webhookId: string,
  events: readonly DeliveredEvent[],
  now: number,
): Promise<void> {
  const resources = [...new Set(events.map(({ resource }) => resource.id))];
  const heads = new Map<string, string>();
  await Promise.all(
    resources.map(async (resourceId) => {
      const [first] = await findFirstPlannedDelivery(deliveries, webhookId, resourceId);
      if (first) heads.set(resourceId, first.lane);
    }),
  );
  const documents = events.map((event) => {
    const document = createPlannedAttempt(webhookId, event, { origin: 'feed', round: 'feed' }, { dueAt: now, now });
    const head = heads.get(event.resource.id);
    // An interrupted planning may have left a later one of the same resource.
    const isHeld = head !== undefined && head < document.lane;
    if (!isHeld) heads.set(event.resource.id, document.lane);
    return isHeld ? { ...document, dueAt: null } : document;
  });
  await deliveries.insertMany(documents);
}

/** Events planned with one write; of a stretch, only while fewer requested deliveries wait. */
const BATCH = 200;

interface Planning {
  readonly deliveries: Documents<DeliveryDocument>;
  readonly positions: Documents<PositionDocument>;
  readonly feed: Pick<Feed, 'read' | 'start'>;
  mayBegin(): boolean;
  now(): number;
}

export function createPlanner(
  { deliveries, positions, feed, mayBegin, now }: Planning,
  { id: webhookId, institution }: Pick<WebhookDocument, 'id' | 'institution'>,
) {
  let position: { planned: number; written: number } | undefined;

  const readPosition = async () => {
    const sequence = (await positions.get(webhookId))?.sequence ?? 0;
    return { planned: sequence, written: sequence };
  };

  const record = async (): Promise<void> => {
    if (!position || position.planned === position.written) return;
    const sequence = position.planned;
    const updated = await positions.update(webhookId, (current) => ({ next: { ...current, sequence } }));
    if (!updated) await positions.insert({ id: webhookId, sequence });
    position.written = sequence;
  };

  const readFrom = async (after: number, delivered: Delivered) => {
    try {
      return await feed.read(institution, after, delivered, BATCH);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'event_cursor_expired') throw error;
      return feed.read(institution, await feed.start(institution), delivered, BATCH);
    }
  };

  return {
    /** `head` was read before the webhook: what follows a change of it goes by the change. True once all is planned. */
    async plan(webhook: WebhookDocument, delivered: Delivered, head: number): Promise<boolean> {
      const known = position ?? (await readPosition());
      position = known;
      for (;;) {
        const after = Math.max(known.planned, webhook.since);
        const found = await readFrom(after, delivered);
        const last = Math.max(after, head);
        const events = found.events.filter(({ sequence }) => sequence <= last);
        const upTo = Math.min(found.upTo, last);
        if (events.length > 0) await planFirst(deliveries, webhookId, events, now());
        known.planned = upTo;
        // Without deliveries it is written at the end: reading the same events again plans nothing.
        if (events.length > 0) await record();
        if (upTo === after) return true;
        if (!mayBegin()) return false;
      }
    },
    record,
    async forget(): Promise<void> {
      position = undefined;
      await positions.delete(webhookId);
    },
  };
}

interface Sources {
  readonly feed: Pick<Feed, 'read' | 'start'>;
  readonly deliveries: Documents<DeliveryDocument>;
  readonly webhooks: Documents<WebhookDocument>;
}

/** Plans as far as deliveries may wait. An interrupted call can be repeated. */
export async function planRedeliveries(
  { feed, deliveries, webhooks }: Sources,
  webhook: WebhookDocument,
  delivered: Delivered,
  now: () => number,
): Promise<void> {
  const { id: webhookId, institution, redeliveries = [] } = webhook;
  const waiting = { webhookId, outcome: 'waiting', origin: 'redelivery' } as const;

  const replace = (round: string, by: readonly Redelivery[]) =>
    webhooks.update(webhookId, (current) => ({
      next: {
        ...current,
        redeliveries: (current.redeliveries ?? []).flatMap((one) => (one.round === round ? by : [one])),
      },
    }));

  for (const request of redeliveries) {
    const { round, isSingle, until } = request;
    let { after } = request;
    while (after < until && (isSingle || (await deliveries.count(waiting)) < BATCH)) {
      const from = Math.max(after, await feed.start(institution));
      const { events, upTo } = await feed.read(institution, from, delivered, isSingle ? 1 : BATCH);
      const times = { dueAt: now(), now: now() };
      const within = events.filter(({ sequence }) => sequence <= until);
      await deliveries.insertMany(
        within.map((event) => createPlannedAttempt(webhookId, event, { origin: 'redelivery', round }, times)),
      );
      after = upTo === from ? until : upTo;
    }
    const isDone = after >= until && (isSingle || (await deliveries.count({ ...waiting, round })) === 0);
    if (isDone) await replace(round, []);
    else if (after !== request.after) await replace(round, [{ ...request, after }]);
  }
}

/** Sorted by creation: within bounds tests, and those of events that are still kept and within the bounds. */
export function filterVisibleDeliveries(
  deliveries: Documents<DeliveryDocument>,
  feed: Pick<Feed, 'getAll'>,
  institution: string,
  bounds: EventBounds | undefined,
): Pick<Documents<DeliveryDocument>, 'find'> {
  if (!bounds) return deliveries;
  return findFitting(deliveries, async (found) => {
    const ids = found.map(({ eventId }) => eventId);
    const visible = new Set((await feed.getAll(institution, ids, bounds)).map(({ id }) => id));
    return found.filter(({ type, eventId }) => type === TEST_TYPE || visible.has(eventId));
  });
}
