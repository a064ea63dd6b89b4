import type { Stamp } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { failLines, released } from '../domain/lines.ts';
import type { LinesStep, ReleaseStep } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { aborted, originalRequest } from './aborted.ts';
import { stepStock } from './stock.ts';
import { conclude, finish, targetOf } from './write.ts';

/** Does what a mark `release` announces: gives the places of removed lines back, and ends the pending. */
export const releasePlaces = async (
  context: OrdersContext,
  order: OrderDocument,
  { request, placeIds }: ReleaseStep,
  stamp?: Stamp<OrderDocument>,
): Promise<OrderDocument> => {
  await stepStock(context, order).release({ placeIds });
  return finish(context, targetOf(order), (current, now) => released(current, { request }, now), stamp);
};

/**
 * Takes a mark `lines` back: gives back what its request held, if anything, and ends the mark without new lines. Fenced before,
 * so that no repeat of the request takes up what is being given back.
 */
export const abortLines = async (context: OrdersContext, order: OrderDocument, pending: LinesStep): Promise<void> => {
  const target = targetOf(order);
  const request = aborted(pending.request);
  const fencing = await conclude(context, target, (current) =>
    current.begun?.request === pending.request && pending.request !== request
      ? { next: { ...current, begun: { ...current.begun, request, since: context.now() } }, facts: [] }
      : { next: current, facts: [] },
  );
  if (fencing.begun?.request !== request) return;
  await stepStock(context, fencing).release({ requestId: originalRequest(request) });
  await conclude(context, target, (current, now) => failLines(current, { request }, now));
};
