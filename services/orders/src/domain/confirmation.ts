import { moveLine, type Start } from './changes/policy.ts';
import { type Accepted, accept, acceptButRefuse, type Decision, type Refused, refuse } from './decisions.ts';
import { addCreditDue } from './order/credit.ts';
import { createOrderConfirmedFact, deriveTicketId } from './order/facts.ts';
import { computeDue, isPaidInFull } from './order/money.ts';
import type { Line, Order, Place, SaleDue, TicketControl } from './order/order.ts';
import {
  checkDecidable,
  createWithheldFacts,
  endWaitingIfNonePending,
  expireAtOnce,
  expireIfDue,
  isUnpaid,
  markModified,
  markSeen,
  refuseState,
  unpaidStates,
} from './order/state.ts';
import { listStock, listUses } from './price.ts';

export function hasTickets({ state, cancellation }: Pick<Order, 'state' | 'cancellation'>): boolean {
  return state === 'confirmed' || cancellation?.hadTickets === true;
}

export function getCurrentTicketId({ id, replacements }: Pick<Line, 'id' | 'replacements'>): string {
  const next = new Map(replacements.map(({ ticketId, replaces }) => [replaces, ticketId]));
  let current = deriveTicketId(id);
  for (let left = replacements.length; left > 0; left -= 1) current = next.get(current) ?? current;
  return current;
}

/** Refused: `unpaid`, `empty` (no lines), `wrong_state` (also: a payment is pending, or the order is expired). */
export function checkSellable(order: Order, onAccount: boolean, now: number): Refused | undefined {
  const refused = checkDecidable(order, unpaidStates, 'confirmed', now);
  if (refused) return refused;
  if (order.lines.length === 0) return refuse('empty', 'The order has no lines, so it cannot be confirmed.');
  const rest = computeDue(order);
  const isPending = order.payments.some(({ status }) => status === 'pending');
  if (rest > 0 && isPending && !onAccount) return refuseState(order, 'confirmed');
  if (rest > 0 && !onAccount)
    return refuse('unpaid', `${rest} ${order.currency} (in minor units) is due, so the order cannot be confirmed.`);
  return undefined;
}

/**
 * `replaced`: places, or uses of discounts, sold instead of those of the lines that were taken meanwhile. `starts`: of
 * their performances then, since no news of a move reaches an order that is written after it.
 */
export interface Sale {
  readonly soldPlaceIds: readonly string[];
  readonly starts?: readonly Start[];
  readonly replaced?: readonly { readonly replaces: string; readonly place: Place }[];
}

/** The caller has decided that the order may be sold. Refused: `overtaken` unless the place of every line was sold. */
export function confirm<O extends Order>(order: O, sale: Sale, now: number): Decision<O> {
  const lines = order.lines.map((line) => moveLine(toSoldLine(line, sale.replaced), sale.starts));
  if (listStock(lines).some((id) => !sale.soldPlaceIds.includes(id))) return refuse('overtaken');
  const confirmed: O = {
    ...markSeen(order, now),
    state: 'confirmed',
    lines,
    confirmedAt: now,
    expiresAt: null,
    deadline: null,
    cameFrom: null,
    saleDue: null,
    shorteningDue: null,
    heldPlaces: 0,
    ticketsByCall: true,
  };
  return accept(markModified(confirmed, now), ...createWithheldFacts(order), createOrderConfirmedFact(confirmed));
}

/** With its ticket, and with what was sold instead of what was taken meanwhile. */
export function toSoldLine(line: Line, replaced: Sale['replaced']): Line {
  const find = (id: string) => replaced?.find(({ replaces }) => replaces === id)?.place;
  const { place, price } = line;
  const uses = listUses(line).map((id) => find(id)?.id ?? id);
  const sold = price?.grant ? { price: { ...price, grant: { ...price.grant, uses } } } : {};
  return { ...line, ...sold, place: find(place.id) ?? place, ticketId: getCurrentTicketId(line) };
}

/**
 * Unchanged if confirmed. A sale that another process has given up meanwhile is due anew, since what was sold is
 * released. Refused: `wrong_state` or `paid_after_cancellation` (cancelled), `unpaid`, `overtaken`.
 */
export function confirmPaidOrder<O extends Order>(
  order: O,
  { due: sold, ...sale }: Sale & { readonly due: SaleDue },
  now: number,
): Decision<O> {
  const { state, saleDue } = order;
  if (state === 'confirmed') return accept(order);
  if (state === 'cancelled') return refuseCancelled(order, sold.paymentId);
  if (!isPaidInFull(order) && !order.unseen) return refuse('unpaid');
  if (saleDue?.since === sold.since) return confirm(order, sale, now);
  return accept(saleDue ? order : { ...order, saleDue: { ...sold, since: Math.max(now, sold.since + 1) } });
}

/** What was paid is recorded, and must be refunded. */
const refuseCancelled = <O extends Order>(order: O, paymentId: string | null): Decision<O> =>
  paymentId === null
    ? refuseState(order, 'confirmed')
    : acceptButRefuse(accept(order), refuse('paid_after_cancellation'), paymentId);

/**
 * Gives up the sale of an order that is paid in full, since the catalog says that places are gone. Never call it when
 * the catalog's answer is unknown: the sale may have happened. Answers `places_gone`; recorded money stays, the order
 * stops waiting for payments and expires if due, or if nobody has seen it. A confirmed order stays (another process was
 * first), and so does a later sale.
 */
export function giveUpSale<O extends Order>(order: O, { paymentId, since }: SaleDue, now: number): Decision<O> {
  if (order.state === 'confirmed') return accept(order);
  if (order.state === 'cancelled') return refuseCancelled(order, paymentId);
  const gone = refuse(
    'places_gone',
    paymentId === null
      ? 'Places of the order are gone, so it cannot be confirmed.'
      : 'The payment is recorded, but places of the order are gone, so it cannot be confirmed.',
  );
  const isDue = order.saleDue?.since === since;
  return acceptButRefuse(isDue ? endWithoutSale(order, paymentId, now) : accept(order), gone, paymentId);
}

const endWithoutSale = <O extends Order>(order: O, paymentId: string | null, now: number): Accepted<O> => {
  if (order.unseen) return expireAtOnce(order, now);
  const unsold: O = { ...order, saleDue: null };
  if (isUnpaid(order)) return expireIfDue(endWaitingIfNonePending(unsold, now), now);
  const late = order.payments.find(({ id, provider }) => id === paymentId && provider !== undefined);
  return accept(addCreditDue(unsold, late?.amount ?? 0, now));
};

/**
 * Events arrive in any order, also after the line has left: each names the ticket that it replaces, and the line shows
 * the last of the chain.
 */
export function recordReplacement<O extends Order>(
  order: O,
  fact: { readonly lineId: string; readonly ticketId: string; readonly replaces: string },
  now: number,
): Accepted<O> {
  const { formerLines } = order;
  const line = [...order.lines, ...(formerLines ?? [])].find(({ id }) => id === fact.lineId);
  if (!line || line.replacements.some(({ replaces }) => replaces === fact.replaces)) return accept(order);
  const replacements = [...line.replacements, { ticketId: fact.ticketId, replaces: fact.replaces }];
  const ticketId = line.ticketId === null ? null : getCurrentTicketId({ id: line.id, replacements });
  const replace = <L extends Line>(all: readonly L[]): L[] =>
    all.map((other) => (other.id === line.id ? { ...other, replacements, ticketId } : other));
  const next = { ...order, lines: replace(order.lines), ...(formerLines && { formerLines: replace(formerLines) }) };
  return accept(ticketId === line.ticketId ? next : markModified(next, now));
}

/** `version` is the ticket's: an older event changes nothing. */
export function recordControl<O extends Order>(
  order: O,
  { ticketId, version, controlled }: TicketControl,
): Accepted<O> {
  const known = order.ticketNotes.find((other) => other.ticketId === ticketId);
  if (known && known.version >= version) return accept(order);
  const others = order.ticketNotes.filter((other) => other.ticketId !== ticketId);
  return accept({ ...order, ticketNotes: [...others, { ticketId, version, controlled }] });
}

/** Those of former lines stay controlled for good. */
export function countControlledTickets({ ticketNotes, formerLines = [] }: Pick<Order, 'ticketNotes' | 'formerLines'>) {
  const former = new Set(formerLines.map(({ ticketId }) => ticketId));
  return ticketNotes.filter(({ ticketId, controlled }) => controlled && !former.has(ticketId)).length;
}
