import type { IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { failLines, released } from '../domain/lines.ts';
import type { LinesStep, ReleaseStep } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { aborted, originalRequest } from './aborted.ts';
import { stepStock } from './stock.ts';
import { conclude, finish, targetOf } from './write.ts';

/** Executes a pending step `release`: releases the places of removed lines, then ends the step. */
export const releasePlaces = async (
  context: OrdersContext,
  order: OrderDocument,
  { request, placeIds }: ReleaseStep,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> => {
  await stepStock(context, order).release({ placeIds });
  return finish(context, targetOf(order), (current, now) => released(current, { request }, now), idempotencyRecord);
};

/**
 * Aborts a pending step `lines`: releases what its request holds and ends the step without new lines. The step is
 * marked as aborted first, so that no repeat resumes it meanwhile.
 */
export const abortLines = async (context: OrdersContext, order: OrderDocument, pending: LinesStep): Promise<void> => {
  const target = targetOf(order);
  const request = aborted(pending.request);
  const stepAborted = await conclude(context, target, (current) =>
    current.pendingStep?.request === pending.request && pending.request !== request
      ? { next: { ...current, pendingStep: { ...current.pendingStep, request, since: context.now() } }, facts: [] }
      : { next: current, facts: [] },
  );
  if (stepAborted.pendingStep?.request !== request) return;
  await stepStock(context, stepAborted).release({ requestId: originalRequest(request) });
  await conclude(context, target, (current, now) => failLines(current, { request }, now));
};
