import { Fault } from '@boxoffice/envelope';
import type { OrdersContext } from '../context.ts';
import { isRefused } from '../domain/order/decision.ts';
import { recovery, takeOver } from '../domain/recovery.ts';
import type { OrderDocument } from '../store.ts';
import { abandonDraft } from './draft.ts';
import { holdLonger } from './extend-hold.ts';
import { abandonLines, releasePlaces } from './release.ts';
import { sell } from './sell.ts';
import { sellPaid } from './sell-paid.ts';
import { whileOwningStep } from './step-ownership.ts';

/**
 * A step of this process that is this old and not worked on could not be left to recovery: the store was unavailable.
 */
export const OWN_LEFT_MS = 2_000;

/** Whether no process works on the order's pending step. */
export const isLeft = ({ lease, now }: OrdersContext, { id, pendingStep: pending }: OrderDocument): boolean => {
  if (!pending || lease.isWorking(id)) return false;
  // Both instants are from this process's clock.
  return pending.owner === lease.own() ? now() - pending.since >= OWN_LEFT_MS : lease.isOver(pending.owner);
};

/** Takes the pending step of a dead process over; undefined if it ended, or another process was first. */
const take = async (
  context: OrdersContext,
  { institution, id, pendingStep: pending }: OrderDocument,
): Promise<OrderDocument | undefined> => {
  const to = await context.lease.hold();
  let taken = false;
  const order = await context.orders.of(institution).update(id, (current) => {
    const decision = takeOver(current, { from: pending?.owner, to }, context.now());
    taken = !isRefused(decision);
    return isRefused(decision) ? undefined : { next: decision.next };
  });
  return taken ? order : undefined;
};

const act = async (
  context: OrdersContext,
  order: OrderDocument,
  how: ReturnType<typeof recovery>,
): Promise<unknown> => {
  switch (how.action) {
    case 'none':
      return undefined;
    case 'abandon_draft':
      return abandonDraft(context, order);
    case 'sell':
      return sell(context, order, how.pending);
    case 'abandon_lines':
      return abandonLines(context, order, how.pending);
    case 'release':
      return sellPaid(context, await releasePlaces(context, order, how.pending));
    case 'hold_longer':
      return holdLonger(context, order, how.pending);
  }
};

/**
 * Recovery: completes or abandons the pending step of a dead process; does nothing while that process may be alive. If
 * another service does not answer, the next sweep repeats it; if places are gone, the order records that.
 */
export const recover = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  if (!isLeft(context, found)) return;
  const order = await take(context, found);
  if (!order) return;
  try {
    await whileOwningStep(context, order, () => act(context, order, recovery(order)));
  } catch (error) {
    // A service that does not answer is called again by the sweep. A refusal is already written, and no request waits
    // for it.
    if (!(error instanceof Fault)) throw error;
  }
};
