// Rules of the beneficiary of a ticket without any I/O: set by the order, changed, compared and erased.

import { type Beneficiary, countUnseen, type Decision, refuseStatus, replace, type Ticket } from './ticket.ts';

/** A beneficiary; null without any name. */
export function named({ firstName = null, lastName = null }: Partial<Beneficiary>): Beneficiary | null {
  return firstName === null && lastName === null ? null : { firstName, lastName };
}

/** Whether this is the ticket's beneficiary. */
export function isNamed(ticket: Ticket, beneficiary: Beneficiary | null): boolean {
  return sameName(ticket.beneficiary, beneficiary);
}

const sameName = (one: Beneficiary | null, other: Beneficiary | null): boolean =>
  (one?.firstName ?? null) === (other?.firstName ?? null) && (one?.lastName ?? null) === (other?.lastName ?? null);

/** Whether this ticket was replaced by one with that beneficiary, so that the request is a repeat. */
export function isReplacedFor({ successor }: Ticket, beneficiary: Beneficiary | null): boolean {
  return successor !== undefined && sameName(successor.beneficiary, beneficiary);
}

/**
 * Changes the beneficiary: in place, or by a replacement if the ticket is printed. `asNew`: id and barcode of the new
 * ticket.
 */
export function rename<T extends Ticket>(
  ticket: T,
  beneficiary: Beneficiary | null,
  asNew: { readonly id: string; readonly barcode: string },
  now: string,
): Decision<T> {
  if (ticket.status !== 'not_printed' && ticket.status !== 'printed') return refuseStatus(ticket);
  if (sameName(ticket.beneficiary, beneficiary)) return { next: ticket };
  if (ticket.status === 'not_printed') return { next: { ...ticket, beneficiary, named: true, updatedAt: now } };
  return replace(ticket, asNew.id, { barcode: asNew.barcode, beneficiary, at: now });
}

/**
 * Sets the beneficiary of the order on a ticket that was issued by the event, before the direct call. Never
 * overwrites a beneficiary set since. Changes also a printed ticket in place: the name is not a change by the buyer.
 */
export function setBeneficiary<T extends Ticket>(ticket: T, beneficiary: Beneficiary | null, now: string): T {
  if (ticket.named || ticket.status === 'invalidated' || ticket.status === 'cancelled') return ticket;
  if (beneficiary === null || ticket.beneficiary !== null) return { ...ticket, named: true, ...countUnseen(ticket) };
  return { ...ticket, beneficiary, named: true, updatedAt: now };
}

/**
 * Follows a change of the beneficiary at the order: its `asOf`-th one. A later change, also one at the ticket after it,
 * is never undone; a ticket that can have no other name stays as it is.
 */
export function follow<T extends Ticket>(
  ticket: T,
  { beneficiary, asOf }: { readonly beneficiary: Beneficiary | null; readonly asOf: number },
  asNew: { readonly id: string; readonly barcode: string },
  now: string,
): T {
  if ((ticket.namedAsOf ?? 0) >= asOf) return ticket;
  const decision = rename(ticket, beneficiary, asNew, now);
  if (!('next' in decision)) return ticket;
  return decision.next === ticket
    ? { ...ticket, named: true, namedAsOf: asOf, ...countUnseen(ticket) }
    : { ...decision.next, named: true, namedAsOf: asOf };
}

/** The ticket without the beneficiary and without the reason of a replacement, which may contain names. */
export function eraseNames<T extends Ticket>(ticket: T, now: string): T {
  const { beneficiary, successor } = ticket;
  const { reason, ...rest } = successor ?? {};
  if (beneficiary === null && !successor?.beneficiary && reason === undefined) return ticket;
  const shown = beneficiary === null ? countUnseen(ticket) : { updatedAt: now };
  return {
    ...ticket,
    beneficiary: null,
    named: true,
    namesErasedAt: now,
    ...(successor && { successor: { ...rest, beneficiary: null } }),
    ...shown,
  };
}
