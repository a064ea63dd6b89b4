import type { OrdersContext } from '../context.ts';
import { isUnavailable } from '../faults.ts';
import type { OrderDocument } from '../store.ts';
import { aborted } from './aborted.ts';
import { leaveToRecovery } from './step-ownership.ts';
import { stepStock } from './stock.ts';

/** The request id of a draft's hold in the catalog. */
export const holdNameOf = ({ pendingStep: pending }: Pick<OrderDocument, 'pendingStep'>): string =>
  pending?.step === 'create' ? pending.hold : '';

/** Deletes a draft that holds nothing. */
export const deleteDraft = async (context: OrdersContext, draft: OrderDocument): Promise<void> => {
  const { institution, id, performanceId, performanceIds } = draft;
  // The links first: if the process dies in between, the draft remains for recovery, and no link lacks its order.
  const others = performanceIds.filter((performance) => performance !== performanceId);
  for (const performance of others) await context.links.of(institution).delete(`${id}.${performance}`);
  await context.orders.of(institution).delete(id);
  context.limit.record(draft, id, 0);
};

/** Aborts a draft and releases what it holds; returns the draft if nothing of it is held any more. */
const emptied = async (context: OrdersContext, found: OrderDocument): Promise<OrderDocument | undefined> => {
  const { institution, id } = found;
  const owner = await context.lease.hold();
  const requestId = holdNameOf(found);
  const draft = await context.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.pendingStep) return undefined;
    const request = aborted(current.pendingStep.request);
    return { next: { ...current, pendingStep: { ...current.pendingStep, request, since: context.now(), owner } } };
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
  return draft;
};

/**
 * Releases what a draft holds, then deletes it. The step is aborted first, so that no repeat resumes it meanwhile. If
 * the catalog does not answer, the draft stays for recovery.
 */
export const releaseDraft = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  const draft = await emptied(context, found);
  if (draft) await deleteDraft(context, draft);
};

/**
 * Releases what a draft holds whose hold was not answered. The catalog may still execute that hold later, so the
 * draft stays, aborted, until recovery releases its places once more and deletes it.
 */
export const abortDraft = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  const draft = await emptied(context, found);
  if (draft) await leaveToRecovery(context, draft);
};
