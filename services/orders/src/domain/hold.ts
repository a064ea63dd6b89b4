// Rules of orders without any I/O: from the hold to the settled cancellation, one file per subject.

import { accept, type Decision, refuse } from './decisions.ts';
import { contactNamed } from './order/facts.ts';
import { areAmounts } from './order/money.ts';
import type { Line, NewLine, Order, TicketDelivery } from './order/order.ts';
import { performancesOf, touched, unfit } from './order/state.ts';

/** A new order whose places are held. */
export interface NewOrder
  extends Pick<
    Order,
    'id' | 'client' | 'createdBy' | 'pointOfSale' | 'contactNumber' | 'externalReference' | 'currency'
  > {
  readonly ticketDelivery: TicketDelivery;
  readonly lines: readonly NewLine[];
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
  const order: Order = {
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
  };
  return accept(order, ...contactNamed(order));
};

/** A cart as a listed order; unchanged if it is listed. */
export const listed = <O extends Order>(order: O, now: number): O =>
  order.listedAt === null ? touched({ ...order, listedAt: now, modifiedAt: now }, now) : order;

const MINUTE_MS = 60_000;
const MAX_EXTENSION_MINUTES = 60;

/** The order whose hold ends at this instant; a reserved one is due then. */
const heldUntil = <O extends Order>(order: O, until: number, now: number): O =>
  touched(
    { ...order, expiresAt: until, deadline: until, dueAt: order.state === 'reserved' ? until : order.dueAt },
    now,
  );

/**
 * Extends the hold of an open or reserved order to `minutes` after `at`, when the request was made; never to an earlier
 * end than before. Refused: `invalid_minutes` unless above 0 and at most 60, `wrong_state`.
 */
export const extend = <O extends Order>(
  order: O,
  { minutes, at }: { readonly minutes: number; readonly at: number },
  now: number,
): Decision<O> => {
  const refused = unfit(order, ['open', 'reserved'], 'extended', now);
  if (refused) return refused;
  if (!(minutes > 0 && minutes <= MAX_EXTENSION_MINUTES))
    return refuse('invalid_minutes', `An extension is by more than 0 and at most ${MAX_EXTENSION_MINUTES} minutes.`);
  return accept(heldUntil(order, Math.max(order.expiresAt ?? 0, at + Math.round(minutes * MINUTE_MS)), now));
};

/**
 * Holds the places of an open order without payment until `dueAt`, any future instant. Refused: `due_in_past`,
 * `wrong_state`.
 */
export const reserve = <O extends Order>(order: O, dueAt: number, now: number): Decision<O> => {
  const refused = unfit(order, ['open'], 'reserved', now);
  if (refused) return refused;
  if (!(Number.isSafeInteger(dueAt) && dueAt > now)) return refuse('due_in_past');
  return accept(heldUntil({ ...order, state: 'reserved' }, dueAt, now));
};
