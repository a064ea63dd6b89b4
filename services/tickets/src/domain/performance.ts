import type { SaleDescription, Ticket } from './ticket.ts';

export interface Whereabouts {
  /** ISO 8601 UTC. */
  readonly startDate: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly venue: SaleDescription['venue'];
}

/** Stored only for a performance that has moved after the begin of its sale. */
export interface MovedPerformance extends Whereabouts {
  /** The version that this is known from. */
  readonly asOf: number;
  /** The version with which it last moved. */
  readonly movedAsOf: number;
}

/** Undefined if this version or a later one is known. */
export function movePerformance<P extends MovedPerformance>(known: P, to: Whereabouts, version: number): P | undefined {
  return version <= known.asOf
    ? undefined
    : { ...known, ...to, asOf: version, movedAsOf: isSame(known, to) ? known.movedAsOf : version };
}

const isSame = (one: Whereabouts, other: Whereabouts): boolean =>
  one.startDate === other.startDate &&
  one.timeZone === other.timeZone &&
  one.venue.name === other.venue.name &&
  one.venue.city === other.venue.city;

/** `moved` is undefined if time and place are those of the sale. */
export function applyMove<T extends Ticket>(ticket: T, moved: Whereabouts | undefined): T {
  if (!moved) return ticket;
  const { startDate, timeZone, venue } = moved;
  return { ...ticket, startDate, ...(ticket.about && { about: { ...ticket.about, timeZone, venue } }) };
}

/** A moved ticket's paper is outdated; the same object if it was changed for this move before. */
export function markOutdated<T extends Ticket>(ticket: T, { movedAsOf }: MovedPerformance, now: string): T {
  return ticket.status !== 'printed' || (ticket.movedAsOf ?? 0) >= movedAsOf
    ? ticket
    : { ...ticket, movedAsOf, updatedAt: now };
}
