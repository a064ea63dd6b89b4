import { accept, acceptButRefuse, type Decision, refuse } from './order/decision.ts';
import { expiredUnsold } from './order/expiry.ts';
import { hasNames, orderConfirmed } from './order/facts.ts';
import { due } from './order/money.ts';
import type { Line, Order, Place } from './order/order.ts';
import { touched, unfit, unpaidStates, waitingNoMore, wrongState } from './order/state.ts';
import { currentTicket } from './tickets.ts';

/**
 * Begins the sale of an order that is paid, free of charge or on account. Refused: `unpaid` (also if its money was
 * refunded), `empty` (no lines), `wrong_state` (a payment is pending and must be settled first; an expired order is
 * confirmed by a late payment only).
 */
export const beginConfirm = <O extends Order>(
  order: O,
  { request, onAccount }: { readonly request: string; readonly onAccount: boolean },
  now: number,
): Decision<O> => {
  const refused = unfit(order, unpaidStates, 'confirmed', now);
  if (refused) return refused;
  if (order.lines.length === 0) return refuse('empty', 'The order has no lines, so it cannot be confirmed.');
  const rest = due(order);
  const isPending = order.payments.some(({ status }) => status === 'pending');
  if (rest > 0 && isPending && !onAccount) return wrongState(order, 'confirmed');
  if (rest > 0 && !onAccount)
    return refuse('unpaid', `${rest} ${order.currency} (in minor units) is due, so the order cannot be confirmed.`);
  return accept({ ...order, pendingStep: { step: 'confirm', request, since: now, late: false, paymentId: null } });
};

/** The sale in the catalog. `replaced`: places sold instead of places of the lines that were taken meanwhile. */
export interface Sale {
  readonly request: string;
  readonly soldPlaceIds: readonly string[];
  readonly replaced?: readonly { readonly replaces: string; readonly place: Place }[];
}

const soldLine = (line: Line, replaced: Sale['replaced']): Line => {
  const place = replaced?.find(({ replaces }) => replaces === line.place.id)?.place ?? line.place;
  return { ...line, place, ticketId: currentTicket(line) };
};

/**
 * Ends the step `confirm`: all places are sold, so the order is confirmed. A confirmed order stays unchanged (another
 * process was first). Refused: `step_lost`, and `not_sold` unless the place of every line was sold.
 */
export const confirm = <O extends Order>(order: O, sale: Sale, now: number): Decision<O> => {
  if (order.state === 'confirmed') return accept(order);
  if (order.pendingStep?.step !== 'confirm' || order.pendingStep.request !== sale.request)
    return refuse('step_lost', 'The pending confirmation was ended by another process.');
  const lines = order.lines.map((line) => soldLine(line, sale.replaced));
  const missing = lines.filter(({ place }) => !sale.soldPlaceIds.includes(place.id));
  if (missing.length > 0) return refuse('not_sold', `${missing.length} places of the order were not sold.`);
  const confirmed: O = {
    ...order,
    state: 'confirmed',
    lines,
    confirmedAt: now,
    expiresAt: null,
    deadline: null,
    cameFrom: null,
    pendingStep: null,
    heldPlaces: 0,
    ...(hasNames(order) ? { namesDue: now } : {}),
  };
  return accept(touched(confirmed, now), orderConfirmed(confirmed));
};

/**
 * Ends the step `confirm` when the catalog says that places are gone. Never call it when the catalog's answer is
 * unknown: the sale may have happened, so the step stays for recovery. Answers `places_gone`; recorded money stays,
 * the order stops waiting for payments and expires if due.
 */
export const failConfirm = <O extends Order>(
  order: O,
  { request }: { readonly request: string },
  now: number,
): Decision<O> => {
  if (order.pendingStep?.step !== 'confirm' || order.pendingStep.request !== request)
    return refuse('step_lost', 'The pending confirmation was ended by another process.');
  const unconfirmed = expiredUnsold(waitingNoMore({ ...order, pendingStep: null }, now), now);
  return acceptButRefuse(
    unconfirmed,
    refuse(
      'places_gone',
      order.pendingStep.paymentId === null
        ? 'Places of the order are gone, so it cannot be confirmed.'
        : 'The payment is recorded, but places of the order are gone, so it cannot be confirmed.',
    ),
    order.pendingStep.paymentId,
  );
};
