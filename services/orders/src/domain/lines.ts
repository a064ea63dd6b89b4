import { accept, type Decision, type Refused, refuse } from './decisions.ts';
import { unsold } from './hold.ts';
import { areAmounts } from './order/money.ts';
import type { Beneficiary, Line, NewLine, Order, State } from './order/order.ts';
import { isHidden, performancesOf, soldIfPaid, touched, unfit } from './order/state.ts';

const changeable: readonly State[] = ['open', 'reserved'];

const withLines = <O extends Order>(order: O, lines: O['lines'], now: number): O =>
  touched({ ...order, lines, performanceIds: performancesOf(lines), heldPlaces: lines.length }, now);

/** Why no lines can be added now, or undefined: only while open or reserved. */
export const unextendable = (order: Order, now: number): Refused | undefined =>
  unfit(order, changeable, 'given more lines', now);

/** Whether the next lines start a new hold: those of a cart that was emptied. */
export const startsAnew = (order: Order): boolean => isHidden(order) && order.lines.length === 0;

/** The order without these among the places of removed lines: released, or its own again. Unchanged if it lists none. */
export const withoutReleased = <O extends Order>(order: O, released: readonly string[]): O => {
  const { removedPlaces } = order;
  if (!removedPlaces?.placeIds.some((id) => released.includes(id))) return order;
  const placeIds = removedPlaces.placeIds.filter((id) => !released.includes(id));
  return { ...order, removedPlaces: placeIds.length === 0 ? null : { ...removedPlaces, placeIds } };
};

/**
 * Adds lines whose places are held. Refused: `wrong_state`, `currency_mismatch`, `invalid_amount`, `place_repeated` (a
 * place that already has a line), and `past_due` if the hold came after the deadline, when it may have taken places of
 * the order's own lines. `until` counts if the cart {@link startsAnew}. After a refusal the caller releases what its
 * request holds.
 */
export const addLines = <O extends Order>(
  order: O,
  held: { readonly lines: readonly NewLine[]; readonly currency: string; readonly until?: number },
  now: number,
): Decision<O> => {
  const refused = unextendable(order, now);
  if (refused) return refused;
  const repeated = held.lines.some(({ place }) => order.lines.some((line) => line.place.id === place.id));
  if (repeated) return refuse('place_repeated');
  if (held.currency !== order.currency)
    return refuse('currency_mismatch', `The order is in ${order.currency}, the new lines are in ${held.currency}.`);
  const lines = [...order.lines, ...held.lines.map(unsold)];
  if (!areAmounts(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  const until = startsAnew(order) && held.until !== undefined ? { expiresAt: held.until, deadline: held.until } : {};
  const again = held.lines.map(({ place }) => place.id);
  return accept(withLines({ ...withoutReleased(order, again), ...until }, lines, now));
};

/**
 * Removes a line; its place is released then, and the order sold if what it had paid is its total now. Payments stay:
 * what is due never falls below 0. `asOf` is the version of the order. Only while open or reserved; `unknown_line` otherwise.
 */
export const removeLine = <O extends Order>(
  order: O,
  { lineId, asOf }: { readonly lineId: string; readonly asOf: number },
  now: number,
): Decision<O> => {
  const refused = unfit(order, changeable, 'changed in its lines', now);
  if (refused) return refused;
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  const rest = order.lines.filter(({ id }) => id !== lineId);
  const { since, placeIds } = order.removedPlaces ?? { since: now, placeIds: [] };
  const removedPlaces = { since, asOf, placeIds: [...placeIds, line.place.id] };
  const left = withLines({ ...order, removedPlaces }, rest, now);
  return soldIfPaid(left, now) ?? accept(left);
};

/** The states in which the places of an order are its buyer's. */
const live: readonly State[] = ['open', 'reserved', 'payment_pending', 'confirmed'];

/** A beneficiary; null without any name. */
export const beneficiaryOf = (
  names: { readonly firstName?: string | null; readonly lastName?: string | null } | null | undefined,
): Beneficiary | null => {
  const { firstName = null, lastName = null } = names ?? {};
  return firstName === null && lastName === null ? null : { firstName, lastName };
};

const isSame = (one: Beneficiary | null | undefined, other: Beneficiary | null): boolean =>
  (one?.firstName ?? null) === (other?.firstName ?? null) && (one?.lastName ?? null) === (other?.lastName ?? null);

const isControlled = ({ ticketNotes }: Order, { ticketId }: Line, known: readonly string[]): boolean =>
  ticketId !== null &&
  (known.includes(ticketId) || ticketNotes.some((note) => note.ticketId === ticketId && note.controlled));

/** A line after a change: one of a confirmed order counts it, so that its ticket follows each change once. */
const renamed = (line: Line, beneficiary: Beneficiary | null, isConfirmed: boolean): Line => ({
  ...line,
  beneficiary,
  ...(isConfirmed ? { beneficiaryAsOf: (line.beneficiaryAsOf ?? 0) + 1 } : {}),
});

/**
 * Changes the beneficiary of a line, in every live state. The ticket of a confirmed order follows: `namesDue`.
 * `controlled`: the tickets that the tickets service says are controlled. Refused: `unknown_line`, `wrong_state`,
 * `ticket_controlled`.
 */
export const nameLine = <O extends Order>(
  order: O,
  { lineId, beneficiary }: { readonly lineId: string; readonly beneficiary: (line: Line) => Beneficiary | null },
  controlled: readonly string[],
  now: number,
): Decision<O> => {
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  const wanted = beneficiary(line);
  const refused = unfit(order, live, 'changed in its beneficiaries', now);
  if (refused) return refused;
  if (isSame(line.beneficiary, wanted)) return accept(order);
  if (isControlled(order, line, controlled))
    return refuse('ticket_controlled', 'The ticket of the line is controlled, so its beneficiary stays.');
  const isConfirmed = order.state === 'confirmed';
  const lines = order.lines.map((other) => (other.id === lineId ? renamed(line, wanted, isConfirmed) : other));
  return accept(touched({ ...order, lines, ...(isConfirmed ? { namesDue: now } : {}) }, now));
};
