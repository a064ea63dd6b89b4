// Rules of the door without any I/O: which scan admits the holder of a ticket.

import { type Admission, type Decision, type Ticket, wrong } from './ticket.ts';

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

const isEarlier = (one: string, other: string | null): boolean => other !== null && Date.parse(one) < Date.parse(other);

/** The admissions after a new one, which displaces the last if that is the present control. */
const withAdmission = ({ status, admissions = [] }: Ticket, { id, ...scan }: Scan): readonly Admission[] => {
  const before = admissions.map((one, index) =>
    status === 'controlled' && index === admissions.length - 1 ? { ...one, displaced: true as const } : one,
  );
  return [...before, { scanId: id, ...scan }].slice(-MAX_ADMISSIONS);
};

/**
 * Why no scan of this ticket can have happened then; undefined if one can. Without a ticket only by the clock. Instants
 * are ISO 8601 UTC.
 */
export const problemOfTime = (
  { at }: Pick<Scan, 'at'>,
  now: string,
  ticket?: Pick<Ticket, 'createdAt'>,
): string | undefined => {
  const [time, clock] = [Date.parse(at), Date.parse(now)];
  if (time > clock + CLOCK_TOLERANCE_MS) return `$.at: ${at} is in the future`;
  if (time < clock - MAX_AGE_MS) return `$.at: ${at} is more than 7 days ago`;
  const issuedAt = ticket?.createdAt;
  if (issuedAt === undefined || time >= Date.parse(issuedAt) - CLOCK_TOLERANCE_MS) return undefined;
  return `$.at: ${at} is before the ticket was issued (${issuedAt})`;
};

/** {@link admit}, with a scan whose time may be wrong. */
export const control = <T extends Ticket>(ticket: T, scan: Scan, now: string): Decision<T> => {
  const details = problemOfTime(scan, now, ticket);
  return details === undefined ? admit(ticket, scan, now) : { refused: 'wrong_time', details };
};

/**
 * printed → controlled, once. An offline scan happened already: where it was earlier than the present control, it is
 * the control from now on.
 */
export const admit = <T extends Ticket>(ticket: T, scan: Scan, now: string): Decision<T> => {
  const { at, gate } = scan;
  const isFirst = scan.offline && isEarlier(at, ticket.controlledAt);
  if (ticket.status === 'controlled' && !isFirst) {
    const where = ticket.gate === null ? '' : ` at gate ${ticket.gate}`;
    return { refused: 'already_controlled', details: `The ticket was controlled at ${ticket.controlledAt}${where}.` };
  }
  if (ticket.status !== 'printed' && ticket.status !== 'controlled') return wrong(ticket);
  const admissions = withAdmission(ticket, scan);
  return { next: { ...ticket, status: 'controlled', controlledAt: at, gate, admissions, updatedAt: now } };
};

/** controlled → printed. */
export const revert = <T extends Ticket>(ticket: T, now: string): Decision<T> => {
  if (ticket.status !== 'controlled') return wrong(ticket);
  if (ticket.kept) {
    const details = 'The order was cancelled after the control: the ticket stays controlled.';
    return { refused: 'order_cancelled', details };
  }
  return { next: { ...ticket, status: 'printed', controlledAt: null, gate: null, updatedAt: now } };
};
