import { repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import type { Store, Where } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { sweepGuests } from './guests.ts';
import { BEAT_EVERY_MS } from './lease.ts';
import { OWN_LEFT_MS, recover } from './recover.ts';
import { expireNow } from './sell-paid.ts';
import { sweepNames } from './tickets.ts';
import { targetOf } from './write.ts';

/** Milliseconds between two sweeps; each costs the lease and a few indexed reads. */
export const SWEEP_EVERY_MS = 5_000;
/**
 * Slightly longer than the interval, so that the same instance keeps the lease and another one soon replaces a dead
 * one.
 */
const LEASE_MS = 6_000;
/** Steps of this age are checked whatever their owner: longer than any step takes and than clocks differ. */
const OLD_STEP_MS = 60_000;
const PAGE = 200;
/** Orders processed concurrently. */
const WIDTH = 16;

const each = async (
  found: readonly OrderDocument[],
  act: (order: OrderDocument) => Promise<unknown>,
  failed: (error: unknown) => void,
): Promise<void> => {
  const rest = [...found];
  const work = async (): Promise<void> => {
    for (let order = rest.shift(); order; order = rest.shift()) await act(order).catch(failed);
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, rest.length) }, work));
};

/** Runs `act` on all orders of a query, page by page, including those that it leaves unchanged. */
const eachFound = async (
  context: OrdersContext,
  where: Where,
  orderBy: 'id' | 'deadline' | 'pendingStep.since',
  act: (order: OrderDocument) => Promise<unknown>,
): Promise<void> => {
  const positions = {
    id: ({ id }: OrderDocument) => id,
    deadline: ({ deadline }: OrderDocument) => deadline,
    'pendingStep.since': ({ pendingStep: pending }: OrderDocument) => pending?.since ?? null,
  };
  const failed = (error: unknown) => context.log.warn('an order could not be swept', { error });
  for (let last: OrderDocument | undefined; ; ) {
    const found: OrderDocument[] = await context.orders.acrossInstitutions.find({
      where,
      orderBy,
      limit: PAGE,
      ...(last ? { after: { value: positions[orderBy](last), id: last.id } } : {}),
    });
    await each(found, act, failed);
    last = found.at(-1);
    if (found.length < PAGE) return;
  }
};

/**
 * The sweep, over all institutions: recovers pending steps, ends what is past due (paid in full: sold; else expired), then writes guests' contacts
 * and issues tickets whose names were not acknowledged.
 */
export const sweep = async (context: OrdersContext): Promise<void> => {
  const now = context.now();
  await eachFound(context, { 'pendingStep.owner': NO_OWNER }, 'id', (order) => recover(context, order));
  await eachFound(context, { 'pendingStep.since': { lte: now - OLD_STEP_MS } }, 'pendingStep.since', (order) =>
    recover(context, order),
  );
  await eachFound(context, { deadline: { lte: now } }, 'deadline', (order) => expireNow(context, targetOf(order)));
  await sweepGuests(context);
  await sweepNames(context);
};

/** Recovers the pending steps under these leases of dead processes, and own steps that could not be left to others. */
export const finishUnder = async (context: OrdersContext, leases: readonly string[]): Promise<void> => {
  const own = context.lease.own() ?? NO_OWNER;
  const left = { 'pendingStep.owner': own, 'pendingStep.since': { lte: context.now() - OWN_LEFT_MS } };
  await eachFound(context, left, 'pendingStep.since', (order) => recover(context, order));
  if (leases.length === 0) return;
  await eachFound(context, { 'pendingStep.owner': { in: leases } }, 'id', (order) => recover(context, order));
};

/** Sweeps at once and then regularly, while this instance has the lease, until closed. */
export const startSweeper = (
  context: OrdersContext,
  store: Pick<Store, 'lease'>,
  everyMs: number = SWEEP_EVERY_MS,
): Closable =>
  repeat(
    async () => {
      if (await store.lease('sweep', LEASE_MS)) await sweep(context);
    },
    { everyMs, atOnce: true, failed: (error) => context.log.warn('a sweep failed', { error }) },
  );

/**
 * Keeps this process's lease alive and observes those of others, until closed. Every instance recovers steps of dead
 * processes, so that none depends on the instance that sweeps: the first to take a step over owns it.
 */
export const startHeartbeat = (context: OrdersContext): Closable => {
  let finishing: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    const over = await context.lease.observe();
    // Runs beside the heartbeat, which must not wait for it.
    finishing ??= finishUnder(context, over)
      .catch((error: unknown) => context.log.warn('steps of dead processes could not be finished', { error }))
      .finally(() => {
        finishing = undefined;
      });
  };
  const heartbeat = repeat(beat, {
    everyMs: BEAT_EVERY_MS,
    atOnce: true,
    failed: (error) => context.log.warn('the lease of this process could not be renewed', { error }),
  });
  return {
    async close() {
      await heartbeat.close();
      await finishing;
      await context.lease.end().catch(() => undefined);
    },
  };
};
