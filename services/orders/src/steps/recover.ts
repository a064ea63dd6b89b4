import { Fault } from '@boxoffice/envelope';
import type { OrdersContext } from '../context.ts';
import { isRefused } from '../domain/order/decision.ts';
import { recovery, takeOver } from '../domain/recovery.ts';
import type { OrderDocument } from '../store.ts';
import { releaseDraft } from './draft.ts';
import { holdLonger } from './extend-hold.ts';
import { abortLines, releasePlaces } from './release.ts';
import { sell } from './sell.ts';
import { working } from './working.ts';

/** A process's own step that is so old, and that it does not work on, is one that it could not leave: the store was away. */
export const OWN_LEFT_MS = 2_000;

/** Whether nobody works on the order's step any more. */
const isLeft = ({ lease, now }: OrdersContext, { id, begun }: OrderDocument): boolean => {
  if (!begun || lease.isWorking(id)) return false;
  // Both instants are by the clock of this process.
  return begun.owner === lease.own() ? now() - begun.since >= OWN_LEFT_MS : lease.isOver(begun.owner);
};

/** Makes an order's dead step this process's; undefined if it is not dead any more, or somebody else was quicker. */
const take = async (
  context: OrdersContext,
  { institution, id, begun }: OrderDocument,
): Promise<OrderDocument | undefined> => {
  const to = await context.lease.hold();
  let taken = false;
  const order = await context.orders.of(institution).update(id, (current) => {
    const decision = takeOver(current, { from: begun?.owner, to }, context.now());
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
    case 'release_draft':
      return releaseDraft(context, order);
    case 'sell':
      return sell(context, order, how.pending, { recovered: true });
    case 'abort_lines':
      return abortLines(context, order, how.pending);
    case 'release':
      return releasePlaces(context, order, how.pending);
    case 'hold_longer':
      return holdLonger(context, order, how.pending, { recovered: true });
  }
};

/**
 * Finishes or takes back what a process that died had begun with an order. Nothing is done while that process may live. If a peer
 * does not answer, the next sweep tries again; if places are gone, the order says so.
 */
export const recover = async (context: OrdersContext, found: OrderDocument): Promise<void> => {
  if (!isLeft(context, found)) return;
  const order = await take(context, found);
  if (!order) return;
  try {
    await working(context, order, () => act(context, order, recovery(order)));
  } catch (error) {
    // A peer that does not answer is asked again later. Refused: written already, and nobody waits for the answer.
    if (!(error instanceof Fault)) throw error;
  }
};
