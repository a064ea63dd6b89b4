import { setTimeout as delay } from 'node:timers/promises';
import type { IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import type { OrderDocument } from '../store.ts';
import { recover } from './recover.ts';
import { expireNow } from './sell-paid.ts';
import { attempt, type Outcome, type Rule, type Target } from './write.ts';

/** Milliseconds for which a request waits for another one on the same order. */
const MAX_WAIT_MS = 2_000;
const POLL_EVERY_MS = 40;

/** What one try led to. */
export interface Tried<Result> {
  readonly result: Result;
  /** The order, if another request works on it; null if it cannot be read any more. Absent: the result is final. */
  readonly busy?: OrderDocument | null;
}

/**
 * Repeats `act` while another request works on the order, and recovers the step of a dead process meanwhile. Returns
 * the last result, after `waitMs` milliseconds (default 2,000) also that of a busy order.
 */
export const whileBusy = async <Result>(
  context: OrdersContext,
  act: () => Promise<Tried<Result>>,
  waitMs = MAX_WAIT_MS,
): Promise<Result> => {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const { result, busy } = await act();
    if (busy === undefined || performance.now() > deadline) return result;
    if (busy) await recover(context, busy);
    await delay(POLL_EVERY_MS);
  }
};

/**
 * As {@link attempt}; waits for another step of the order, and ends an order past due. @throws Fault `not_found`
 * for unknown orders and drafts
 */
export const attemptWhenFree = (
  context: OrdersContext,
  target: Target,
  rule: Rule,
  {
    idempotencyRecord,
    waitMs,
  }: { readonly idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined; readonly waitMs?: number } = {},
): Promise<Outcome> => {
  const act = async (): Promise<Tried<Outcome>> => {
    const result = await attempt(context, target, rule, idempotencyRecord);
    const reason = 'refused' in result ? result.refused.reason : undefined;
    if (reason === 'past_due') {
      await expireNow(context, target);
      return act();
    }
    return reason === 'busy' ? { result, busy: result.order } : { result };
  };
  return whileBusy(context, act, waitMs);
};
