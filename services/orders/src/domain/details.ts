import { withoutUnwritten } from './guest.ts';
import { accept, type Decision } from './order/decision.ts';
import { orderConfirmed } from './order/facts.ts';
import { type Line, type Order, visibleStates } from './order/order.ts';
import { touched, unfit } from './order/state.ts';

/**
 * Changes whose order it is and what others call it: absent stays, null removes. In every visible state. The buyer of a
 * confirmed order is on its tickets, so a change is told by `order.confirmed` again. A guest whose contact is not written yet is
 * forgotten; one that is written stays, since it is not for a change of orders to erase contacts.
 */
export const changeDetails = <O extends Order>(
  order: O,
  patch: { readonly contactNumber?: string | null; readonly externalReference?: string | null },
  now: number,
): Decision<O> => {
  const refused = unfit(order, visibleStates, 'changed', now);
  // A past deadline changes nothing about whose order it is, but the expiry comes first.
  if (refused) return refused;
  const contactNumber = patch.contactNumber === undefined ? order.contactNumber : patch.contactNumber;
  const externalReference = patch.externalReference === undefined ? order.externalReference : patch.externalReference;
  const otherBuyer = contactNumber !== order.contactNumber;
  if (!otherBuyer && externalReference === order.externalReference) return accept(order);
  const own = otherBuyer ? withoutUnwritten(order, now) : order;
  const next: O = touched({ ...own, contactNumber, externalReference }, now);
  return otherBuyer && order.state === 'confirmed' ? accept(next, orderConfirmed(next)) : accept(next);
};

/** The criteria that tariffs of the lines ask of the contact and that it does not have, each once. */
export const unmetCriteria = (
  lines: readonly Pick<Line, 'criterion'>[],
  criteria: readonly string[] | null,
): string[] => [
  ...new Set(
    lines.flatMap(({ criterion }) => (criterion !== null && !criteria?.includes(criterion) ? [criterion] : [])),
  ),
];
