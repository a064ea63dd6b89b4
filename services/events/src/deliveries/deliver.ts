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
import { findFirstPlannedDelivery, findNextDue, makeFirstsDue, setDue } from './planned.ts';

/** Attempts of one webhook at once. */
const SLOTS = 10;

/** Milliseconds between looks for news of other processes, while attempts are under way. */
const LOOK_MS = 1_000;
/** Milliseconds by which clocks may differ without two processes having one webhook. */
const SKEW_MS = 5_000;
/** Milliseconds until another look at a webhook whose handler has died while it ended: no clock calls that past. */
const AGAIN_MS = 2 * SKEW_MS;
/** Milliseconds that a stop waits for receivers; the runner waits a little longer. */
const STOP_MS = 2_500;

export interface DeliveryDependencies {
  readonly store: Pick<Store, 'collection'>;
  readonly feed: Pick<Feed, 'head' | 'read' | 'start' | 'getAll'>;
  readonly attempt: Attempt;
  /** Made for a receiver whose client has these bounds. */
  readonly body: (event: EventDocument, bounds: Delivered['bounds']) => string;
  readonly delivered: DeliveredEvents;
  readonly now: () => number;
  readonly ended: (ending: Ending, delivery: DeliveryDocument, event: EventDocument) => void;
  /** Reports failures while attempts are under way; they are tried again. */
  readonly failed: (webhookId: string, error: unknown) => void;
}

interface Ended {
  readonly webhook: WebhookDocument;
  readonly delivery: DeliveryDocument;
  readonly event: EventDocument;
  readonly attempted: Attempted;
}

interface Seen {
  /** The webhook's, as it was read before anything was planned. */
  readonly version: number;
  /** Later events are news; infinite: none is delivered to the webhook. */
  readonly upTo: number;
  /** Undefined: no attempt is planned. */
  readonly nextAt: number | undefined;
}

export type Delivery = ReturnType<typeof createDelivery>;

/**
 * Its steps follow one another: write the ends of attempts, plan, begin attempts; only the attempts themselves run
 * beside them. So planning and ending never see each other's half-done work.
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
  /** Attempts by resource. */
  const underWay = new Map<string, string>();
  const ends: Ended[] = [];
  const attempts = new Set<Promise<void>>();
  /** The end of the claim as it was last read, less what clocks may differ by. */
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** Nothing of the attempts is written any more. */
  let isAbandoned = false;
  /** A pass has left something that the next one finds. */
  let isWanted = false;
  let woken = Promise.withResolvers<void>();

  const wake = (): void => woken.resolve();
  const mayBegin = (): boolean => !claim.signal.aborted && now() < heldUntil;
  const planner = createPlanner({ deliveries, positions, feed, mayBegin, now }, { id: webhookId, institution });

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

  /** Without `origin` all of them. */
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

  /** Otherwise the delivery is removed, or made to wait for an earlier one. */
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
    // Every delivery that was looked at has begun, is removed or waits.
    if (underWay.size < SLOTS && (found.length === limit || idle.length > chosen.length)) isWanted = true;
  };

  /** Undefined: the claim has ended. */
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
    // One instant for both, so that neither misses what becomes due between them.
    const at = now();
    await beginDue(webhook, delivered, at);
    if (underWay.size === 0 && (await makeFirstsDue(deliveries, webhookId, 2 * SLOTS, now()))) isWanted = true;
    const nextAt = await findNextDue(deliveries, webhookId, at);
    return { version, upTo: webhook.state === 'active' ? head : idle.upTo, nextAt };
  };

  /** Also until what has failed is tried again. */
  const waitForNews = async ({ version, upTo, nextAt = Number.POSITIVE_INFINITY }: Seen): Promise<void> => {
    for (;;) {
      if ((await rest(Math.min(LOOK_MS, Math.max(0, nextAt - now())))) || nextAt <= now()) return;
      const [head, webhook] = await Promise.all([feed.head(institution), webhooks.get(webhookId)]);
      if (head > upTo || webhook?.version !== version || !claim.isHeld(webhook)) return;
    }
  };

  /**
   * Ends the claim, unless the webhook has changed since the pass. An event that is appended while a webhook is claimed
   * does not make it due: the handler looks once more after the end of the claim, and finds it; until then the webhook
   * stays due.
   */
  const release = async ({ version, upTo, nextAt }: Seen): Promise<boolean> => {
    await planner.record();
    let isReleased = false;
    const at = Math.min(nextAt ?? Number.POSITIVE_INFINITY, now() + AGAIN_MS);
    const released = await webhooks.update(webhookId, (current) => {
      isReleased = current.version === version && claim.isHeld(current);
      return isReleased ? { next: current, due: { deliver: at } } : undefined;
    });
    if (!isReleased) return false;
    const isMore = (await feed.head(institution)) > upTo;
    if (!isMore && nextAt === at) return true;
    await webhooks.update(webhookId, (current) => {
      const { at: dueAt = 0, claim: other } = current.due?.deliver ?? {};
      // An event that is appended when somebody's clock calls it due does not make it so: then it stays due.
      const isOwn = current.version === released?.version && other === undefined && dueAt > now() + SKEW_MS;
      return isOwn ? { next: current, due: { deliver: isMore ? now() : (nextAt ?? null) } } : undefined;
    });
    return true;
  };

  const finish = async (mostMs?: number): Promise<void> => {
    const ended = Promise.all(attempts);
    await (mostMs === undefined ? ended : settleWithin(ended, mostMs, () => undefined));
    isAbandoned = true;
    await settle();
  };

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
    /** Called for a new event, a changed webhook, an attempt that has ended. */
    wake,
    /** Runs until nothing is due, or the claim has ended. */
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
