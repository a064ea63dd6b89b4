import { type Beneficiary, countInvisibleWrite, type Decision, refuseStatus, replace, type Ticket } from './ticket.ts';

/** Null without any name. */
export function toBeneficiary({ firstName = null, lastName = null }: Partial<Beneficiary>): Beneficiary | null {
  return firstName === null && lastName === null ? null : { firstName, lastName };
}

export function isNamed(ticket: Ticket, beneficiary: Beneficiary | null): boolean {
  return isSameName(ticket.beneficiary, beneficiary);
}

const isSameName = (one: Beneficiary | null, other: Beneficiary | null): boolean =>
  (one?.firstName ?? null) === (other?.firstName ?? null) && (one?.lastName ?? null) === (other?.lastName ?? null);

/** True for a repeat of the request. */
export function isReplacedFor({ successor }: Ticket, beneficiary: Beneficiary | null): boolean {
  return successor !== undefined && isSameName(successor.beneficiary, beneficiary);
}

/** Changes the ticket in place, or replaces it if it is printed. `asNew`: id and barcode of the new ticket. */
export function rename<T extends Ticket>(
  ticket: T,
  beneficiary: Beneficiary | null,
  asNew: { readonly id: string; readonly barcode: string },
  now: string,
): Decision<T> {
  if (ticket.status !== 'not_printed' && ticket.status !== 'printed') return refuseStatus(ticket);
  if (isSameName(ticket.beneficiary, beneficiary)) return { next: ticket };
  if (ticket.status === 'not_printed') return { next: { ...ticket, beneficiary, named: true, updatedAt: now } };
  return replace(ticket, asNew.id, { barcode: asNew.barcode, beneficiary, at: now });
}

/**
 * Names a ticket that was issued by the event, before the direct call; also a printed one, since the buyer has changed
 * nothing. Never overwrites a beneficiary set since.
 */
export function setBeneficiary<T extends Ticket>(ticket: T, beneficiary: Beneficiary | null, now: string): T {
  if (ticket.named || ticket.status === 'invalidated' || ticket.status === 'cancelled') return ticket;
  if (beneficiary === null || ticket.beneficiary !== null)
    return { ...ticket, named: true, ...countInvisibleWrite(ticket) };
  return { ...ticket, beneficiary, named: true, updatedAt: now };
}

/**
 * Follows the `asOf`-th change at the order. A later one, also at the ticket, is never undone; a ticket that can have
 * no other name stays as it is.
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
    ? { ...ticket, named: true, namedAsOf: asOf, ...countInvisibleWrite(ticket) }
    : { ...decision.next, named: true, namedAsOf: asOf };
}

/** Erases also the reason of a replacement, which may contain names. */
export function eraseNames<T extends Ticket>(ticket: T, now: string): T {
  const { beneficiary, successor } = ticket;
  const { reason, ...rest } = successor ?? {};
  if (beneficiary === null && !successor?.beneficiary && reason === undefined) return ticket;
  const shown = beneficiary === null ? countInvisibleWrite(ticket) : { updatedAt: now };
  return {
    ...ticket,
    beneficiary: null,
    named: true,
    namesErasedAt: now,
    ...(successor && { successor: { ...rest, beneficiary: null } }),
    ...shown,
  };
}
