import type { Closable } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import type { Desk } from './desk.ts';
import { MARK_LIFETIME_MS } from './domain/begun.ts';
import { sweepGuests } from './guests.ts';
import { recover } from './recover.ts';
import type { OrderDocument } from './store.ts';
import { expireNow, targetOf } from './write.ts';

/** Milliseconds between two sweeps: two indexed reads and the lease each. */
export const SWEEP_EVERY_MS = 5_000;
/** A little longer than the pause, so that the same instance keeps it, and another one soon follows a dead one. */
const LEASE_MS = 6_000;
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

/** All orders whose `field` is at most `until`, page by page: also those that a page's work leaves as they are. */
const eachUntil = async (
  desk: Desk,
  field: 'deadline' | 'begun.since',
  until: number,
  act: (order: OrderDocument) => Promise<unknown>,
): Promise<void> => {
  const positionOf = (order: OrderDocument) => (field === 'deadline' ? order.deadline : (order.begun?.since ?? null));
  const failed = (error: unknown) => desk.log.warn('an order could not be swept', { error });
  for (let last: OrderDocument | undefined; ; ) {
    const found: OrderDocument[] = await desk.orders.acrossInstitutions.find({
      where: { [field]: { lte: until } },
      orderBy: field,
      limit: PAGE,
      ...(last ? { after: { value: positionOf(last), id: last.id } } : {}),
    });
    await each(found, act, failed);
    last = found.at(-1);
    if (found.length < PAGE) return;
  }
};

/** Finishes what died in the middle, expires what is past due, then writes guests' contacts that are missing; every institution's. */
export const sweep = async (desk: Desk): Promise<void> => {
  const now = desk.now();
  await eachUntil(desk, 'begun.since', now - MARK_LIFETIME_MS, (order) => recover(desk, order));
  await eachUntil(desk, 'deadline', now, (order) => expireNow(desk, targetOf(order)));
  await sweepGuests(desk);
};

/** Sweeps at once and then regularly, while this instance has the lease, until it is closed. */
export const startSweeper = (desk: Desk, store: Pick<Store, 'lease'>, everyMs: number = SWEEP_EVERY_MS): Closable => {
  let underway: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    if (await store.lease('sweep', LEASE_MS)) await sweep(desk);
  };
  const look = (): void => {
    underway ??= run()
      .catch((error: unknown) => desk.log.warn('a sweep failed', { error }))
      .finally(() => {
        underway = undefined;
      });
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  look();
  return {
    async close() {
      clearInterval(timer);
      await underway;
    },
  };
};
