import { repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { documentsOf, eachOf, type Store } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { releaseRemoved } from '../orders/lines.ts';
import type { OrderDocument } from '../store.ts';
import { sweepGuests, sweepNames } from './follow-ups.ts';
import { expireNow, sell } from './sell.ts';
import { shortenHold } from './shorten.ts';
import { targetOf } from './write.ts';

/** Milliseconds between two sweeps; each costs the lease and a few indexed reads. */
const SWEEP_EVERY_MS = 5_000;
/**
 * Slightly longer than the interval, so that the same instance keeps the lease and another one soon replaces a dead
 * one. Two that sweep at once do no harm.
 */
const LEASE_MS = 6_000;
/** By this age the request that caused it has done what follows, or its process is dead or very slow. */
export const LATE_MS = 3_000;
/** Orders processed concurrently. */
const WIDTH = 16;

/** Runs `act` on all orders up to an instant; a failure is logged, and stops no other order. */
const eachUpTo = (
  { orders, log }: OrdersContext,
  orderBy: 'deadline' | 'saleDue.since' | 'removedPlaces.since' | 'shorteningDue',
  until: number,
  act: (order: OrderDocument) => Promise<unknown>,
): Promise<void> =>
  eachOf(documentsOf(orders.acrossInstitutions, { where: { [orderBy]: { lte: until } }, orderBy }), WIDTH, (order) =>
    act(order).catch((error: unknown) => log.warn('an order could not be swept', { error })),
  );

/**
 * The sweep, over all institutions: does what follows from an order's state and no request has done. Sells what is paid
 * in full, releases places of removed lines, shortens holds, ends what is past due, writes guests' contacts and issues tickets whose
 * names were not acknowledged.
 */
export const sweep = async (context: OrdersContext): Promise<void> => {
  const now = context.now();
  await eachUpTo(context, 'saleDue.since', now - LATE_MS, (order) => sell(context, order));
  await eachUpTo(context, 'removedPlaces.since', now - LATE_MS, (order) => releaseRemoved(context, order));
  await eachUpTo(context, 'shorteningDue', now - LATE_MS, (order) => shortenHold(context, order));
  await eachUpTo(context, 'deadline', now, (order) => expireNow(context, targetOf(order)));
  await sweepGuests(context);
  await sweepNames(context);
};

/** Sweeps at once and then regularly, while this instance has the lease, until closed. */
export const startSweeper = (context: OrdersContext, store: Pick<Store, 'lease'>): Closable => {
  const run = async (): Promise<void> => {
    if (await store.lease('sweep', LEASE_MS)) await sweep(context);
  };
  const failed = (error: unknown) => context.log.warn('a sweep failed', { error });
  return repeat(run, { everyMs: SWEEP_EVERY_MS, atOnce: true, failed });
};
