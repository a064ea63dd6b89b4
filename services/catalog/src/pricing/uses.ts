// Uses of discounts and codes are places of the stock: one small document each, claimed, sold and released like a seat.

import { Fault } from '@boxoffice/envelope';
import { scheduleSoon, type WorkResult } from '@boxoffice/service';
import { IdempotencyKeyTaken, type IdempotencyRecord, type Store, type Where } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import { type Context, createContext, invalidateCatalog, readTimestamp, throwNotFound } from '../context.ts';
import { type CategoryPlan, planCapacity } from '../domain/capacity.ts';
import { buildPlace, listAddedSpots, type Place, SOLD, toUseCategory } from '../domain/place.ts';
import type { DiscountDetails, RuleDetails } from '../domain/pricing.ts';
import {
  applyClaims,
  type CapacityClaim,
  claimCapacity,
  isValidClaim,
  releaseClaims,
} from '../performances/capacity.ts';
import { createTooSlowFault, insertPlaces } from '../performances/performances.ts';
import type { CodeDocument, Collections, RuleDocument } from '../store.ts';
import { applyRuleChange } from './rules.ts';

/** Of a discount, and of all codes of a request. */
export const MAX_USES = 100_000;

export function buildUses(pool: string, count: number): Place[] {
  const category = toUseCategory(pool, { capacity: count, made: count });
  return listAddedSpots(0, category).map((spot) => buildPlace(pool, category, spot, Math.random()));
}

/** By id: whether the code has no limit of its own, which never changes. */
const unlimited = new LRUCache<string, boolean>({ max: 10_000 });

export function rememberLimit({ id, maxUses }: Pick<CodeDocument, 'id' | 'maxUses'>): void {
  unlimited.set(id, maxUses === null);
}

export async function isUnlimited({ discountCodes }: Collections, pool: string): Promise<boolean> {
  if (!pool.startsWith('cod_')) return false;
  const code = unlimited.has(pool) ? undefined : await discountCodes.get(pool);
  if (code) rememberLimit(code);
  return unlimited.get(pool) ?? false;
}

/** Of pools at `now` (epoch milliseconds): sold is counted first, so that it is never more than taken. */
export async function countUses({ places }: Pick<Collections, 'places'>, pools: string | string[], now: number) {
  const where: Where =
    typeof pools === 'string' ? { performanceId: pools, seatCategoryId: pools } : { performanceId: { in: pools } };
  const used = await places.count({ ...where, freeFrom: SOLD });
  const taken = await places.count({ ...where, freeFrom: { gt: now, lte: SOLD } });
  return { used: Math.min(used, taken), taken };
}

/** A request that may have claimed uses before: they are free for it. */
export interface Claimant {
  readonly holder: string;
  readonly request: string;
}

/** Counts no further than `lines`. */
export async function countFreeUses(
  { places }: Pick<Collections, 'places'>,
  pool: string,
  { now, lines }: { readonly now: number; readonly lines: number },
  claimant?: Claimant,
): Promise<number> {
  const where = { performanceId: pool, seatCategoryId: pool };
  const free = await places.count({ ...where, freeFrom: { lte: now } }, lines);
  return claimant && free < lines
    ? free + (await places.count({ ...where, ...claimant, freeFrom: { gt: now } }, lines))
    : free;
}

const getLimit = (rule: RuleDetails): number | null => (rule.kind === 'discount' ? (rule.limits?.uses ?? null) : null);

const PAGE = 1_000;

/** Of all codes of a discount. */
const countCodeUses = async (collections: Collections, discountId: string, now: number) => {
  let [used, taken, after] = [0, 0, ''];
  for (;;) {
    const page = await collections.discountCodes.find({ where: { discountId, id: { gt: after } }, limit: PAGE });
    const counted = await countUses(
      collections,
      page.map(({ id }) => id),
      now,
    );
    [used, taken, after] = [used + counted.used, taken + counted.taken, page.at(-1)?.id ?? ''];
    if (page.length < PAGE) return { used, taken };
  }
};

/** An automatic discount without a limit has no uses. */
const countTaken = (collections: Collections, { id, rule, pool }: RuleDocument, now: number) => {
  const isByCodes = rule.kind === 'discount' && rule.trigger === 'code' && getLimit(rule) === null;
  if (isByCodes) return countCodeUses(collections, id, now);
  return pool ? countUses(collections, id, now) : { used: 0, taken: 0 };
};

const ATTEMPTS = 5;

/**
 * What is held, used and free of the details' limit: always its sum. While the limit changes, a use that was counted
 * may be beyond the one that is shown; then both are read again.
 */
export async function readUsage({ collections, now }: Context, document: RuleDocument) {
  let current = await settle(collections, document);
  let counted = { used: 0, taken: 0 };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    counted = await countTaken(collections, current, now());
    if (counted.taken <= (getLimit(current.rule) ?? Number.POSITIVE_INFINITY)) break;
    current = await settle(collections, (await collections.priceRules.get(current.id)) ?? current);
  }
  return (rule: DiscountDetails) => {
    const limit = getLimit(rule);
    const taken = Math.min(counted.taken, limit ?? counted.taken);
    const used = Math.min(counted.used, taken);
    return { held: taken - used, used, free: limit === null ? null : limit - taken };
  };
}

/** Applies a written change of the limit, before anything is counted or claimed. Any number of processes may do it. */
export async function settle(collections: Collections, document: RuleDocument): Promise<RuleDocument> {
  const name = document.limitClaim;
  if (name == null) return document;
  await applyClaims(collections, name);
  const settled = await collections.priceRules.update(document.id, (current) =>
    current.limitClaim === name ? { next: { ...current, limitClaim: null }, due: { applyLimit: null } } : undefined,
  );
  return settled ?? document;
}

export async function applyLimit(store: Store, document: RuleDocument): Promise<WorkResult> {
  await settle(createContext(store, document.institution).collections, document);
  return 'done';
}

/** Without a limit the uses stay as they are. */
const planUses = ({ id, pool = { capacity: 0, made: 0 } }: RuleDocument, rule: RuleDetails): CategoryPlan[] => {
  const capacity = getLimit(rule);
  return capacity === null ? [] : planCapacity([toUseCategory(id, pool)], [{ id, capacity }]);
};

const RETRY = Symbol('retry');

/** Milliseconds until the last attempt begins: the gateway waits 15 s for an answer. */
const PATIENCE_MS = 12_000;
const PAUSE_MS = 50;

/**
 * Makes uses, or withdraws free ones, if the limit changes, as a change of a performance's capacity does. @throws Fault
 * `discount_limit_conflict`, `service_unavailable`
 */
export async function changeDiscount(
  context: Context,
  { id }: RuleDocument,
  to: (current: RuleDocument) => RuleDetails,
  idempotencyRecord?: IdempotencyRecord<RuleDocument>,
): Promise<RuleDocument> {
  const until = context.now() + PATIENCE_MS;
  for (let attempt = 1; context.now() <= until; attempt += 1) {
    const outcome = await attemptChange(context, id, to, idempotencyRecord);
    if (outcome !== RETRY) {
      await invalidateCatalog(context);
      return outcome;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * attempt));
  }
  throw createTooSlowFault();
}

const attemptChange = async (
  context: Context,
  id: string,
  to: (current: RuleDocument) => RuleDetails,
  idempotencyRecord?: IdempotencyRecord<RuleDocument>,
): Promise<RuleDocument | typeof RETRY> => {
  const { collections } = context;
  const find = async () => (await collections.priceRules.get(id)) ?? throwNotFound();
  const claim = { name: context.newId('cap'), madeAt: context.now() };
  const before = await settle(collections, await find());
  const plans = planUses(before, to(before));
  const outcome = plans.length > 0 ? await claimCapacity(collections, id, plans, claim) : 'claimed';
  if (outcome === 'taken' && isSamePool(await find(), before))
    throw new Fault('discount_limit_conflict', 'The limit cannot fall below the number of held and used uses.');
  if (outcome !== 'claimed') return RETRY;
  try {
    const written = await writeChange(context, before, plans, claim, to, idempotencyRecord);
    if (written) return await settle(collections, written);
    if (plans.length > 0) await releaseClaims(collections, claim);
    return RETRY;
  } catch (error) {
    // After any other error it may be written, and then its claims are applied; else they end by themselves.
    if (error instanceof Fault || error instanceof IdempotencyKeyTaken) await releaseClaims(collections, claim);
    throw error;
  }
};

const isSamePool = (one: RuleDocument, other: RuleDocument): boolean =>
  one.limitClaim == null && JSON.stringify(one.pool) === JSON.stringify(other.pool);

/** Undefined if the limit has changed since, or the claims are too old. */
const writeChange = async (
  context: Context,
  before: RuleDocument,
  plans: readonly CategoryPlan[],
  claim: CapacityClaim,
  to: (current: RuleDocument) => RuleDetails,
  idempotencyRecord?: IdempotencyRecord<RuleDocument>,
): Promise<RuleDocument | undefined> => {
  let isWritten = false;
  const written = await context.collections.priceRules.update(
    before.id,
    (current) => {
      const rule = to(current);
      const isPlanned = isSamePool(current, before) && isSamePlan(planUses(current, rule), plans);
      isWritten = isPlanned && (plans.length === 0 || isValidClaim(claim, context.now()));
      const next = isWritten ? applyRuleChange(current, rule, readTimestamp(context)) : undefined;
      const [plan] = plans;
      if (!next || !plan) return next && { next };
      const { capacity, made } = plan.category;
      const due = { applyLimit: scheduleSoon(context.now()) };
      return { next: { ...next, pool: { capacity, made }, limitClaim: claim.name }, due };
    },
    { idempotencyRecord },
  );
  return isWritten ? written : undefined;
};

const isSamePlan = (one: readonly CategoryPlan[], other: readonly CategoryPlan[]): boolean =>
  one[0]?.category.capacity === other[0]?.category.capacity;

/** No query finds them before the discount is written. */
export async function makeFirstUses({ places }: Collections, id: string, rule: RuleDetails) {
  const capacity = getLimit(rule);
  if (capacity === null) return {};
  await insertPlaces(places, buildUses(id, capacity));
  return { pool: { capacity, made: capacity } };
}
