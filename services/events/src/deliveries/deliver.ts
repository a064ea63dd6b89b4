import { settleWithin } from '@boxoffice/runtime';
import type { Claim, WorkResult } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import {
  type DeliveryDocument,
  deliveriesCollection,
  type EventDocument,
  positionsCollection,
  type WebhookDocument,
  webhooksCollection,
} from '../store.ts';
import type { Delivered, DeliveredEvents } from '../webhooks/client-rights.ts';
import type { Attempt, Attempted } from './attempt.ts';
import { drop, dropAll, type Ending, end } from './ends.ts';
import { createPlanner, planRedeliveries } from './plan.ts';
import { findFirstPlannedDelivery, findNextDue, setDue, unblock } from './planned.ts';

/** Attempts of one webhook at once. */
const SLOTS = 10;

/** How often news are looked for that another process may have written, while attempts are under way. Milliseconds. */
const LOOK_MS = 1_000;
/** By how much the clocks of processes may differ without two of them having one webhook. Milliseconds. */
const SKEW_MS = 5_000;
/** When a webhook is looked at again whose handler has died while it ended. Milliseconds. */
const AGAIN_MS = 3_000;
/** How long a stop waits for receivers once the runner has aborted the handler; it waits a little longer. */
const STOP_MS = 2_500;

/** What delivering needs. */
export interface DeliveryDependencies {
  readonly store: Pick<Store, 'collection'>;
  readonly feed: Pick<Feed, 'head' | 'read' | 'start' | 'getAll'>;
  readonly attempt: Attempt;
  /** The body of an event, for a receiver whose client has these bounds. */
  readonly body: (event: EventDocument, bounds: Delivered['bounds']) => string;
  readonly delivered: DeliveredEvents;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ended: (ending: Ending, delivery: DeliveryDocument, event: EventDocument) => void;
  /** Called with what has failed while attempts are under way; it is tried again. */
  readonly failed: (webhookId: string, error: unknown) => void;
}

interface Ended {
  readonly webhook: WebhookDocument;
  readonly delivery: DeliveryDocument;
  readonly event: EventDocument;
  readonly attempted: Attempted;
}

/** What a pass has left. */
interface Seen {
  /** Of the webhook, as the pass has read it, before anything was planned. */
  readonly version: number;
  /** Events after this sequence are news; infinite: the webhook hears of none. */
  readonly upTo: number;
  /** When the next attempt is due; undefined: none is planned. */
  readonly nextAt: number | undefined;
}

/** Delivers the events of one webhook while a claim of it lasts. */
export type Delivery = ReturnType<typeof createDelivery>;

/**
 * Creates the handler of a webhook's claim. Its steps follow one another: write the ends of attempts, plan, begin
 * attempts; only the attempts themselves run beside them. So planning and ending never see each other's half-done work.
 */
export function createDelivery(
  its: DeliveryDependencies,
  { id: webhookId, institution }: WebhookDocument,
  claim: Claim,
) {
  const { store, feed, now } = its;
  const webhooks = store.collection(webhooksCollection).of(institution);
  const deliveries = store.collection(deliveriesCollection).of(institution);
  const positions = store.collection(positionsCollection).of(institution);
  /** Attempts under way, by resource. */
  const underWay = new Map<string, string>();
  const ends: Ended[] = [];
  const attempts = new Set<Promise<void>>();
  /** Until when the claim lasts as it was last read, with what the clocks may differ by taken off. */
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** Nothing waits for the attempts any more, so nothing of them is written. */
  let isAbandoned = false;
  /** Whether a pass has left something that the next one finds. */
  let isWanted = false;
  let woken = Promise.withResolvers<void>();

  const wake = (): void => woken.resolve();
  const mayBegin = (): boolean => !claim.signal.aborted && now() < heldUntil;
  const planner = createPlanner({ deliveries, positions, feed, mayBegin, now }, { id: webhookId, institution });

  /** Waits until it is woken, or for some time; returns whether it was woken. */
  const rest = async (ms: number): Promise<boolean> => {
    const isWoken = await settleWithin(
      woken.promise.then(() => true),
      ms,
      () => false,
    );
    if (isWoken) woken = Promise.withResolvers();
    return isWoken;
  };

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

  /** Removes planned deliveries: all, or those from the feed. */
  const purge = async (origin?: 'feed'): Promise<void> => {
    const isIdle = ({ id, resourceId }: DeliveryDocument): boolean => underWay.get(resourceId) !== id;
    if (!(await dropAll({ deliveries, isIdle, mayBegin, now }, webhookId, origin))) isWanted = true;
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
    if (first.dueAt === null) await setDue(deliveries, first.id, now());
    await setDue(deliveries, id, null);
    return undefined;
  };

  /** Begins what was due at an instant. */
  const beginDue = async (webhook: WebhookDocument, delivered: Delivered, at: number): Promise<void> => {
    const where = { webhookId, outcome: 'waiting', dueAt: { lte: at } } as const;
    const limit = underWay.size + 2 * SLOTS;
    const found = await deliveries.find({ where, orderBy: 'dueAt', limit });
    const idle = found.filter(({ id, resourceId }) => underWay.get(resourceId) !== id);
    const isBehind = ({ resourceId }: DeliveryDocument): boolean => underWay.has(resourceId);
    await Promise.all(idle.filter(isBehind).map(({ id }) => setDue(deliveries, id, null)));
    const byResource = new Map(idle.filter((one) => !isBehind(one)).map((one) => [one.resourceId, one]));
    const chosen = [...byResource.values()].slice(0, SLOTS - underWay.size);
    await Promise.all(
      chosen.map(async (delivery) => {
        const event = mayBegin() ? await admit(webhook, delivered, delivery) : undefined;
        if (event && mayBegin()) begin(webhook, delivered, delivery, event);
      }),
    );
    if (!mayBegin()) isWanted = true;
    // Every delivery that was looked at has begun, is removed or waits, so the next page has others.
    if (underWay.size < SLOTS && (found.length === limit || idle.length > chosen.length)) isWanted = true;
  };

  /** Writes, plans and begins what there is; undefined: the claim has ended. */
  const pass = async (): Promise<Seen | undefined> => {
    isWanted = false;
    await settle();
    const head = await feed.head(institution);
    const webhook = await webhooks.get(webhookId);
    if (!webhook || !claim.isHeld(webhook)) return undefined;
    const { version } = webhook;
    const idle = { version, upTo: Number.POSITIVE_INFINITY, nextAt: undefined };
    heldUntil = (webhook.due?.deliver?.at ?? 0) - SKEW_MS;
    // The runner renews it, or another process takes it over.
    if (!mayBegin()) return { ...idle, version: 0 };
    if (webhook.deletedAt !== null) {
      await purge();
      await planner.forget();
      return idle;
    }
    const delivered = await its.delivered(webhook);
    // Also of a paused webhook, so that requests do not wait for each other.
    await planRedeliveries({ feed, deliveries, webhooks }, webhook, delivered, now);
    if (webhook.state === 'paused') return idle;
    if (webhook.state !== 'active') await purge('feed');
    else if (!(await planner.plan(webhook, delivered, head))) isWanted = true;
    // One instant for both, so that what becomes due between them is not missed by both.
    const at = now();
    await beginDue(webhook, delivered, at);
    if (underWay.size === 0 && (await unblock(deliveries, webhookId, 2 * SLOTS, now()))) isWanted = true;
    const nextAt = await findNextDue(deliveries, webhookId, at);
    return { version, upTo: webhook.state === 'active' ? head : idle.upTo, nextAt };
  };

  /** Waits until a pass may find something, or what has failed is tried again. */
  const waitForNews = async ({ version, upTo, nextAt = Number.POSITIVE_INFINITY }: Seen): Promise<void> => {
    for (;;) {
      if ((await rest(Math.min(LOOK_MS, Math.max(0, nextAt - now())))) || nextAt <= now()) return;
      const [head, webhook] = await Promise.all([feed.head(institution), webhooks.get(webhookId)]);
      if (head > upTo || webhook?.version !== version || !claim.isHeld(webhook)) return;
    }
  };

  /**
   * Ends the claim, unless the webhook has changed since the pass. Who appends an event while a webhook is claimed does
   * not make it due, since its handler looks once more, after the end of the claim: an event that was appended before
   * is found by that look, and one that comes later makes the webhook due. Until it has looked the webhook stays due.
   */
  const release = async ({ version, upTo, nextAt }: Seen): Promise<boolean> => {
    await planner.record();
    let isReleased = false;
    const at = nextAt ?? now() + AGAIN_MS;
    const released = await webhooks.update(webhookId, (current) => {
      isReleased = current.version === version && claim.isHeld(current);
      return isReleased ? { next: current, due: { deliver: at } } : undefined;
    });
    if (!isReleased) return false;
    const isMore = (await feed.head(institution)) > upTo;
    if (!isMore && nextAt !== undefined) return true;
    await webhooks.update(webhookId, (current) =>
      current.version === released?.version && current.due?.deliver?.claim === undefined
        ? { next: current, due: { deliver: isMore ? now() : null } }
        : undefined,
    );
    return true;
  };

  /** Lets the attempts end that are under way, and records them. */
  const finish = async (mostMs?: number): Promise<void> => {
    const ended = Promise.all(attempts);
    await (mostMs === undefined ? ended : settleWithin(ended, mostMs, () => undefined));
    isAbandoned = true;
    await settle();
  };

  /** One turn; returns whether the claim has ended. */
  const turn = async (): Promise<boolean> => {
    const seen = await pass();
    if (!seen) {
      await finish();
      return true;
    }
    if (isWanted) return false;
    if (underWay.size === 0 && mayBegin() && (seen.nextAt ?? Number.POSITIVE_INFINITY) > now()) return release(seen);
    await waitForNews(seen);
    return false;
  };

  return {
    institution,
    /** Something may have to be done: a new event, a changed webhook, an attempt that has ended. */
    wake,
    /** Delivers what there is, until nothing is due, or the claim has ended. */
    async run(): Promise<WorkResult> {
      claim.signal.addEventListener('abort', wake);
      try {
        for (;;) {
          if (claim.signal.aborted) {
            await finish(STOP_MS);
            throw claim.signal.reason;
          }
          try {
            if (await turn()) return 'recorded';
          } catch (error) {
            // The ends of attempts that are under way are still to be written.
            if (underWay.size === 0) throw error;
            its.failed(webhookId, error);
            await rest(LOOK_MS);
          }
        }
      } finally {
        claim.signal.removeEventListener('abort', wake);
      }
    },
  };
}
