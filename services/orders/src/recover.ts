import { Fault } from '@boxoffice/envelope';
import type { Desk } from './desk.ts';
import { isRefused } from './domain/decision.ts';
import { recovery, takeOver } from './domain/recovery.ts';
import { dropDraft } from './drop.ts';
import { isUnavailable } from './faults.ts';
import { unfenced } from './fence.ts';
import { giveBack, undoLines } from './give-back.ts';
import { holdLonger } from './hold-longer.ts';
import { sell } from './sell.ts';
import type { OrderDocument } from './store.ts';
import { conclude, targetOf } from './write.ts';

/** Makes an order's dead step this process's; undefined if it is not dead any more, or somebody else was quicker. */
const take = async (desk: Desk, { institution, id }: OrderDocument): Promise<OrderDocument | undefined> => {
  let taken = false;
  const order = await desk.orders.of(institution).update(id, (current) => {
    const decision = takeOver(current, desk.now());
    taken = !isRefused(decision);
    return isRefused(decision) ? undefined : { next: decision.next };
  });
  return taken ? order : undefined;
};

/** Marks a step as dead at once: the next one who meets it finishes it. */
export const letGo = async (desk: Desk, order: OrderDocument): Promise<void> => {
  const request = order.begun && unfenced(order.begun.request);
  await conclude(desk, targetOf(order), (current) =>
    current.begun && unfenced(current.begun.request) === request
      ? { next: { ...current, begun: { ...current.begun, since: 0 } }, facts: [] }
      : { next: current, facts: [] },
  );
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
  const how = recovery(found, desk.now());
  if (how.action === 'none') return;
  const order = await take(desk, found);
  if (!order) return;
  try {
    await act(desk, order, how);
  } catch (error) {
    if (isUnavailable(error)) {
      if (order.state !== 'draft') await letGo(desk, order);
      return;
    }
    // Refused: written already, and nobody waits for the answer.
    if (!(error instanceof Fault)) throw error;
  }
};
