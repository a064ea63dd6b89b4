import type { WorkResult } from '@boxoffice/service';
import type { Condition, Store, Where } from '@boxoffice/store';
import { type CategoryPlan, computeAvailability } from '../domain/capacity.ts';
import { buildPlace, computeOrderRange, derivePlaceId, freed, SOLD, WITHDRAWN } from '../domain/place.ts';
import { type Collections, openCollections, type PerformanceDocument } from '../store.ts';
import { insertPlaces, splitIntoBatches } from './performances.ts';

// docs/selling.md describes the claims of places.

/** Milliseconds. */
export const CLAIM_MS = 60_000;

/**
 * Milliseconds within which the performance can be written: the rest is for sales that have read it before, which must
 * not find a hold that has ended.
 */
const WRITE_MS = CLAIM_MS / 2;

/** A claim is for one attempt at a change. Instants are epoch milliseconds. */
export interface CapacityClaim {
  readonly name: string;
  /** Before the performance was read. */
  readonly madeAt: number;
}

export function isValidClaim({ madeAt }: CapacityClaim, now: number): boolean {
  return now - madeAt <= WRITE_MS;
}

const CLOSING = 'capacity:close:';
const withdrawn = { state: 'withdrawn', freeFrom: WITHDRAWN, holder: null, request: null, item: null } as const;

export async function releaseClaims({ places }: Collections, { name }: CapacityClaim): Promise<void> {
  await places.claim({ where: { holder: closing(name) }, set: freed });
  await places.claim({ where: { holder: opening(name) }, set: withdrawn });
}

const closing = (name: string): string => `${CLOSING}${name}`;

const opening = (name: string): string => `capacity:open:${name}`;

/** Claims all places or none. `taken`: too few are free. `contended`: another change has claimed some. */
export async function claimCapacity(
  collections: Collections,
  performanceId: string,
  plans: readonly CategoryPlan[],
  claim: CapacityClaim,
): Promise<'claimed' | 'taken' | 'contended'> {
  for (const plan of plans) {
    const claimed = await claimClosing(collections, performanceId, plan, claim);
    if (claimed === plan.remove.length + plan.close) continue;
    await releaseClaims(collections, claim);
    if (await hasOtherClaims(collections, performanceId, claim.madeAt)) return 'contended';
    return (await couldClose(collections, performanceId, plan, claim.madeAt)) ? 'contended' : 'taken';
  }
  for (const plan of plans) {
    const claimed = await claimOpening(collections, performanceId, plan, claim);
    if (claimed === plan.add.length + plan.reopen) continue;
    await releaseClaims(collections, claim);
    return 'contended';
  }
  return 'claimed';
}

/** Claims the free places to withdraw; returns how many it got. */
const claimClosing = async (
  { places }: Collections,
  performanceId: string,
  { category, remove, close }: CategoryPlan,
  { name, madeAt }: CapacityClaim,
): Promise<number> => {
  const set = { state: 'held', freeFrom: madeAt + CLAIM_MS, holder: closing(name), request: null, item: null } as const;
  const where = { performanceId, seatCategoryId: category.id, freeFrom: { lte: madeAt } };
  let claimed = 0;
  for (const spots of splitIntoBatches(remove, 500)) {
    const id = { in: spots.map((spot) => derivePlaceId(performanceId, spot)) };
    claimed += (await places.claim({ where: { ...where, id }, set })).length;
  }
  return close > 0 ? claimed + (await places.claim({ where, set, limit: close })).length : claimed;
};

/** Those are free again if the other change does not succeed. */
const hasOtherClaims = async ({ places }: Collections, performanceId: string, now: number): Promise<boolean> => {
  const holder = { gte: CLOSING, lt: `${CLOSING}~` };
  return (await places.count({ performanceId, holder, freeFrom: { gt: now, lt: SOLD } })) > 0;
};

/** Leaves those of other changes aside: then they lost a race. */
const couldClose = async (
  { places }: Collections,
  performanceId: string,
  { category, remove, close }: CategoryPlan,
  now: number,
): Promise<boolean> => {
  const where = { performanceId, seatCategoryId: category.id, freeFrom: { lte: now } };
  let free = 0;
  for (const spots of splitIntoBatches(remove, 500)) {
    free += await places.count({ ...where, id: { in: spots.map((spot) => derivePlaceId(performanceId, spot)) } });
  }
  if (free < remove.length) return false;
  return close === 0 || (await places.count(where)) >= close;
};

/** Makes the places to add, withdrawn, and claims them and those to reopen; returns how many it got. */
const claimOpening = async (
  { places }: Collections,
  performanceId: string,
  { category, add, reopen, reopenBelow }: CategoryPlan,
  { name, madeAt }: CapacityClaim,
): Promise<number> => {
  const set = { ...withdrawn, freeFrom: WITHDRAWN + madeAt + CLAIM_MS, holder: opening(name) };
  const where = {
    performanceId,
    seatCategoryId: category.id,
    freeFrom: { gte: WITHDRAWN, lte: WITHDRAWN + madeAt },
  } as const;
  if (reopen > 0) await places.claim({ where: { ...where, order: { lt: reopenBelow } }, set, limit: reopen });
  const made = add.map((spot) => ({ ...buildPlace(performanceId, category, spot, Math.random()), ...set }));
  await insertPlaces(places, made);
  // Withdrawn by an earlier change, with a label of that time.
  for (const batch of splitIntoBatches(made, 500)) {
    const own = new Map(batch.map(({ id, label, seat }) => [id, { label, seat }]));
    const there = await places.find({ where: { ...where, id: { in: [...own.keys()] } } });
    const [same, others] = [true, false].map((isSame) =>
      there.filter(({ id, label }) => (own.get(id)?.label === label) === isSame),
    );
    if (same && same.length > 0) await places.claim({ where: { ...where, id: { in: same.map(({ id }) => id) } }, set });
    for (const { id } of others ?? []) await places.claim({ where: { ...where, id }, set: { ...set, ...own.get(id) } });
  }
  return places.count({ performanceId, seatCategoryId: category.id, holder: opening(name) });
};

/** Withdraws and opens what a written change has claimed. */
export async function applyClaims({ places }: Collections, name: string): Promise<void> {
  await places.claim({ where: { holder: closing(name) }, set: withdrawn });
  await places.claim({ where: { holder: opening(name) }, set: freed });
}

/** Any number of processes may do it at once. */
export async function settle(collections: Collections, performance: PerformanceDocument): Promise<void> {
  const name = performance.capacityClaim;
  if (name == null) return;
  await applyClaims(collections, name);
  await collections.performances.update(performance.id, (current) =>
    current.capacityClaim === name
      ? { next: { ...current, capacityClaim: null }, due: { applyCapacity: null } }
      : undefined,
  );
}

export async function applyCapacity(store: Store, performance: PerformanceDocument): Promise<WorkResult> {
  await settle(openCollections(store, performance.institution), performance);
  return 'done';
}

/** Counts by seat category at `now` (epoch milliseconds). */
export async function readAvailability(collections: Collections, performance: PerformanceDocument, now: number) {
  await settle(collections, performance);
  const seatCategories = await Promise.all(
    performance.seatCategories.map(async ({ id, code, capacity }) => {
      const where = { performanceId: performance.id, seatCategoryId: id };
      const sold = await collections.places.count({ ...where, freeFrom: SOLD });
      const taken = await collections.places.count({ ...where, freeFrom: { gt: now, lte: SOLD } });
      return { id, code, ...computeAvailability(capacity, sold, taken) };
    }),
  );
  return { performanceId: performance.id, asOf: new Date(now).toISOString(), seatCategories };
}

/** Leaves withdrawn places out; for a list by `order`. */
export async function buildPlacesCondition(
  collections: Collections,
  performance: PerformanceDocument,
  query: { readonly seatCategoryId?: string; readonly state?: 'free' | 'held' | 'sold' },
  now: number,
): Promise<Where> {
  await settle(collections, performance);
  const { seatCategoryId, state } = query;
  const where = { performanceId: performance.id, freeFrom: freeFrom(state, now) };
  if (seatCategoryId === undefined) return where;
  // Empty for an unknown category.
  return {
    ...where,
    order: computeOrderRange(performance.seatCategories.findIndex(({ id }) => id === seatCategoryId)),
  };
}

const freeFrom = (state: 'free' | 'held' | 'sold' | undefined, now: number): Condition => {
  if (state === 'free') return { lte: now };
  if (state === 'held') return { gt: now, lt: SOLD };
  return state === 'sold' ? SOLD : { lte: SOLD };
};
