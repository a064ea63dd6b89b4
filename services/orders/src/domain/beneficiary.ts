import { accept, type Decision, refuse } from './order/decision.ts';
import type { Beneficiary, Line, Order, State } from './order/order.ts';
import { touched, unfit } from './order/state.ts';

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
