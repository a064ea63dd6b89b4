import { accept, type Decision, type Refused, refuse } from './decisions.ts';
import { createContactNamedFacts } from './order/facts.ts';
import { isAmountList } from './order/money.ts';
import type { Beneficiary, Line, NewLine, Order, State, TicketDelivery } from './order/order.ts';
import { checkDecidable, isHidden, listPerformanceIds, markModified, sellIfPaid } from './order/state.ts';
import { listStock } from './price.ts';

export interface NewOrder
  extends Pick<
    Order,
    | 'id'
    | 'client'
    | 'createdBy'
    | 'pointOfSale'
    | 'contactNumber'
    | 'pricedFor'
    | 'externalReference'
    | 'currency'
    | 'codes'
  > {
  readonly ticketDelivery: TicketDelivery;
  readonly lines: readonly NewLine[];
  /** Of the hold; epoch milliseconds. */
  readonly until: number;
  /** Unlisted until {@link markListed}. */
  readonly cart: boolean;
}

const toUnsoldLine = (line: NewLine): Line => ({ ...line, ticketId: null, replacements: [] });

/** Refused: `invalid_amount` if the prices do not add up to an exact integer. */
export function open({ lines, until, cart, ...given }: NewOrder, now: number): Decision {
  if (!isAmountList(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  const order: Order = {
    ...given,
    state: 'open',
    lines: lines.map(toUnsoldLine),
    performanceIds: listPerformanceIds(lines),
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
  return accept(order, ...createContactNamedFacts(order));
}

export function markListed<O extends Order>(order: O, now: number): O {
  return order.listedAt === null ? markModified({ ...order, listedAt: now, modifiedAt: now }, now) : order;
}

const MINUTE_MS = 60_000;

/** To `minutes` after `at`, never to an earlier end. Refused: `wrong_state`. */
export function extend<O extends Order>(
  order: O,
  { minutes, at }: { readonly minutes: number; readonly at: number },
  now: number,
): Decision<O> {
  const refused = checkDecidable(order, ['open', 'reserved'], 'extended', now);
  if (refused) return refused;
  return accept(setHoldEnd(order, Math.max(order.expiresAt ?? 0, at + Math.round(minutes * MINUTE_MS)), now));
}

/** A reserved order is due then. Sooner than before, the catalog follows. */
const setHoldEnd = <O extends Order>(order: O, until: number, now: number): O => {
  const isSooner = until < (order.expiresAt ?? until);
  const dueAt = order.state === 'reserved' ? until : order.dueAt;
  return markModified(
    { ...order, expiresAt: until, deadline: until, dueAt, ...(isSooner ? { shorteningDue: now } : {}) },
    now,
  );
};

const DAY_MS = 24 * 60 * MINUTE_MS;

/** Without payment until `dueAt`, at most `mostDays` ahead. Refused: `due_in_past`, `due_too_late`, `wrong_state`. */
export function reserve<O extends Order>(
  order: O,
  { dueAt, mostDays = Number.POSITIVE_INFINITY }: { readonly dueAt: number; readonly mostDays?: number | undefined },
  now: number,
): Decision<O> {
  const refused = checkDecidable(order, ['open'], 'reserved', now);
  if (refused) return refused;
  if (!(Number.isSafeInteger(dueAt) && dueAt > now)) return refuse('due_in_past');
  if (dueAt > now + mostDays * DAY_MS)
    return refuse('due_too_late', `$.dueAt is at most ${mostDays} days ahead, by the bounds of the client.`);
  return accept(setHoldEnd({ ...order, state: 'reserved' }, dueAt, now));
}

const changeable: readonly State[] = ['open', 'reserved'];

export function checkLinesAddable(order: Order, now: number): Refused | undefined {
  return checkDecidable(order, changeable, 'given more lines', now);
}

/** Its next lines start a new hold. */
export function isEmptiedCart(order: Order): boolean {
  return isHidden(order) && order.lines.length === 0;
}

/** Without these among the places of removed lines: released, or its own again. */
export function removeReleasedPlaces<O extends Order>(order: O, released: readonly string[]): O {
  const { removedPlaces } = order;
  if (!removedPlaces?.placeIds.some((id) => released.includes(id))) return order;
  const placeIds = removedPlaces.placeIds.filter((id) => !released.includes(id));
  return { ...order, removedPlaces: placeIds.length === 0 ? null : { ...removedPlaces, placeIds } };
}

/**
 * The order is sold if what it had paid covers them. Refused: `wrong_state`, `currency_mismatch`, `invalid_amount`,
 * `place_repeated`, and `past_due` if the hold came after the deadline. `until` and the delivery
 * count if the cart {@link isEmptiedCart}. After a refusal the caller releases what its request holds. `price` is what its prices are then.
 */
export function addLines<O extends Order>(
  order: O,
  held: Pick<NewOrder, 'lines' | 'currency'> & Partial<Pick<NewOrder, 'until' | 'ticketDelivery'>>,
  now: number,
  price: (order: O) => O = (same) => same,
): Decision<O> {
  const refused = checkLinesAddable(order, now);
  if (refused) return refused;
  const repeated = held.lines.some(({ place }) => order.lines.some((line) => line.place.id === place.id));
  if (repeated) return refuse('place_repeated');
  if (held.currency !== order.currency)
    return refuse('currency_mismatch', `The order is in ${order.currency}, the new lines are in ${held.currency}.`);
  const lines = [...order.lines, ...held.lines.map(toUnsoldLine)];
  if (!isAmountList(lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  const begun = isEmptiedCart(order) ? beginHold(held) : {};
  const again = held.lines.map(({ place }) => place.id);
  return sellIfPaid(price(setLines({ ...removeReleasedPlaces(order, again), ...begun }, lines, now)), now);
}

const beginHold = ({ until, ticketDelivery }: Partial<Pick<NewOrder, 'until' | 'ticketDelivery'>>) => ({
  ...(until !== undefined && { expiresAt: until, deadline: until }),
  ...(ticketDelivery !== undefined && { ticketDelivery }),
});

const setLines = <O extends Order>(order: O, lines: O['lines'], now: number): O =>
  markModified({ ...order, lines, performanceIds: listPerformanceIds(lines), heldPlaces: lines.length }, now);

/** While open or reserved. The order is sold if what it had paid is its total by `price` then. Refused: `unknown_line`. */
export function removeLine<O extends Order>(
  order: O,
  { lineId, asOf }: { readonly lineId: string; readonly asOf: number },
  now: number,
  price: (order: O) => O = (same) => same,
): Decision<O> {
  const refused = checkDecidable(order, changeable, 'changed in its lines', now);
  if (refused) return refused;
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  const rest = order.lines.filter(({ id }) => id !== lineId);
  const { since, placeIds } = order.removedPlaces ?? { since: now, placeIds: [] };
  const removedPlaces = { since, asOf, placeIds: [...placeIds, ...listStock([line])] };
  return sellIfPaid(price(setLines({ ...order, removedPlaces }, rest, now)), now);
}

const live: readonly State[] = ['open', 'reserved', 'payment_pending', 'confirmed'];

/** Null without any name. */
export function toBeneficiary(
  names: { readonly firstName?: string | null; readonly lastName?: string | null } | null | undefined,
): Beneficiary | null {
  const { firstName = null, lastName = null } = names ?? {};
  return firstName === null && lastName === null ? null : { firstName, lastName };
}

/**
 * Changes the beneficiary of a line, in every live state. The ticket of a confirmed order follows.
 * `controlled`: the tickets that the tickets service says are controlled. Refused: `unknown_line`, `wrong_state`,
 * `ticket_controlled`.
 */
export function nameLine<O extends Order>(
  order: O,
  { lineId, beneficiary }: { readonly lineId: string; readonly beneficiary: (line: Line) => Beneficiary | null },
  controlled: readonly string[],
  now: number,
): Decision<O> {
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line) return refuse('unknown_line');
  const wanted = beneficiary(line);
  const refused = checkDecidable(order, live, 'changed in its beneficiaries', now);
  if (refused) return refused;
  if (isSame(line.beneficiary, wanted)) return accept(order);
  if (isControlled(order, line, controlled))
    return refuse('ticket_controlled', 'The ticket of the line is controlled, so its beneficiary stays.');
  const isConfirmed = order.state === 'confirmed';
  const lines = order.lines.map((other) =>
    other.id === lineId ? renameBeneficiary(line, wanted, isConfirmed) : other,
  );
  return accept(markModified({ ...order, lines }, now));
}

const isSame = (one: Beneficiary | null | undefined, other: Beneficiary | null): boolean =>
  (one?.firstName ?? null) === (other?.firstName ?? null) && (one?.lastName ?? null) === (other?.lastName ?? null);

/** Of the line's ticket. `known`: those that the tickets service says are controlled. */
export function isControlled(
  { ticketNotes }: Pick<Order, 'ticketNotes'>,
  { ticketId }: Pick<Line, 'ticketId'>,
  known: readonly string[] = [],
): boolean {
  if (ticketId === null) return false;
  return known.includes(ticketId) || ticketNotes.some((note) => note.ticketId === ticketId && note.controlled);
}

/** A confirmed order counts changes, so that its ticket follows each once. */
const renameBeneficiary = (line: Line, beneficiary: Beneficiary | null, isConfirmed: boolean): Line => ({
  ...line,
  beneficiary,
  ...(isConfirmed ? { beneficiaryAsOf: (line.beneficiaryAsOf ?? 0) + 1 } : {}),
});
