import { Fault } from '@boxoffice/envelope';
import { type Change, IdempotencyKeyTaken, type IdempotencyRecord } from '@boxoffice/store';
import { clocks } from '../clocks.ts';
import { type Context, invalidateCatalog, moneyRules, notFound, refuseProblems, timestampOf } from '../context.ts';
import { type CategoryPlan, planCapacity } from '../domain/capacity.ts';
import {
  type ChangeRules,
  changedPerformance,
  hasMoved,
  type PerformancePatch,
  patchProblems,
  performanceMayBecome,
} from '../domain/performance.ts';
import { performanceCancelled, performanceMoved } from '../events.ts';
import type { PerformanceDocument } from '../store.ts';
import { CHANGE_MS, prepare, rollBack, settle } from './capacity.ts';
import { findPerformance, RECORD_MS, recordModified, tooSlow } from './performances.ts';

interface PerformanceChange {
  readonly patch: PerformancePatch;
  /** Throws if the request's If-Match does not match. */
  readonly allow: (performance: PerformanceDocument) => void;
  readonly idempotencyRecord?: IdempotencyRecord<PerformanceDocument> | undefined;
}

const check = (performance: PerformanceDocument, { patch, allow }: PerformanceChange, rules: ChangeRules): void => {
  allow(performance);
  if (patch.state && !performanceMayBecome(performance.state, patch.state)) {
    throw new Fault('conflict', `The performance is ${performance.state}; this state is final.`);
  }
  refuseProblems(patchProblems(performance, patch, rules));
};

const changeTo = (
  context: Context,
  performance: PerformanceDocument,
  { patch }: PerformanceChange,
  plans: readonly CategoryPlan[],
  rules: ChangeRules,
): Change<PerformanceDocument> | undefined => {
  const now = timestampOf(context);
  const next = changedPerformance(performance, patch, plans, rules, now);
  if (!next) return undefined;
  const cancelled = next.state === 'cancelled' && performance.state !== 'cancelled';
  const { id: performanceId, productId } = performance;
  const events = cancelled ? [performanceCancelled({ performanceId, productId, cancelledAt: now })] : [];
  return { next, events: hasMoved(performance, next) ? [...events, performanceMoved(next)] : events };
};

/** The lock was lost, or the performance has changed so that the write needs new preparation: read it again. */
const RETRY = Symbol('retry');

/** Whether the product's `modifiedAt` is recent enough for a write that begins now. */
const isRecorded = ({ now }: Context, recordedAt: number | undefined): boolean =>
  recordedAt !== undefined && now() - recordedAt <= RECORD_MS;

/** Without a change of capacity: one write, after the product's `modifiedAt` if anything changes. */
const changePlainly = async (
  context: Context,
  performance: PerformanceDocument,
  change: PerformanceChange,
  rules: ChangeRules,
) => {
  const changes = changeTo(context, performance, change, [], rules) !== undefined;
  const recordedAt = changes ? await recordModified(context, performance.productId) : undefined;
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
  return retry ? RETRY : (written ?? notFound());
};

/** Locks the performance for a change of capacity, and rolls back an expired change whose process died. */
const lock = async (context: Context, id: string, change: PerformanceChange, rules: ChangeRules) => {
  const token = context.newId('cap');
  const until = context.now() + CHANGE_MS;
  let abandoned: string | undefined;
  const locked = await context.collections.performances.update(id, (current) => {
    check(current, change, rules);
    const running = current.capacityChange;
    if (running && (running.settle || running.until > context.now())) return undefined;
    abandoned = running?.token;
    return { next: { ...current, capacityChange: { token, until, settle: false } } };
  });
  if (!locked) return notFound();
  if (locked.capacityChange?.token !== token) return RETRY;
  if (abandoned !== undefined) await rollBack(context.collections, abandoned);
  return { locked, token, until };
};

const unlock = async (context: Context, id: string, token: string): Promise<void> => {
  await rollBack(context.collections, token);
  await context.collections.performances.update(id, (current) =>
    current.capacityChange?.token === token ? { next: { ...current, capacityChange: null } } : undefined,
  );
};

/** Commits the prepared change, in one write; undefined if the lock was lost. */
const commit = async (
  context: Context,
  { locked, token, until }: { locked: PerformanceDocument; token: string; until: number },
  change: PerformanceChange,
  rules: ChangeRules,
): Promise<PerformanceDocument | undefined> => {
  const plans = planCapacity(locked.seatCategories, change.patch.seatCategories ?? []);
  const { now } = context;
  if (!(await prepare(context.collections, locked.id, plans, { token, until, now: now() }))) {
    throw new Fault(
      'performance_capacity_conflict',
      'The capacity cannot fall below the number of held and sold places.',
    );
  }
  const recordedAt = await recordModified(context, locked.productId);
  const written = await context.collections.performances.update(
    locked.id,
    (current) => {
      check(current, change, rules);
      // Half of the time is reserved for operations that read the performance before this write.
      if (current.capacityChange?.token !== token || now() > until - CHANGE_MS / 2) return undefined;
      if (!isRecorded(context, recordedAt)) return undefined;
      const changed = changeTo(context, current, change, plans, rules);
      return changed && { ...changed, next: { ...changed.next, capacityChange: { token, until, settle: true } } };
    },
    { idempotencyRecord: change.idempotencyRecord },
  );
  return written?.capacityChange?.token === token && written.capacityChange.settle ? written : undefined;
};

const changeWithCapacity = async (
  context: Context,
  { id }: PerformanceDocument,
  change: PerformanceChange,
  rules: ChangeRules,
) => {
  const lease = await lock(context, id, change, rules);
  if (lease === RETRY) return RETRY;
  let decided: PerformanceDocument | undefined;
  try {
    decided = await commit(context, lease, change, rules);
  } catch (error) {
    // After any other error the write may have happened: the next operation settles it, or rolls it back after expiry.
    if (error instanceof Fault || error instanceof IdempotencyKeyTaken) await unlock(context, id, lease.token);
    throw error;
  }
  if (decided) await settle(context.collections, decided);
  else await unlock(context, id, lease.token);
  return decided ?? RETRY;
};

const ATTEMPTS = 60;

/** Milliseconds after which no further attempt begins: the gateway waits 15 s for an answer. */
const PATIENCE_MS = 12_000;

const change = async (context: Context, id: string, wanted: PerformanceChange, rules: ChangeRules) => {
  const until = context.now() + PATIENCE_MS;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (context.now() > until) throw tooSlow();
    const performance = await findPerformance(context.collections, id);
    await settle(context.collections, performance);
    const requests = wanted.patch.seatCategories ?? [];
    check(performance, wanted, rules);
    const plain = planCapacity(performance.seatCategories, requests).length === 0;
    const outcome = await (plain ? changePlainly : changeWithCapacity)(context, performance, wanted, rules);
    if (outcome !== RETRY) return outcome;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
  }
  throw new Fault('conflict', 'Another change of the capacity is in progress; try again later.');
};

/**
 * Changes a performance, and creates or withdraws places if its capacity changes.
 * @throws Fault `not_found`, `semantically_invalid`, `conflict` (cancelled is final), `performance_capacity_conflict`,
 * `service_unavailable` (the store is too slow)
 */
export const changePerformance = async (
  context: Context,
  id: string,
  wanted: PerformanceChange,
): Promise<PerformanceDocument> => {
  const tariffIds = wanted.patch.prices?.map(({ tariffId }) => tariffId) ?? [];
  const rules = { ...(await moneyRules(context.collections, tariffIds)), clocks };
  const written = await change(context, id, wanted, rules);
  await invalidateCatalog(context);
  return written;
};
