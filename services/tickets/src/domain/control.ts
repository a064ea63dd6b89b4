// Rules of the door without any I/O: which scan admits the holder of a ticket.

import { type Admission, type Decision, type Entries, refuseStatus, type Ticket } from './ticket.ts';

/** How far a scanner's clock may be off, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** How long ago a scan may have happened, in milliseconds. */
const MAX_AGE_MS = 7 * 86_400_000;

/** Scans that a ticket keeps. Older ones have their documents long since. */
const MAX_ADMISSIONS = 20;

/** What a scanner read, and when; instants are ISO 8601 UTC. */
export interface Scan {
  readonly id: string;
  readonly nonce: string | null;
  readonly gate: string | null;
  /** When it happened, by the scanner's clock if it says so. */
  readonly at: string;
  /** The scanner decided alone: whoever it admitted is inside. */
  readonly offline: boolean;
  readonly receivedAt: string;
}

/** How a ticket admits more than once. Instants are ISO 8601 UTC; null: open. */
export interface Admittance {
  readonly entries: Entries;
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  /** The local day of an instant at the venue, such as `2027-03-14`. */
  dayOf(instant: string): string;
}

const CANCELLED = {
  refused: 'order_cancelled',
  details: 'The order was cancelled after the control: the ticket stays controlled.',
} as const;

/**
 * Why no scan of this ticket can have happened then; undefined if one can. Without a ticket only by the clock. Instants
 * are ISO 8601 UTC.
 */
export function findTimeProblem(
  { at }: Pick<Scan, 'at'>,
  now: string,
  ticket?: Pick<Ticket, 'createdAt'>,
): string | undefined {
  const [time, clock] = [Date.parse(at), Date.parse(now)];
  if (time > clock + CLOCK_TOLERANCE_MS) return `$.at: ${at} is in the future`;
  if (time < clock - MAX_AGE_MS) return `$.at: ${at} is more than 7 days ago`;
  const issuedAt = ticket?.createdAt;
  if (issuedAt === undefined || time >= Date.parse(issuedAt) - CLOCK_TOLERANCE_MS) return undefined;
  return `$.at: ${at} is before the ticket was issued (${issuedAt})`;
}

/** {@link admit}, with a scan whose time may be wrong. */
export function control<T extends Ticket>(
  ticket: T,
  scan: Scan,
  now: string,
  admittance?: Admittance | undefined,
): Decision<T> {
  const details = findTimeProblem(scan, now, ticket);
  return details === undefined ? admit(ticket, scan, now, admittance) : { refused: 'wrong_time', details };
}

/**
 * printed → controlled, once, or as often as `admittance` says. An offline scan happened already: where it was earlier
 * than the present control, or than that of its day, it is the control from now on.
 */
export function admit<T extends Ticket>(
  ticket: T,
  scan: Scan,
  now: string,
  admittance?: Admittance | undefined,
): Decision<T> {
  if (admittance) return admitAgain(ticket, scan, now, admittance);
  const { at, gate } = scan;
  const isFirst = scan.offline && isEarlier(at, ticket.controlledAt);
  if (ticket.status === 'controlled' && !isFirst) return repeated(ticket.controlledAt, ticket.gate);
  if (ticket.status !== 'printed' && ticket.status !== 'controlled') return refuseStatus(ticket);
  const { admissions: known = [] } = ticket;
  const admissions = withAdmission(known, scan, ticket.status === 'controlled' ? known.at(-1) : undefined);
  return { next: { ...ticket, status: 'controlled', controlledAt: at, gate, admissions, updatedAt: now } };
}

const isEarlier = (one: string, other: string | null): boolean => other !== null && Date.parse(one) < Date.parse(other);

const isLive = ({ displaced, reverted }: Admission): boolean => !displaced && !reverted;

const repeated = (at: string | null, gate: string | null) => {
  const where = gate === null ? '' : ` at gate ${gate}`;
  return { refused: 'already_controlled', details: `The ticket was controlled at ${at}${where}.` } as const;
};

/** The admissions after a new one, which displaces another of them, if that is given. */
const withAdmission = (
  admissions: readonly Admission[],
  { id, ...scan }: Scan,
  displaced: Admission | undefined,
): readonly Admission[] => {
  const before = admissions.map((one) => (one === displaced ? { ...one, displaced: true as const } : one));
  return [...before, { scanId: id, ...scan }].slice(-MAX_ADMISSIONS);
};

/** The latest of the entries that count; undefined if there is none. */
const latestOf = (admissions: readonly Admission[]): Admission | undefined =>
  admissions
    .filter(isLive)
    .reduce<Admission | undefined>((last, one) => (isEarlier(one.at, last?.at ?? null) ? last : one), undefined);

const admitAgain = <T extends Ticket>(ticket: T, scan: Scan, now: string, admittance: Admittance): Decision<T> => {
  if (ticket.kept) return CANCELLED;
  if (ticket.status !== 'printed' && ticket.status !== 'controlled') return refuseStatus(ticket);
  const { entries, validFrom, validUntil, dayOf } = admittance;
  const day = dayOf(scan.at);
  const isOver = validUntil !== null && !isEarlier(scan.at, validUntil);
  if (isOver || (validFrom !== null && day < dayOf(validFrom)))
    return {
      refused: 'not_valid',
      details: `The ticket is valid from ${validFrom ?? 'its sale'} until ${validUntil}.`,
    };
  const { admissions: known = [] } = ticket;
  const sameDay = entries === 'daily' ? known.find((one) => isLive(one) && dayOf(one.at) === day) : undefined;
  if (sameDay && !(scan.offline && isEarlier(scan.at, sameDay.at))) return repeated(sameDay.at, sameDay.gate);
  const admissions = withAdmission(known, scan, sameDay);
  const { at, gate } = latestOf(admissions) ?? scan;
  return { next: { ...ticket, status: 'controlled', controlledAt: at, gate, admissions, updatedAt: now } };
};

/** controlled → printed. Of a ticket that admits more than once only its last entry: the one before is its control. */
export function revert<T extends Ticket>(ticket: T, now: string): Decision<T> {
  if (ticket.status !== 'controlled') return refuseStatus(ticket);
  if (ticket.kept) return CANCELLED;
  const { admissions = [], about } = ticket;
  const last = about?.entries === undefined ? undefined : latestOf(admissions);
  const left = admissions.map((one) => (one === last ? { ...one, reverted: true as const } : one));
  const before = last && latestOf(left);
  const present = before
    ? { controlledAt: before.at, gate: before.gate }
    : { status: 'printed' as const, controlledAt: null, gate: null };
  return { next: { ...ticket, ...present, ...(last && { admissions: left }), updatedAt: now } };
}
