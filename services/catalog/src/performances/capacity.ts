import type { Condition, Where } from '@boxoffice/store';
import { availability, type CategoryPlan } from '../domain/capacity.ts';
import { freed, newPlace, orderRange, type Place, placeId, SOLD, WITHDRAWN } from '../domain/place.ts';
import type { Collections, PerformanceDocument } from '../store.ts';
import { inBatches, insertPlaces } from './performances.ts';

// A change of capacity touches many documents. The performance is its commit point. Before that write, the change
// holds the places to close, for as long as it may run, and reserves the withdrawn places to open. After it, `settle`
// closes and opens them for good. If a process dies in between, the next operation on the performance settles the
// committed change first, so nothing is sold beyond the capacity and no place is lost.

/**
 * The longest time of a change, in milliseconds. After it, the lock can be taken by another, and held places are
 * free.
 */
export const CHANGE_MS = 60_000;

const closing = (token: string): string => `capacity:close:${token}`;
const opening = (token: string): string => `capacity:open:${token}`;
const withdrawn = { state: 'withdrawn', freeFrom: WITHDRAWN, holder: null, request: null, item: null } as const;

/** Reverts the places of a change that was not committed. */
export const rollBack = async (collections: Collections, token: string): Promise<void> => {
  await collections.places.claim({ where: { holder: closing(token) }, set: freed });
  await collections.places.claim({ where: { holder: opening(token) }, set: withdrawn });
};

const close = async (
  collections: Collections,
  plan: CategoryPlan,
  performanceId: string,
  set: Partial<Place>,
  now: number,
) => {
  const where = { performanceId, seatCategoryId: plan.category.id };
  let closed = 0;
  for (const spots of inBatches(plan.remove, 500)) {
    const id = { in: spots.map((spot) => placeId(performanceId, spot)) };
    closed += (await collections.places.claim({ where: { ...where, id, freeFrom: { lte: now } }, set })).length;
  }
  if (plan.close > 0) {
    closed += (await collections.places.claim({ where: { ...where, freeFrom: { lte: now } }, set, limit: plan.close }))
      .length;
  }
  return closed;
};

const open = async (collections: Collections, plan: CategoryPlan, performanceId: string, holder: string) => {
  const where = { performanceId, seatCategoryId: plan.category.id, freeFrom: WITHDRAWN };
  if (plan.reopen > 0) {
    const closed = { ...where, holder: null, order: { lt: plan.reopenBelow } };
    await collections.places.claim({ where: closed, set: { holder }, limit: plan.reopen });
  }
  const made = plan.add.map((spot) => ({
    ...newPlace(performanceId, plan.category, spot, Math.random()),
    ...withdrawn,
    holder,
  }));
  await insertPlaces(collections.places, made);
  // Places with these ids may exist already, withdrawn by an earlier change, with a label of that time.
  for (const batch of inBatches(made, 500)) {
    const labels = new Map(batch.map(({ id, label, seat }) => [id, { label, seat }]));
    const there = await collections.places.find({ where: { ...where, id: { in: [...labels.keys()] }, holder: null } });
    for (const { id, label } of there) {
      const own = labels.get(id);
      if (own && own.label !== label)
        await collections.places.claim({ where: { ...where, id, holder: null }, set: { ...own, holder } });
    }
    await collections.places.claim({
      where: { ...where, id: { in: batch.map(({ id }) => id) }, holder: null },
      set: { holder },
    });
  }
};

/**
 * Prepares a change of capacity under the lock `token`, valid until `until`. False if too few places are free to close;
 * the caller must then call `rollBack`.
 */
export const prepare = async (
  collections: Collections,
  performanceId: string,
  plans: readonly CategoryPlan[],
  change: { readonly token: string; readonly until: number; readonly now: number },
): Promise<boolean> => {
  const held = {
    state: 'held',
    freeFrom: change.until,
    holder: closing(change.token),
    request: null,
    item: null,
  } as const;
  for (const plan of plans) {
    const wanted = plan.remove.length + plan.close;
    if ((await close(collections, plan, performanceId, held, change.now)) < wanted) return false;
  }
  for (const plan of plans) await open(collections, plan, performanceId, opening(change.token));
  return true;
};

/** Applies a committed change to the places, if one is pending. Any number of processes may run it concurrently. */
export const settle = async (collections: Collections, performance: PerformanceDocument): Promise<void> => {
  const change = performance.capacityChange;
  if (!change?.settle) return;
  await collections.places.claim({ where: { holder: closing(change.token) }, set: withdrawn });
  await collections.places.claim({ where: { holder: opening(change.token) }, set: freed });
  await collections.performances.update(performance.id, (current) =>
    current.capacityChange?.token === change.token ? { next: { ...current, capacityChange: null } } : undefined,
  );
};

/** The numbers of free, held and sold places of each seat category at `now` (epoch milliseconds). */
export const availabilityOf = async (collections: Collections, performance: PerformanceDocument, now: number) => {
  await settle(collections, performance);
  const seatCategories = await Promise.all(
    performance.seatCategories.map(async ({ id, code, capacity }) => {
      const where = { performanceId: performance.id, seatCategoryId: id };
      const sold = await collections.places.count({ ...where, freeFrom: SOLD });
      const taken = await collections.places.count({ ...where, freeFrom: { gt: now, lte: SOLD } });
      return { id, code, ...availability(capacity, sold, taken) };
    }),
  );
  return { performanceId: performance.id, asOf: new Date(now).toISOString(), seatCategories };
};

const freeFrom = (state: 'free' | 'held' | 'sold' | undefined, now: number): Condition => {
  if (state === 'free') return { lte: now };
  if (state === 'held') return { gt: now, lt: SOLD };
  return state === 'sold' ? SOLD : { lte: SOLD };
};

/** The condition that selects a performance's places, without withdrawn ones; for a list by `order`. */
export const whereListed = async (
  collections: Collections,
  performance: PerformanceDocument,
  query: { readonly seatCategoryId?: string; readonly state?: 'free' | 'held' | 'sold' },
  now: number,
): Promise<Where> => {
  await settle(collections, performance);
  const { seatCategoryId, state } = query;
  const where = { performanceId: performance.id, freeFrom: freeFrom(state, now) };
  if (seatCategoryId === undefined) return where;
  // The range of `order` of that category; empty for an unknown one.
  return { ...where, order: orderRange(performance.seatCategories.findIndex(({ id }) => id === seatCategoryId)) };
};
