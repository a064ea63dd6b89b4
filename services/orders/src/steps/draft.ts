import type { OrdersContext } from '../context.ts';
import { isUnavailable } from '../faults.ts';
import type { OrderDocument } from '../store.ts';
import { aborted } from './aborted.ts';
import { stepStock } from './stock.ts';
import { leave } from './working.ts';

/** What names the hold of a draft to the catalog. */
export const holdNameOf = ({ begun }: Pick<OrderDocument, 'begun'>): string =>
  begun?.step === 'create' ? begun.hold : '';

/** Deletes a draft that holds nothing. */
export const deleteDraft = async (context: OrdersContext, draft: OrderDocument): Promise<void> => {
  const { institution, id, performanceId, performanceIds } = draft;
  await context.orders.of(institution).delete(id);
  context.limit.record(draft, id, 0);
  const others = performanceIds.filter((performance) => performance !== performanceId);
  for (const performance of others) await context.links.of(institution).delete(`${id}.${performance}`);
};

/** Fences a draft and gives back what it holds; answers the draft if it is one and nothing of it is held any more. */
const emptied = async (context: OrdersContext, found: OrderDocument): Promise<OrderDocument | undefined> => {
  const { institution, id } = found;
  const owner = await context.lease.hold();
  const requestId = holdNameOf(found);
  const draft = await context.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.begun) return undefined;
    const request = aborted(current.begun.request);
    return { next: { ...current, begun: { ...current.begun, request, since: context.now(), owner } } };
  });
  if (draft && draft.state !== 'draft') return undefined;
  try {
    // One that was deleted meanwhile may have been given its places after that.
    if (draft) await stepStock(context, draft).release({ requestId });
    else await context.stock.release(institution, id, { requestId, asOf: found.version + 1 });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (draft) await leave(context, draft);
    return undefined;
  }
  return draft;
};

/**
 * Gives back what a draft holds, then deletes it. Fenced before, so that no repeat takes it up meanwhile; left to recovery if the
 * catalog does not answer.
 */
export const releaseDraft = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  const draft = await emptied(context, found);
  if (draft) await deleteDraft(context, draft);
};

/**
 * Gives back what a draft holds whose hold has not been answered. The catalog may still be at work on it and hold the places after
 * this: so the draft stays, aborted, until recovery gives them back once more and deletes it.
 */
export const abortDraft = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  const draft = await emptied(context, found);
  if (draft) await leave(context, draft);
};
