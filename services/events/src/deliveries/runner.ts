import { settleWithin } from '@boxoffice/runtime';
import type { Documents } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import type { DeliveryDocument, EventDocument, PositionDocument, WebhookDocument } from '../store.ts';
import type { Delivered, DeliveredEvents } from '../webhooks/client-rights.ts';
import type { Attempt, Attempted } from './attempt.ts';
import { drop, type Ending, end } from './ends.ts';
import { findFirstPlannedDelivery, planFirst, planRedeliveries } from './plan.ts';

/** Attempts of one webhook at once. */
const SLOTS = 10;

/** Events that are planned with one write, and removed plans of one sweep. */
const BATCH = 200;

/** What the deliveries of one webhook need. */
export interface RunnerDependencies {
  readonly institution: string;
  readonly webhookId: string;
  readonly webhooks: Documents<WebhookDocument>;
  readonly deliveries: Documents<DeliveryDocument>;
  readonly positions: Documents<PositionDocument>;
  readonly feed: Pick<Feed, 'head' | 'read' | 'start' | 'getAll'>;
  readonly attempt: Attempt;
  /** The body of an event, for a receiver whose client has these bounds. */
  readonly body: (event: EventDocument, bounds: Delivered['bounds']) => string;
  readonly delivered: DeliveredEvents;
  /** Whether this process still owns the webhook, so that it may begin an attempt. */
  readonly isOwner: () => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ended: (ending: Ending, delivery: DeliveryDocument, event: EventDocument) => void;
  readonly failed: (error: unknown) => void;
}

/** The deliveries of one webhook, in the one process that owns it. */
export type Runner = ReturnType<typeof createRunner>;

interface Ended {
  readonly webhook: WebhookDocument;
  readonly delivery: DeliveryDocument;
  readonly event: EventDocument;
  readonly attempted: Attempted;
}

/**
 * Creates the runner. Its steps follow one another: write the ends of attempts, plan, begin attempts; only the attempts
 * themselves run beside them. So planning and ending never see each other's half-done work.
 */
export function createRunner(its: RunnerDependencies) {
  const { institution, webhookId, webhooks, deliveries, positions, feed, now } = its;
  /** Attempts under way, by resource. */
  const underWay = new Map<string, string>();
  const ends: Ended[] = [];
  const attempts = new Set<Promise<void>>();
  let position: { planned: number; written: number } | undefined;
  let dueAt: number | undefined;
  let isClosed = false;
  /** Nothing waits for the attempts any more, so nothing of them is written. */
  let isAbandoned = false;
  let isWanted = false;
  let running: Promise<void> | undefined;

  const settle = async (): Promise<void> => {
    await Promise.all(
      ends.splice(0).map(async (one) => {
        try {
          const times = { now: now(), random: Math.random() };
          const ending = await end({ webhooks, deliveries }, one.webhook, one.delivery, one.attempted, times);
          its.ended(ending, one.delivery, one.event);
          underWay.delete(one.delivery.resourceId);
        } catch (error) {
          // Its end is known, so it is written later and not attempted again.
          ends.push(one);
          throw error;
        }
      }),
    );
  };

  const readPosition = async () => {
    const sequence = (await positions.get(webhookId))?.sequence ?? 0;
    return { planned: sequence, written: sequence };
  };

  const writePosition = async (sequence: number): Promise<void> => {
    const updated = await positions.update(webhookId, (current) => ({ next: { ...current, sequence } }));
    if (!updated) await positions.insert({ id: webhookId, sequence });
  };

  /**
   * Plans what is new in the feed up to `head`, which was read before the webhook: what follows a change of the webhook
   * goes by the change.
   */
  const plan = async (webhook: WebhookDocument, delivered: Delivered, head: number): Promise<void> => {
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
      // Without deliveries it need not be written each time: reading the same events again plans nothing.
      if (events.length > 0 || upTo - known.written >= BATCH) {
        await writePosition(upTo);
        known.written = upTo;
      }
      if (upTo === after || isClosed) return;
      if (!its.isOwner()) throw lost();
    }
  };

  /** What the feed still keeps. */
  const readFrom = async (after: number, delivered: Delivered) => {
    try {
      return await feed.read(institution, after, delivered, BATCH);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'event_cursor_expired') throw error;
      return feed.read(institution, await feed.start(institution), delivered, BATCH);
    }
  };

  const setDue = (id: string, at: number | null) =>
    deliveries.update(id, (current) =>
      current.outcome === 'waiting' ? { next: { ...current, dueAt: at } } : undefined,
    );

  /** Removes planned deliveries: all, or those from the feed; then the others wait for none of them. */
  const purge = async (origin?: 'feed'): Promise<void> => {
    const where = { webhookId, outcome: 'waiting', ...(origin && { origin }) } as const;
    const isIdle = ({ id, resourceId }: DeliveryDocument): boolean => underWay.get(resourceId) !== id;
    for (;;) {
      const found = await deliveries.find({ where, limit: BATCH });
      const removed = found.filter(isIdle);
      await Promise.all(removed.map((delivery) => drop(deliveries, delivery, now())));
      if (found.length < BATCH || isClosed) return;
    }
  };

  const begin = (
    webhook: WebhookDocument,
    { bounds }: Delivered,
    delivery: DeliveryDocument,
    event: EventDocument,
  ): void => {
    underWay.set(delivery.resourceId, delivery.id);
    const attempt = its
      .attempt(webhook, { id: event.id, body: its.body(event, bounds) })
      .then((attempted) => {
        if (isAbandoned) return;
        ends.push({ webhook, delivery, event, attempted });
        wake();
      })
      .finally(() => attempts.delete(attempt));
    attempts.add(attempt);
  };

  /** Whether a due delivery is to be made now; otherwise it is removed, or made to wait for an earlier one. */
  const admit = async (webhook: WebhookDocument, { types, bounds }: Delivered, delivery: DeliveryDocument) => {
    const { id, type, origin, sequence, resourceId, eventId } = delivery;
    const isStale = origin === 'feed' && (sequence <= webhook.since || webhook.state === 'disabled');
    const isLeftOut = isStale || !types.includes(type);
    const [event] = isLeftOut ? [] : await feed.getAll(institution, [eventId], bounds);
    if (!event) {
      await drop(deliveries, delivery, now());
      // A redelivery may end with it.
      isWanted = true;
      return undefined;
    }
    const [first] = await findFirstPlannedDelivery(deliveries, webhookId, resourceId);
    if (first === undefined || first.id === id) return event;
    if (first.dueAt === null) await setDue(first.id, now());
    await setDue(id, null);
    return undefined;
  };

  /** Begins what was due at an instant. */
  const beginDue = async (webhook: WebhookDocument, delivered: Delivered, at: number): Promise<void> => {
    const where = { webhookId, outcome: 'waiting', dueAt: { lte: at } } as const;
    const limit = underWay.size + 2 * SLOTS;
    const found = await deliveries.find({ where, orderBy: 'dueAt', limit });
    const idle = found.filter(({ id, resourceId }) => underWay.get(resourceId) !== id);
    const isBehind = ({ resourceId }: DeliveryDocument): boolean => underWay.has(resourceId);
    await Promise.all(idle.filter(isBehind).map(({ id }) => setDue(id, null)));
    const byResource = new Map(idle.filter((one) => !isBehind(one)).map((one) => [one.resourceId, one]));
    const chosen = [...byResource.values()].slice(0, SLOTS - underWay.size);
    if (isClosed) return;
    let isLost = !its.isOwner();
    if (isLost) throw lost();
    await Promise.all(
      chosen.map(async (delivery) => {
        const event = await admit(webhook, delivered, delivery);
        if (event && its.isOwner()) begin(webhook, delivered, delivery, event);
        else isLost ||= event !== undefined;
      }),
    );
    if (isLost) throw lost();
    // Every delivery that was looked at has begun, is removed or waits, so the next page has others.
    if (underWay.size < SLOTS && (found.length === limit || idle.length > chosen.length)) isWanted = true;
  };

  /**
   * Makes the first attempts of resources due that wait for none. Two processes can leave such ones: while a share of
   * the work moves, the one plans behind an attempt that the other ends.
   */
  const unblock = async (): Promise<void> => {
    if (underWay.size > 0) return;
    const where = { webhookId, outcome: 'waiting', dueAt: null } as const;
    const held = await deliveries.find({ where, limit: 2 * SLOTS });
    const resources = [...new Set(held.map(({ resourceId }) => resourceId))];
    const firsts = await Promise.all(
      resources.map((resourceId) => findFirstPlannedDelivery(deliveries, webhookId, resourceId)),
    );
    const blocked = firsts.flat().filter((first) => first.dueAt === null);
    await Promise.all(blocked.map(({ id }) => setDue(id, now())));
    if (blocked.length > 0) isWanted = true;
  };

  /** When the first of those is due that were not at an instant. */
  const nextDue = async (at: number): Promise<number | undefined> => {
    const where = { webhookId, outcome: 'waiting', dueAt: { gt: at } } as const;
    const [next] = await deliveries.find({ where, orderBy: 'dueAt', limit: 1 });
    return next?.dueAt ?? undefined;
  };

  const pass = async (): Promise<void> => {
    dueAt = undefined;
    await settle();
    if (isClosed) return;
    const head = await feed.head(institution);
    const webhook = await webhooks.get(webhookId);
    if (!webhook || webhook.deletedAt !== null) {
      await purge();
      await positions.delete(webhookId);
      return;
    }
    const delivered = await its.delivered(webhook);
    // Also of a paused webhook, so that requests do not wait for each other.
    await planRedeliveries({ feed, deliveries, webhooks }, webhook, delivered, now);
    if (webhook.state === 'paused') return;
    if (webhook.state === 'active') await plan(webhook, delivered, head);
    else await purge('feed');
    // One instant for both, so that what becomes due between them is not missed by both.
    const at = now();
    await beginDue(webhook, delivered, at);
    await unblock();
    dueAt = its.isOwner() ? await nextDue(at) : now();
  };

  const run = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      try {
        await pass();
      } catch (error) {
        its.failed(error);
        dueAt = now();
        return;
      }
    }
  };

  const wake = (): void => {
    isWanted = true;
    running ??= run().finally(() => {
      running = undefined;
      if (isWanted && !isClosed && dueAt === undefined) wake();
    });
  };

  return {
    institution,
    /** Something may have to be done: a new event, a changed webhook, an attempt that is due. */
    wake: (): void => {
      if (!isClosed) wake();
    },
    /**
     * When it has to be woken again, epoch milliseconds: an attempt is due, or what has failed is tried again;
     * undefined: when something happens.
     */
    dueAt: () => dueAt,
    /**
     * Begins nothing more; resolves when running attempts are written, or after `mostMs` milliseconds: what a slow
     * receiver has not answered until then is delivered again by whoever owns the webhook next.
     */
    async close(mostMs?: number): Promise<void> {
      isClosed = true;
      const ended = Promise.all(attempts);
      await (mostMs === undefined ? ended : settleWithin(ended, mostMs, () => undefined));
      isAbandoned = true;
      await running;
      await settle().catch(its.failed);
    },
  };
}

/** The share was lost for a moment or longer: a process that has it again looks again at what it has not begun. */
const lost = (): Error => new Error('the share of the work was lost');
