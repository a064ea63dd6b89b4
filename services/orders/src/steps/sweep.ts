import { repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import type { Store, Where } from '@boxoffice/store';
import type { Desk } from '../context.ts';
import { NOBODY } from '../domain/order/pending-step.ts';
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
  desk: Desk,
  where: Where,
  orderBy: 'id' | 'deadline' | 'begun.since',
  act: (order: OrderDocument) => Promise<unknown>,
): Promise<void> => {
  const positions = {
    id: ({ id }: OrderDocument) => id,
    deadline: ({ deadline }: OrderDocument) => deadline,
    'begun.since': ({ begun }: OrderDocument) => begun?.since ?? null,
  };
  const failed = (error: unknown) => desk.log.warn('an order could not be swept', { error });
  for (let last: OrderDocument | undefined; ; ) {
    const found: OrderDocument[] = await desk.orders.acrossInstitutions.find({
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
export const sweep = async (desk: Desk): Promise<void> => {
  const now = desk.now();
  await eachFound(desk, { 'begun.owner': NOBODY }, 'id', (order) => recover(desk, order));
  await eachFound(desk, { 'begun.since': { lte: now - OLD_STEP_MS } }, 'begun.since', (order) => recover(desk, order));
  await eachFound(desk, { deadline: { lte: now } }, 'deadline', (order) => expireNow(desk, targetOf(order)));
  await sweepGuests(desk);
  await sweepNames(desk);
};

/** Finishes what processes that died had begun, whose leases are these, and what this one could not leave to others. */
export const finishUnder = async (desk: Desk, leases: readonly string[]): Promise<void> => {
  const own = desk.lease.own() ?? NOBODY;
  const left = { 'begun.owner': own, 'begun.since': { lte: desk.now() - OWN_LEFT_MS } };
  await eachFound(desk, left, 'begun.since', (order) => recover(desk, order));
  if (leases.length === 0) return;
  await eachFound(desk, { 'begun.owner': { in: leases } }, 'id', (order) => recover(desk, order));
};

/** Sweeps at once and then regularly, while this instance has the lease, until it is closed. */
export const startSweeper = (desk: Desk, store: Pick<Store, 'lease'>, everyMs: number = SWEEP_EVERY_MS): Closable =>
  repeat(
    async () => {
      if (await store.lease('sweep', LEASE_MS)) await sweep(desk);
    },
    { everyMs, atOnce: true, failed: (error) => desk.log.warn('a sweep failed', { error }) },
  );

/**
 * Keeps this process's lease alive and looks at those of the others, until it is closed. Every instance finishes what a dead one had
 * begun: the first one to take a step over has it, and none waits for the one that sweeps, which may be the dead one.
 */
export const startHeartbeat = (desk: Desk): Closable => {
  let finishing: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    const over = await desk.lease.look();
    // Beside the heartbeat, which must not wait for it.
    finishing ??= finishUnder(desk, over)
      .catch((error: unknown) => desk.log.warn('steps of dead processes could not be finished', { error }))
      .finally(() => {
        finishing = undefined;
      });
  };
  const heartbeat = repeat(beat, {
    everyMs: BEAT_EVERY_MS,
    atOnce: true,
    failed: (error) => desk.log.warn('the lease of this process could not be renewed', { error }),
  });
  return {
    async close() {
      await heartbeat.close();
      await finishing;
      await desk.lease.end().catch(() => undefined);
    },
  };
};
