import { withoutUnwritten } from './guest.ts';
import { accept, type Decision, isRefused } from './order/decision.ts';
import { orderConfirmed } from './order/facts.ts';
import { type Line, type Order, type State, type TicketDelivery, visibleStates } from './order/order.ts';
import { touched, unfit } from './order/state.ts';

/** Whether the order has tickets, be they cancelled. */
export const hasTickets = ({ state, cancellation }: Pick<Order, 'state' | 'cancellation'>): boolean =>
  state === 'confirmed' || cancellation?.hadTickets === true;

const undelivered: readonly State[] = ['open', 'reserved', 'payment_pending', 'expired'];

/** The order with another delivery of its tickets; refused once they are issued or the order was cancelled. */
const withDelivery = <O extends Order>(order: O, wanted: TicketDelivery | undefined, now: number): Decision<O> => {
  if (wanted === undefined || wanted === (order.ticketDelivery ?? 'print')) return accept(order);
  const refused = unfit(order, undelivered, 'delivered in another way', now);
  return refused ?? accept(touched({ ...order, ticketDelivery: wanted }, now));
};

/**
 * Changes the delivery of tickets until the confirmation, and the contact and the external reference in every visible
 * state: absent stays, null removes. Tickets carry
 * the buyer of their order, so a change publishes `order.confirmed` again, for cancelled tickets too. A guest whose contact is not written
 * yet is deleted; a written contact stays, since changing an order does not erase contacts.
 */
export const changeDetails = <O extends Order>(
  order: O,
  patch: {
    readonly contactNumber?: string | null;
    readonly externalReference?: string | null;
    readonly ticketDelivery?: TicketDelivery;
  },
  now: number,
): Decision<O> => {
  const refused = unfit(order, visibleStates, 'changed', now);
  // A change is allowed past the deadline, but the expiry is written first.
  if (refused) return refused;
  const decision = withDelivery(order, patch.ticketDelivery, now);
  return isRefused(decision) ? decision : changeNames(decision.next, patch, now);
};

const changeNames = <O extends Order>(
  order: O,
  patch: { readonly contactNumber?: string | null; readonly externalReference?: string | null },
  now: number,
): Decision<O> => {
  const contactNumber = patch.contactNumber === undefined ? order.contactNumber : patch.contactNumber;
  const externalReference = patch.externalReference === undefined ? order.externalReference : patch.externalReference;
  const otherBuyer = contactNumber !== order.contactNumber;
  if (!otherBuyer && externalReference === order.externalReference) return accept(order);
  const own = otherBuyer ? withoutUnwritten(order, now) : order;
  const next: O = touched({ ...own, contactNumber, externalReference }, now);
  return otherBuyer && hasTickets(order) ? accept(next, orderConfirmed(next)) : accept(next);
};

/** The criteria of the lines' tariffs that the contact does not meet, each once. */
export const unmetCriteria = (
  lines: readonly Pick<Line, 'criterion'>[],
  criteria: readonly string[] | null,
): string[] => [
  ...new Set(
    lines.flatMap(({ criterion }) => (criterion !== null && !criteria?.includes(criterion) ? [criterion] : [])),
  ),
];
