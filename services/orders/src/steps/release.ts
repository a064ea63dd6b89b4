import type { Stamp } from '@boxoffice/store';
import type { Desk } from '../context.ts';
import { failLines, released } from '../domain/lines.ts';
import type { LinesMark, ReleaseMark } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { fenced, unfenced } from './aborted.ts';
import { stepStock } from './stock.ts';
import { conclude, finish, targetOf } from './write.ts';

/** Does what a mark `release` announces: gives the places of removed lines back, and ends the mark. */
export const giveBack = async (
  desk: Desk,
  order: OrderDocument,
  { request, placeIds }: ReleaseMark,
  stamp?: Stamp<OrderDocument>,
): Promise<OrderDocument> => {
  await stepStock(desk, order).release({ placeIds });
  return finish(desk, targetOf(order), (current, now) => released(current, { request }, now), stamp);
};

/**
 * Takes a mark `lines` back: gives back what its request held, if anything, and ends the mark without new lines. Fenced before,
 * so that no repeat of the request takes up what is being given back.
 */
export const undoLines = async (desk: Desk, order: OrderDocument, mark: LinesMark): Promise<void> => {
  const target = targetOf(order);
  const request = fenced(mark.request);
  const fencing = await conclude(desk, target, (current) =>
    current.begun?.request === mark.request && mark.request !== request
      ? { next: { ...current, begun: { ...current.begun, request, since: desk.now() } }, facts: [] }
      : { next: current, facts: [] },
  );
  if (fencing.begun?.request !== request) return;
  await stepStock(desk, fencing).release({ requestId: unfenced(request) });
  await conclude(desk, target, (current, now) => failLines(current, { request }, now));
};
