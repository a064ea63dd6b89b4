import { type Logger, repeat } from '@boxoffice/runtime';
import { type Store, skipWhenQuiet } from '@boxoffice/store';
import type { Feed } from '../feed/read.ts';
import type { Log } from '../log/log.ts';
import { deliveriesCollection, positionsCollection, type WebhookDocument, webhooksCollection } from '../store.ts';
import { createRunner, type Runner, type RunnerDependencies } from './runner.ts';
import { BEAT_EVERY, createShards, LEASE_MS, SHARDS } from './shards.ts';

/** How far a look at changed webhooks goes back: instances write with their own clocks. */
const OVERLAP_MS = 30_000;
/** A webhook that cannot be worked on is logged once in this time. */
const LOG_EVERY_MS = 60_000;

/** Times of a process, in milliseconds. */
export interface DeliveryTimes {
  /** How often it looks for what others have done and for attempts that are due. Default: 500. */
  readonly lookEveryMs?: number;
  /** How long it has a share of the work without a renewal. Default: {@link LEASE_MS}. */
  readonly leaseMs?: number;
  /** How long it waits for receivers when it closes. Default: 5,000. */
  readonly closeMs?: number;
}

/** What the deliveries of a process need beside the members that each of its runners gets. */
interface DeliveriesDependencies extends Pick<RunnerDependencies, 'attempt' | 'body' | 'delivered' | 'ended' | 'now'> {
  readonly store: Store;
  readonly log: Pick<Log, 'onAppended'>;
  readonly feed: Feed;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly times?: DeliveryTimes | undefined;
}

/** The delivering part of a process. */
export type Deliveries = ReturnType<typeof createDeliveries>;

/** Creates the deliveries of a process: one runner for each webhook of the shares that it has. */
export function createDeliveries(its: DeliveriesDependencies) {
  const { store, feed, logger, now } = its;
  const { lookEveryMs = 500, leaseMs = LEASE_MS, closeMs = 5_000 } = its.times ?? {};
  const webhooks = store.collection(webhooksCollection);
  const shards = createShards(store, { now, leaseMs });
  const runners = new Map<string, { readonly runner: Runner; readonly shard: number }>();
  const closing = new Set<Promise<void>>();
  const heads = new Map<string, number>();
  const inUse = new Set<number>();
  let owned: ReadonlySet<number> = new Set();
  let lookedAt: number | undefined;
  let beatAt = Number.NEGATIVE_INFINITY;

  const newRunner = ({ id: webhookId, institution, shard }: WebhookDocument): Runner => {
    let loggedAt = Number.NEGATIVE_INFINITY;
    return createRunner({
      ...its,
      institution,
      webhookId,
      webhooks: webhooks.of(institution),
      deliveries: store.collection(deliveriesCollection).of(institution),
      positions: store.collection(positionsCollection).of(institution),
      isOwner: () => shards.owns(shard),
      failed: (error) => {
        if (performance.now() - loggedAt < LOG_EVERY_MS) return;
        loggedAt = performance.now();
        logger.warn('a webhook has to wait: its deliveries could not be read or written', { id: webhookId, error });
      },
    });
  };

  const stop = (webhookId: string, mostMs?: number): void => {
    const running = runners.get(webhookId);
    if (!running) return;
    runners.delete(webhookId);
    const closed = running.runner.close(mostMs).finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const wake = (webhook: WebhookDocument): void => {
    const { id, shard } = webhook;
    const known = runners.get(id) ?? { runner: newRunner(webhook), shard };
    runners.set(id, known);
    known.runner.wake();
  };

  const wakeAll = (institution: string): void => {
    for (const { runner } of runners.values()) if (runner.institution === institution) runner.wake();
  };

  /** Finds the webhooks that were created or changed since the last look. */
  const lookForChanges = async (): Promise<void> => {
    const at = now();
    if (lookedAt === undefined) {
      const first = await Promise.all(
        Array.from({ length: SHARDS }, (_, shard) => webhooks.acrossInstitutions.find({ where: { shard }, limit: 1 })),
      );
      for (const [webhook] of first) if (webhook) inUse.add(webhook.shard);
    } else {
      const where = { changedAt: { gte: lookedAt - OVERLAP_MS } };
      const changed = await webhooks.acrossInstitutions.find({ where, orderBy: 'changedAt' });
      for (const webhook of changed) {
        if (!inUse.has(webhook.shard)) beatAt = Number.NEGATIVE_INFINITY;
        inUse.add(webhook.shard);
        if (owned.has(webhook.shard) && isNews(webhook)) wake(webhook);
      }
    }
    lookedAt = at;
  };

  const versions = new Map<string, number>();

  /** Whether this version of the webhook has not been seen; those of the overlap are found again and again. */
  const isNews = ({ id, version }: WebhookDocument): boolean => {
    if (versions.get(id) === version) return false;
    versions.set(id, version);
    return true;
  };

  const beat = async (): Promise<void> => {
    if (performance.now() - beatAt < BEAT_EVERY * leaseMs) return;
    beatAt = performance.now();
    const before = owned;
    owned = await shards.beat(inUse);
    for (const [id, { shard }] of runners) if (!owned.has(shard)) stop(id);
    for (const shard of owned) {
      if (before.has(shard)) continue;
      const found = await webhooks.acrossInstitutions.find({ where: { shard } });
      for (const webhook of found) wake(webhook);
    }
  };

  /** Wakes the webhooks of institutions with new events, wherever these were recorded. */
  const lookForEvents = async (): Promise<void> => {
    const institutions = new Set([...runners.values()].map(({ runner }) => runner.institution));
    for (const institution of heads.keys()) if (!institutions.has(institution)) heads.delete(institution);
    await Promise.all(
      [...institutions].map(async (institution) => {
        const head = await feed.head(institution);
        if (heads.get(institution) === head) return;
        heads.set(institution, head);
        wakeAll(institution);
      }),
    );
  };

  const lookForNews = skipWhenQuiet(store, 0, async () => {
    await lookForChanges();
    await lookForEvents();
  });

  const look = async (): Promise<void> => {
    await lookForNews();
    await beat();
    const at = now();
    for (const { runner } of runners.values()) if ((runner.dueAt() ?? Number.POSITIVE_INFINITY) <= at) runner.wake();
  };

  const failed = (error: unknown): void => logger.error('webhooks could not be looked at', { error });
  const unsubscribe = its.log.onAppended(wakeAll);
  let looking: ReturnType<typeof repeat> | undefined;

  return {
    /** The webhook was changed through this process, or deliveries of it were requested. */
    changed({ shard }: Pick<WebhookDocument, 'shard'>): void {
      if (!inUse.has(shard)) beatAt = Number.NEGATIVE_INFINITY;
      inUse.add(shard);
      void looking?.wake();
    },
    /** Takes part in the work from now on. */
    start(): void {
      looking = repeat(look, { everyMs: lookEveryMs, atOnce: true, failed });
    },
    /** Begins nothing more; resolves when running attempts are written, as far as they end within `closeMs`. */
    async close(): Promise<void> {
      unsubscribe();
      await looking?.close();
      for (const id of runners.keys()) stop(id, closeMs);
      await Promise.all(closing);
      await shards.close().catch(() => undefined);
    },
  };
}
