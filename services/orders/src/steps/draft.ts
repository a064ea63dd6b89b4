import type { Desk } from '../context.ts';
import { isUnavailable } from '../faults.ts';
import type { OrderDocument } from '../store.ts';
import { fenced } from './aborted.ts';
import { stepStock } from './stock.ts';
import { leave } from './working.ts';

/** What names the hold of a draft to the catalog. */
export const holdNameOf = ({ begun }: Pick<OrderDocument, 'begun'>): string =>
  begun?.step === 'create' ? begun.hold : '';

/** Deletes a draft that holds nothing. */
export const deleteDraft = async (desk: Desk, draft: OrderDocument): Promise<void> => {
  const { institution, id, performanceId, performanceIds } = draft;
  await desk.orders.of(institution).delete(id);
  desk.limit.note(draft, id, 0);
  const others = performanceIds.filter((performance) => performance !== performanceId);
  for (const performance of others) await desk.links.of(institution).delete(`${id}.${performance}`);
};

/** Fences a draft and gives back what it holds; answers the draft if it is one and nothing of it is held any more. */
const emptied = async (desk: Desk, found: OrderDocument): Promise<OrderDocument | undefined> => {
  const { institution, id } = found;
  const owner = await desk.lease.hold();
  const requestId = holdNameOf(found);
  const draft = await desk.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.begun) return undefined;
    const request = fenced(current.begun.request);
    return { next: { ...current, begun: { ...current.begun, request, since: desk.now(), owner } } };
  });
  if (draft && draft.state !== 'draft') return undefined;
  try {
    // One that was deleted meanwhile may have been given its places after that.
    if (draft) await stepStock(desk, draft).release({ requestId });
    else await desk.stock.release(institution, id, { requestId, asOf: found.version + 1 });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (draft) await leave(desk, draft);
    return undefined;
  }
  return draft;
};

/**
 * Gives back what a draft holds, then deletes it. Fenced before, so that no repeat takes it up meanwhile; left to recovery if the
 * catalog does not answer.
 */
export const dropDraft = async (desk: Desk, found: OrderDocument): Promise<void> => {
  const draft = await emptied(desk, found);
  if (draft) await deleteDraft(desk, draft);
};

/**
 * Gives back what a draft holds whose hold has not been answered. The catalog may still be at work on it and hold the places after
 * this: so the draft stays, fenced, until recovery gives them back once more and deletes it.
 */
export const giveUpDraft = async (desk: Desk, found: OrderDocument): Promise<void> => {
  const draft = await emptied(desk, found);
  if (draft) await leave(desk, draft);
};
