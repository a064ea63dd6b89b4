import { Fault } from '@boxoffice/envelope';
import { scheduleSoon } from '@boxoffice/service';
import { type Change, IdempotencyKeyTaken, type IdempotencyRecord } from '@boxoffice/store';
import { clocks } from '../clocks.ts';
import {
  type Context,
  invalidateCatalog,
  readMoneyRules,
  readTimestamp,
  refuseProblems,
  throwNotFound,
} from '../context.ts';
import { type CategoryPlan, planCapacity } from '../domain/capacity.ts';
import {
  applyPerformanceChange,
  type ChangeRules,
  findPatchProblems,
  hasMoved,
  mayPerformanceBecome,
  type PerformancePatch,
} from '../domain/performance.ts';
import { createPerformanceCancelledFact, createPerformanceMovedFact } from '../events.ts';
import { readReturnTerms } from '../pricing/return-policy.ts';
import type { PerformanceDocument } from '../store.ts';
import { type CapacityClaim, claimCapacity, isValidClaim, releaseClaims, settle } from './capacity.ts';
import { createTooSlowFault, findPerformance, RECORD_MS, recordModification } from './performances.ts';

interface PerformanceChange {
  readonly patch: PerformancePatch;
  /** Throws if the request's If-Match does not match. */
  readonly allow: (performance: PerformanceDocument) => void;
  readonly idempotencyRecord?: IdempotencyRecord<PerformanceDocument> | undefined;
}

/** The performance has changed, so that the write needs other places, or comes too late: read it again. */
const RETRY = Symbol('retry');

/** Another change has claimed places that this one needs. */
const CONTENDED = Symbol('contended');

/** Milliseconds until the last attempt begins: the gateway waits 15 s for an answer. */
const PATIENCE_MS = 12_000;

/** Milliseconds: changes that claim the same places try again at different times. */
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Creates or withdraws places if the capacity changes. @throws Fault `not_found`, `semantically_invalid`, `conflict`
 * (cancelled is final), `performance_capacity_conflict`, `service_unavailable` (the store is too slow)
 */
export async function changePerformance(
  context: Context,
  id: string,
  wanted: PerformanceChange,
): Promise<PerformanceDocument> {
  const tariffIds = wanted.patch.prices?.map(({ tariffId }) => tariffId) ?? [];
  const rules = { ...(await readMoneyRules(context.collections, tariffIds)), clocks };
  const written = await change(context, id, wanted, rules);
  await invalidateCatalog(context);
  return written;
}

const change = async (context: Context, id: string, wanted: PerformanceChange, rules: ChangeRules) => {
  const until = context.now() + PATIENCE_MS;
  let isContended = false;
  for (let attempt = 1; context.now() <= until; attempt += 1) {
    const madeAt = context.now();
    const performance = await findPerformance(context.collections, id);
    await settle(context.collections, performance);
    const requests = wanted.patch.seatCategories ?? [];
    check(performance, wanted, rules);
    const isPlain = planCapacity(performance.seatCategories, requests).length === 0;
    const outcome = isPlain
      ? await changePlainly(context, performance, wanted, rules)
      : await changeWithCapacity(context, performance, wanted, rules, madeAt);
    if (outcome !== RETRY && outcome !== CONTENDED) return outcome;
    isContended = outcome === CONTENDED;
    const pauseMs = Math.random() * Math.min(PAUSE_MS * attempt, LONGEST_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (!isContended) throw createTooSlowFault();
  throw new Fault('conflict', 'Another change of the capacity is in progress; try again later.');
};

const check = (performance: PerformanceDocument, { patch, allow }: PerformanceChange, rules: ChangeRules): void => {
  allow(performance);
  if (patch.state && !mayPerformanceBecome(performance.state, patch.state)) {
    throw new Fault('conflict', `The performance is ${performance.state}; this state is final.`);
  }
  readReturnTerms(patch.returnPolicy, performance.returnPolicy);
  refuseProblems(findPatchProblems(performance, patch, rules));
};

/** Needs one write, after the product's `modifiedAt` if anything changes. */
const changePlainly = async (
  context: Context,
  performance: PerformanceDocument,
  change: PerformanceChange,
  rules: ChangeRules,
) => {
  const changes = changeTo(context, performance, change, [], rules) !== undefined;
  const recordedAt = changes ? await recordModification(context, performance.productId) : undefined;
  let retry = false;
  const written = await context.collections.performances.update(
    performance.id,
    (current) => {
      check(current, change, rules);
      const changed = changeTo(context, current, change, [], rules);
      const needsPlaces = planCapacity(current.seatCategories, change.patch.seatCategories ?? []).length > 0;
      retry = needsPlaces || (changed !== undefined && !isRecorded(context, recordedAt));
      return retry ? undefined : changed;
    },
    { idempotencyRecord: change.idempotencyRecord },
  );
  return retry ? RETRY : (written ?? throwNotFound());
};

const changeTo = (
  context: Context,
  performance: PerformanceDocument,
  { patch }: PerformanceChange,
  plans: readonly CategoryPlan[],
  rules: ChangeRules,
): Change<PerformanceDocument> | undefined => {
  const now = readTimestamp(context);
  const next = applyPerformanceChange(performance, patch, plans, rules, now);
  if (!next) return undefined;
  const cancelled = next.state === 'cancelled' && performance.state !== 'cancelled';
  const { id: performanceId, productId } = performance;
  const events = cancelled ? [createPerformanceCancelledFact({ performanceId, productId, cancelledAt: now })] : [];
  return { next, events: hasMoved(performance, next) ? [...events, createPerformanceMovedFact(next)] : events };
};

const isRecorded = ({ now }: Context, recordedAt: number | undefined): boolean =>
  recordedAt !== undefined && now() - recordedAt <= RECORD_MS;

const changeWithCapacity = async (
  context: Context,
  performance: PerformanceDocument,
  change: PerformanceChange,
  rules: ChangeRules,
  madeAt: number,
) => {
  const { collections } = context;
  const claim = { name: context.newId('cap'), madeAt };
  const plans = planCapacity(performance.seatCategories, change.patch.seatCategories ?? []);
  const outcome = await claimCapacity(collections, performance.id, plans, claim);
  if (outcome === 'contended') return CONTENDED;
  if (outcome === 'taken') {
    // Another change may have withdrawn them meanwhile.
    const current = await findPerformance(collections, performance.id);
    if (!hasCapacityOf(current, performance)) return RETRY;
    throw new Fault(
      'performance_capacity_conflict',
      'The capacity cannot fall below the number of held and sold places.',
    );
  }
  try {
    const written = await writeCapacity(context, performance, plans, claim, change, rules);
    if (written) await settle(collections, written);
    else await releaseClaims(collections, claim);
    return written ?? RETRY;
  } catch (error) {
    // After any other error it may be written, and then its claims are applied; else they end by themselves.
    if (isRefusal(error)) await releaseClaims(collections, claim);
    throw error;
  }
};

/** Since `before` was read no other change was written, nor is one to be applied. */
const hasCapacityOf = ({ seatCategories, capacityClaim }: PerformanceDocument, before: PerformanceDocument): boolean =>
  capacityClaim == null && JSON.stringify(seatCategories) === JSON.stringify(before.seatCategories);

/** Undefined if the performance has changed, or the claims are too old. */
const writeCapacity = async (
  context: Context,
  performance: PerformanceDocument,
  plans: readonly CategoryPlan[],
  claim: CapacityClaim,
  change: PerformanceChange,
  rules: ChangeRules,
): Promise<PerformanceDocument | undefined> => {
  const recordedAt = await recordModification(context, performance.productId);
  let isWritten = false;
  const written = await context.collections.performances.update(
    performance.id,
    (current) => {
      check(current, change, rules);
      const now = context.now();
      const isTimely = isValidClaim(claim, now) && isRecorded(context, recordedAt);
      const changed =
        isTimely && hasCapacityOf(current, performance) ? changeTo(context, current, change, plans, rules) : undefined;
      isWritten = changed !== undefined;
      if (!changed) return undefined;
      const next = { ...changed.next, capacityClaim: claim.name };
      return { ...changed, next, due: { applyCapacity: scheduleSoon(now) } };
    },
    { idempotencyRecord: change.idempotencyRecord },
  );
  return isWritten ? written : undefined;
};

/** After these errors nothing is written. */
const isRefusal = (error: unknown): boolean => error instanceof Fault || error instanceof IdempotencyKeyTaken;
