import { type Admission, type Decision, type Entries, type Refusal, refuseStatus, type Ticket } from './ticket.ts';

/** Milliseconds that a scanner's clock may be off. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Milliseconds ago that a scan may have happened. */
const MAX_AGE_MS = 7 * 86_400_000;

/** Older admissions have their documents long since. */
const MAX_ADMISSIONS = 20;

/** Instants are ISO 8601 UTC. */
export interface Scan {
  readonly id: string;
  readonly nonce: string | null;
  readonly gate: string | null;
  /** By the scanner's clock if the scanner says so. */
  readonly at: string;
  /** The scanner decided alone: whoever it admitted is inside. */
  readonly offline: boolean;
  readonly receivedAt: string;
}

/** Instants are ISO 8601 UTC; null: open. */
export interface Admittance {
  readonly entries: Entries;
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  /** A day at the venue, such as `2027-03-14`. */
  dayOf(instant: string): string;
}

const refuseKept = ({ leftBy }: Ticket): Refusal =>
  leftBy === undefined
    ? { refused: 'order_cancelled', details: 'The order was cancelled after the control: the ticket stays controlled.' }
    : { refused: 'cancelled', details: 'Its line left the order after the control: the ticket stays controlled.' };

/** Undefined if a scan can have happened then. Without a ticket only by the clock. Instants are ISO 8601 UTC. */
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

/** Controls by a scan whose time may be wrong. */
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
 * printed → controlled, once, or as often as `admittance` says. An offline scan that was earlier than the present
 * control, or than that of its day, is the control from now on.
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
  if (ticket.status === 'controlled' && !isFirst) return describeRepeat(ticket.controlledAt, ticket.gate);
  if (ticket.status !== 'printed' && ticket.status !== 'controlled') return refuseStatus(ticket);
  const { admissions: known = [] } = ticket;
  const admissions = addAdmission(known, scan, ticket.status === 'controlled' ? known.at(-1) : undefined);
  return { next: { ...ticket, status: 'controlled', controlledAt: at, gate, admissions, updatedAt: now } };
}

const isEarlier = (one: string, other: string | null): boolean => other !== null && Date.parse(one) < Date.parse(other);

const isLive = ({ displaced, reverted }: Admission): boolean => !displaced && !reverted;

const describeRepeat = (at: string | null, gate: string | null) => {
  const where = gate === null ? '' : ` at gate ${gate}`;
  return { refused: 'already_controlled', details: `The ticket was controlled at ${at}${where}.` } as const;
};

/** `displaced`: the admission that the new one displaces. */
const addAdmission = (
  admissions: readonly Admission[],
  { id, ...scan }: Scan,
  displaced: Admission | undefined,
): readonly Admission[] => {
  const before = admissions.map((one) => (one === displaced ? { ...one, displaced: true as const } : one));
  return [...before, { scanId: id, ...scan }].slice(-MAX_ADMISSIONS);
};

/** Considers only entries that count. */
const findLatest = (admissions: readonly Admission[]): Admission | undefined =>
  admissions
    .filter(isLive)
    .reduce<Admission | undefined>((last, one) => (isEarlier(one.at, last?.at ?? null) ? last : one), undefined);

const admitAgain = <T extends Ticket>(ticket: T, scan: Scan, now: string, admittance: Admittance): Decision<T> => {
  if (ticket.kept) return refuseKept(ticket);
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
  if (sameDay && !(scan.offline && isEarlier(scan.at, sameDay.at))) return describeRepeat(sameDay.at, sameDay.gate);
  const admissions = addAdmission(known, scan, sameDay);
  const { at, gate } = findLatest(admissions) ?? scan;
  return { next: { ...ticket, status: 'controlled', controlledAt: at, gate, admissions, updatedAt: now } };
};

/** controlled → printed; of a ticket that admits more than once the entry before becomes its control. */
export function revert<T extends Ticket>(ticket: T, now: string): Decision<T> {
  if (ticket.status !== 'controlled') return refuseStatus(ticket);
  if (ticket.kept) return refuseKept(ticket);
  const { admissions = [], about } = ticket;
  const last = about?.entries === undefined ? undefined : findLatest(admissions);
  const left = admissions.map((one) => (one === last ? { ...one, reverted: true as const } : one));
  const before = last && findLatest(left);
  const present = before
    ? { controlledAt: before.at, gate: before.gate }
    : { status: 'printed' as const, controlledAt: null, gate: null };
  return { next: { ...ticket, ...present, ...(last && { admissions: left }), updatedAt: now } };
}
