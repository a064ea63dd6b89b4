import type { IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { failLines, released } from '../domain/lines.ts';
import { accept } from '../domain/order/decision.ts';
import { abandon, type LinesStep, type ReleaseStep } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { stepStock } from './stock.ts';
import { conclude, finish, type Rule, targetOf } from './write.ts';

/** Executes a pending step `release`: releases the places of removed lines, then ends the step. */
export const releasePlaces = async (
  context: OrdersContext,
  order: OrderDocument,
  { request, placeIds }: ReleaseStep,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> => {
  await stepStock(context, order).release({ placeIds });
  const rule: Rule = (current, now) => released(current, { request }, now);
  return finish(context, targetOf(order), rule, { request, idempotencyRecord });
};

/**
 * Abandons a pending step `lines`, so that no repeat resumes it, releases what its request holds, and ends the step
 * without new lines. Does nothing if the step has ended or another process owns it.
 */
export const abandonLines = async (
  context: OrdersContext,
  order: OrderDocument,
  { request, owner }: LinesStep,
): Promise<void> => {
  const target = targetOf(order);
  let mine = false;
  const abandoned = await conclude(context, target, (current, now) => {
    const { pendingStep: pending } = current;
    mine = pending?.step === 'lines' && pending.request === request && pending.owner === owner;
    if (!mine || !pending) return accept(current);
    const next = abandon(pending, 'failed');
    return accept(next === pending ? current : { ...current, pendingStep: { ...next, since: now } });
  });
  if (!mine) return;
  await stepStock(context, abandoned).release({ requestId: request });
  await conclude(context, target, (current, now) => failLines(current, { request }, now));
};
