import type { OrdersContext } from '../context.ts';
import { abandon } from '../domain/order/pending-step.ts';
import { isUnavailable } from '../faults.ts';
import type { OrderDocument } from '../store.ts';
import { leaveToRecovery } from './step-ownership.ts';
import { stepStock } from './stock.ts';

/** The request id of a draft's hold in the catalog. */
export const holdNameOf = ({ pendingStep: pending }: Pick<OrderDocument, 'pendingStep'>): string =>
  pending?.step === 'create' ? pending.hold : '';

/** The performances of a draft that have links. */
const linked = ({ performanceId, performanceIds }: OrderDocument): string[] =>
  performanceIds.filter((performance) => performance !== performanceId);

/**
 * Deletes a draft that holds nothing, unless it was changed since it was read: then a repeat of its request may have
 * made the order. Call it for a draft with links only after abandoning it.
 */
const deleteDraft = async (context: OrdersContext, draft: OrderDocument): Promise<void> => {
  const { institution, id, version } = draft;
  // The links first: if the process dies in between, the draft remains for recovery, and no link lacks its order.
  for (const performance of linked(draft)) await context.links.of(institution).delete(`${id}.${performance}`);
  if (await context.orders.of(institution).delete(id, version)) context.limit.record(draft, id, 0);
};

/**
 * Abandons a draft and releases what it holds. Undefined if the catalog does not answer or the order is made; null if
 * nothing is held any more and the draft is deleted already.
 */
const released = async (context: OrdersContext, found: OrderDocument): Promise<OrderDocument | null | undefined> => {
  const { institution, id } = found;
  const owner = await context.lease.hold();
  const requestId = holdNameOf(found);
  const draft = await context.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.pendingStep) return undefined;
    const abandoned = abandon(current.pendingStep, 'failed');
    return { next: { ...current, pendingStep: { ...abandoned, since: context.now(), owner } } };
  });
  if (draft && draft.state !== 'draft') return undefined;
  try {
    // The hold of a draft that was deleted meanwhile may have been executed after the deletion.
    if (draft) await stepStock(context, draft).release({ requestId });
    else await context.stock.release(institution, id, { requestId, asOf: found.version + 1 });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (draft) await leaveToRecovery(context, draft);
    return undefined;
  }
  return draft ?? null;
};

/**
 * Abandons a draft, so that no repeat resumes it, releases what it holds, then deletes it. If the catalog does not
 * answer, the draft stays for recovery. Whether nothing of it is held any more.
 */
export const abandonDraft = async (context: OrdersContext, found: OrderDocument): Promise<boolean> => {
  const draft = await released(context, found);
  if (draft) await deleteDraft(context, draft);
  else if (draft === null) context.limit.record(found, found.id, 0);
  return draft !== undefined;
};

/**
 * Abandons a draft whose hold was not answered, and releases what it holds. The catalog may still execute that hold
 * later, so the draft stays until recovery releases its places once more and deletes it.
 */
export const abandonUnansweredDraft = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  const draft = await released(context, found);
  if (draft) await leaveToRecovery(context, draft);
};

/**
 * Deletes a draft whose hold was refused. Only an earlier attempt, whose draft this one resumed, can hold places: then
 * they are released first.
 */
export const deleteRefusedDraft = async (context: OrdersContext, draft: OrderDocument): Promise<void> => {
  await (draft.version > 1 || linked(draft).length > 0 ? abandonDraft : deleteDraft)(context, draft);
};
