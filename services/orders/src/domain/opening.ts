// Rules of orders without any I/O: from the hold to the settled cancellation, one file per subject.

import { accept, type Decision, refuse } from './order/decision.ts';
import { areAmounts } from './order/money.ts';
import type { Line, NewLine, Order, TicketDelivery } from './order/order.ts';
import { performancesOf, touched } from './order/state.ts';

/** A new order whose places are held. */
export interface NewOrder {
  readonly id: string;
  readonly client: string | null;
  readonly pointOfSale: string | null;
  readonly contactNumber: string | null;
  readonly externalReference: string | null;
  readonly ticketDelivery: TicketDelivery;
  readonly lines: readonly NewLine[];
  /** ISO 4217. */
  readonly currency: string;
  /** End of the hold; epoch milliseconds. */
  readonly until: number;
  /** A cart stays unlisted until {@link listed}. */
  readonly cart: boolean;
}

/** A line that is not sold yet. */
export const unsold = (line: NewLine): Line => ({ ...line, ticketId: null, replacements: [] });

/** The open order. Refused: `invalid_amount` if the prices do not add up to an exact integer. */
export const open = ({ lines, until, cart, ...given }: NewOrder, now: number): Decision => {
  if (!areAmounts(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  return accept({
    ...given,
    state: 'open',
    lines: lines.map(unsold),
    performanceIds: performancesOf(lines),
    payments: [],
    refunds: [],
    expiresAt: until,
    dueAt: null,
    deadline: until,
    cameFrom: null,
    confirmedAt: null,
    cancellation: null,
    ticketNotes: [],
    heldPlaces: lines.length,
    createdAt: now,
    modifiedAt: cart ? null : now,
    listedAt: cart ? null : now,
  });
};

/** A cart as a listed order; unchanged if it is listed. */
export const listed = <O extends Order>(order: O, now: number): O =>
  order.listedAt === null ? touched({ ...order, listedAt: now, modifiedAt: now }, now) : order;
