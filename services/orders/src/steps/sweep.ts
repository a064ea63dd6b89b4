import { repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import type { Store, Where } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { sweepGuests } from './guests.ts';
import { BEAT_EVERY_MS } from './lease.ts';
import { OWN_LEFT_MS, recover } from './recover.ts';
import { sweepNames } from './tickets.ts';
import { expireNow, targetOf } from './write.ts';

/** Milliseconds between two sweeps: three indexed reads and the lease each. */
export const SWEEP_EVERY_MS = 5_000;
/** A little longer than the pause, so that the same instance keeps it, and another one soon follows a dead one. */
const LEASE_MS = 6_000;
/** Steps this old are looked at whoever owns them: longer than any step takes and than clocks differ. */
const OLD_STEP_MS = 60_000;
const PAGE = 200;
/** So many orders are worked on at once. */
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

/** All orders of a query, page by page: also those that a page's work leaves as they are. */
const eachFound = async (
  context: OrdersContext,
  where: Where,
  orderBy: 'id' | 'deadline' | 'begun.since',
  act: (order: OrderDocument) => Promise<unknown>,
): Promise<void> => {
  const positions = {
    id: ({ id }: OrderDocument) => id,
    deadline: ({ deadline }: OrderDocument) => deadline,
    'begun.since': ({ begun }: OrderDocument) => begun?.since ?? null,
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

/** Finishes what was left in the middle, expires what is past due, then writes guests' contacts and tells tickets names that are missing; every institution's. */
export const sweep = async (context: OrdersContext): Promise<void> => {
  const now = context.now();
  await eachFound(context, { 'begun.owner': NO_OWNER }, 'id', (order) => recover(context, order));
  await eachFound(context, { 'begun.since': { lte: now - OLD_STEP_MS } }, 'begun.since', (order) =>
    recover(context, order),
  );
  await eachFound(context, { deadline: { lte: now } }, 'deadline', (order) => expireNow(context, targetOf(order)));
  await sweepGuests(context);
  await sweepNames(context);
};

/** Finishes what processes that died had begun, whose leases are these, and what this one could not leave to others. */
export const finishUnder = async (context: OrdersContext, leases: readonly string[]): Promise<void> => {
  const own = context.lease.own() ?? NO_OWNER;
  const left = { 'begun.owner': own, 'begun.since': { lte: context.now() - OWN_LEFT_MS } };
  await eachFound(context, left, 'begun.since', (order) => recover(context, order));
  if (leases.length === 0) return;
  await eachFound(context, { 'begun.owner': { in: leases } }, 'id', (order) => recover(context, order));
};

/** Sweeps at once and then regularly, while this instance has the lease, until it is closed. */
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
 * Keeps this process's lease alive and looks at those of the others, until it is closed. Every instance finishes what a dead one had
 * begun: the first one to take a step over has it, and none waits for the one that sweeps, which may be the dead one.
 */
export const startHeartbeat = (context: OrdersContext): Closable => {
  let finishing: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    const over = await context.lease.look();
    // Beside the heartbeat, which must not wait for it.
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
