import { Fault } from '@boxoffice/envelope';
import type { Desk } from '../context.ts';
import { isRefused } from '../domain/order/decision.ts';
import { recovery, takeOver } from '../domain/recovery.ts';
import type { OrderDocument } from '../store.ts';
import { dropDraft } from './draft.ts';
import { holdLonger } from './extend-hold.ts';
import { giveBack, undoLines } from './release.ts';
import { sell } from './sell.ts';
import { working } from './working.ts';

/** A process's own step that is so old, and that it does not work on, is one that it could not leave: the store was away. */
export const OWN_LEFT_MS = 2_000;

/** Whether nobody works on the order's step any more. */
const isLeft = ({ lease, now }: Desk, { id, begun }: OrderDocument): boolean => {
  if (!begun || lease.isWorking(id)) return false;
  // Both instants are by the clock of this process.
  return begun.owner === lease.own() ? now() - begun.since >= OWN_LEFT_MS : lease.isOver(begun.owner);
};

/** Makes an order's dead step this process's; undefined if it is not dead any more, or somebody else was quicker. */
const take = async (desk: Desk, { institution, id, begun }: OrderDocument): Promise<OrderDocument | undefined> => {
  const to = await desk.lease.hold();
  let taken = false;
  const order = await desk.orders.of(institution).update(id, (current) => {
    const decision = takeOver(current, { from: begun?.owner, to }, desk.now());
    taken = !isRefused(decision);
    return isRefused(decision) ? undefined : { next: decision.next };
  });
  return taken ? order : undefined;
};

const act = async (desk: Desk, order: OrderDocument, how: ReturnType<typeof recovery>): Promise<unknown> => {
  switch (how.action) {
    case 'none':
      return undefined;
    case 'drop':
      return dropDraft(desk, order);
    case 'sell':
      return sell(desk, order, how.mark, { recovered: true });
    case 'undo_lines':
      return undoLines(desk, order, how.mark);
    case 'release':
      return giveBack(desk, order, how.mark);
    case 'hold_longer':
      return holdLonger(desk, order, how.mark, { recovered: true });
  }
};

/**
 * Finishes or takes back what a process that died had begun with an order. Nothing is done while that process may live. If a peer
 * does not answer, the next sweep tries again; if places are gone, the order says so.
 */
export const recover = async (desk: Desk, found: OrderDocument): Promise<void> => {
  if (!isLeft(desk, found)) return;
  const order = await take(desk, found);
  if (!order) return;
  try {
    await working(desk, order, () => act(desk, order, recovery(order)));
  } catch (error) {
    // A peer that does not answer is asked again later. Refused: written already, and nobody waits for the answer.
    if (!(error instanceof Fault)) throw error;
  }
};
