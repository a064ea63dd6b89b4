import { unsold } from './opening.ts';
import { accept, type Decision, refuse } from './order/decision.ts';
import { endedIfDue, soldIfPaid } from './order/expiry.ts';
import { areAmounts } from './order/money.ts';
import type { NewLine, Order, State } from './order/order.ts';
import { isHidden, performancesOf, touched, unfit } from './order/state.ts';

const changeable: readonly State[] = ['open', 'reserved'];

const withLines = <O extends Order>(order: O, lines: O['lines'], now: number): O =>
  touched({ ...order, lines, performanceIds: performancesOf(lines), heldPlaces: lines.length }, now);

const stepLost = () => refuse('step_lost', 'The pending change of lines was ended by another process.');

/** Begins to hold `quantity` more places until the order's `expiresAt`. Only while open or reserved. */
export const beginLines = <O extends Order>(
  order: O,
  { request, quantity }: { readonly request: string; readonly quantity: number },
  now: number,
): Decision<O> =>
  unfit(order, changeable, 'given more lines', now) ??
  accept({
    ...order,
    pendingStep: { step: 'lines', request, since: now, quantity, abandoned: null },
    heldPlaces: order.lines.length + quantity,
  });

/** Whether the next lines start a new hold: those of a cart that was emptied. */
export const startsAnew = (order: Order): boolean => isHidden(order) && order.lines.length === 0;

/**
 * Ends {@link beginLines}: the places are held, the lines are added. Refused: `step_lost`, `currency_mismatch`,
 * `invalid_amount`, `place_repeated` (a place that already has a line), and `past_due` if the hold came after the
 * deadline, when it may have taken places of the order's own lines. `until` counts if the cart {@link startsAnew}.
 * After a refusal the caller releases what its request holds and calls {@link failLines}.
 */
export const addLines = <O extends Order>(
  order: O,
  held: {
    readonly request: string;
    readonly lines: readonly NewLine[];
    readonly currency: string;
    readonly until?: number;
  },
  now: number,
): Decision<O> => {
  const { pendingStep: pending } = order;
  if (pending?.step !== 'lines' || pending.abandoned !== null || pending.request !== held.request) return stepLost();
  if (order.deadline !== null && order.deadline <= now)
    return refuse('past_due', "The order's deadline has passed, so it cannot be given more lines.");
  const repeated = held.lines.some(({ place }) => order.lines.some((line) => line.place.id === place.id));
  if (repeated) return refuse('place_repeated');
  if (held.currency !== order.currency)
    return refuse('currency_mismatch', `The order is in ${order.currency}, the new lines are in ${held.currency}.`);
  const lines = [...order.lines, ...held.lines.map(unsold)];
  if (!areAmounts(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  const until = startsAnew(order) && held.until !== undefined ? { expiresAt: held.until, deadline: held.until } : {};
  return accept(withLines({ ...order, ...until, pendingStep: null }, lines, now));
};

/** Ends {@link beginLines} without lines, after everything held was released. Expires the order if due. */
export const failLines = <O extends Order>(
  order: O,
  { request }: { readonly request: string },
  now: number,
): Decision<O> => {
  if (order.pendingStep?.step !== 'lines' || order.pendingStep.request !== request) return stepLost();
  return endedIfDue({ ...order, pendingStep: null, heldPlaces: order.lines.length }, now);
};

/**
 * Removes a line at once and begins to release its place. Payments stay: what is due never falls below 0. Only while
 * open or reserved; `unknown_line` otherwise.
 */
export const removeLine = <O extends Order>(
  order: O,
  { request, lineId }: { readonly request: string; readonly lineId: string },
  now: number,
): Decision<O> => {
  const refused = unfit(order, changeable, 'changed in its lines', now);
  if (refused) return refused;
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  const rest = order.lines.filter(({ id }) => id !== lineId);
  const pending = { step: 'release', request, since: now, placeIds: [line.place.id] } as const;
  return accept(withLines({ ...order, pendingStep: pending }, rest, now));
};

/** Ends {@link removeLine}: the place is released. Sells the order if what it had paid is its total now. */
export const released = <O extends Order>(
  order: O,
  { request }: { readonly request: string },
  now: number,
): Decision<O> => {
  if (order.pendingStep?.step !== 'release' || order.pendingStep.request !== request) return stepLost();
  const left: O = { ...order, pendingStep: null };
  return soldIfPaid(left, request, now) ?? endedIfDue(left, now);
};
