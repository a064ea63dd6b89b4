// Each scan counts for itself, with one effect and one answer per nonce.

import { Fault } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import { createId, deriveId } from '@boxoffice/runtime';
import { computeSalesBounds } from '@boxoffice/service';
import { runForEach } from '@boxoffice/store';
import { type Collections, type InstitutionContext, readTimestamp } from '../context.ts';
import { admit, findTimeProblem, type Scan } from '../domain/control.ts';
import type { Ticket } from '../domain/ticket.ts';
import { createTicketControlledFact } from '../events.ts';
import { NONCE_MS, type TicketDocument } from '../store.ts';
import { findTicketsByIds } from '../tickets/lineage.ts';
import { requireAllowed } from '../tickets/tickets.ts';
import { findAdmittance } from './admittance.ts';
import { type Attempt, claimNonces, computeNonceStart } from './claims.ts';
import {
  createAdmittedScan,
  createRefusedScan,
  findScanProblem,
  getScanTicketId,
  type NewScan,
  type RequestedScan,
  recordScans,
} from './scans.ts';
import { faultOfScan, parseNonce } from './schemas.ts';

/** Tickets that are controlled concurrently. */
const WIDTH = 32;

interface Item extends Pick<Attempt, 'scan' | 'ids'> {
  readonly requested: RequestedScan;
  /** Why what was sent is no scan. */
  readonly fault: Fault | undefined;
}

type Tickets = ReadonlyMap<string, TicketDocument>;

/** What is no scan is refused for itself. A nonce that was sent within 30 days, or twice, gets its first scan. */
export async function controlMany(
  context: InstitutionContext,
  caller: Pick<Caller, 'institution' | 'client' | 'user' | 'bounds'>,
  sent: readonly unknown[],
): Promise<NewScan[]> {
  const now = context.now();
  const all = toItems(caller, sent, now);
  const first = [...new Map(all.toReversed().map((item) => [getKey(item.scan), item])).values()].toReversed();
  const answers = new Map<string, NewScan>(await findRecorded(context.collections, first, now));
  const fresh = first.filter(({ scan }) => !answers.has(getKey(scan)));
  for (const scan of await controlFresh(context, fresh)) answers.set(getKey(scan), scan);
  return all.flatMap(({ scan }) => answers.get(getKey(scan)) ?? []);
}

/** A scan's id follows from sender, nonce and period, so a scan that is sent again is found by it. */
const toItems = (
  caller: Pick<Caller, 'institution' | 'client' | 'user' | 'bounds'>,
  sent: readonly unknown[],
  now: number,
): Item[] => {
  const { institution, client, user } = caller;
  // Under other bounds a scan is another one: the recorded answer may show what is out of bounds now.
  const sender = [institution, client ?? '', user?.id ?? '', JSON.stringify(computeSalesBounds(caller))];
  const period = Math.floor(now / NONCE_MS);
  const receivedAt = new Date(now).toISOString();
  return sent.map((one) => {
    const [fault, nonce] = [faultOfScan(one), parseNonce(one)];
    const requested = fault ? {} : (one as RequestedScan);
    const { gate = null, at = receivedAt, offline = false } = requested;
    const idIn = (periods: number) =>
      nonce === null ? createId('scn', now) : deriveId('scn', ...sender, nonce, String(periods));
    const id = idIn(period);
    return { requested, fault, ids: [id, idIn(period - 1)], scan: { id, nonce, gate, at, offline, receivedAt } };
  });
};

/** A scan without a nonce equals no other. */
const getKey = ({ nonce, id }: Pick<Scan, 'nonce' | 'id'>): string => nonce ?? id;

const findRecorded = async ({ scans }: Collections, items: readonly Item[], now: number) => {
  const found = await scans.find({ where: { id: { in: items.flatMap(({ ids }) => ids) } } });
  const since = computeNonceStart(now);
  return new Map(found.filter(({ receivedAt }) => receivedAt > since).map((scan) => [getKey(scan), scan]));
};

const controlFresh = async (context: InstitutionContext, items: readonly Item[]): Promise<NewScan[]> => {
  const { collections } = context;
  const now = context.now();
  const tickets = await findTicketsByIds(collections, [
    ...new Set(items.map(({ requested }) => getScanTicketId(requested))),
  ]);
  const attempts = await claimNonces(
    collections,
    items.map((item) => toAttempt(item, tickets.get(getScanTicketId(item.requested)), now)),
    now,
  );
  const made = await controlEach(context, attempts, tickets);
  const ids = new Set(attempts.flatMap((attempt) => attempt.ids));
  // Displaced scans first: a scan that is recorded has no work left.
  await recordScans(
    collections,
    made.filter(({ id }) => !ids.has(id)),
  );
  const own = made.filter(({ id }) => ids.has(id));
  return [...(await recordScans(collections, own)).values()];
};

/** A scan that cannot have happened then does not use its nonce: it has an id of its own. */
const toAttempt = ({ scan, ids, fault, requested }: Item, ticket: Ticket | undefined, now: number): Attempt => {
  const refusal = (fault ?? findScanProblem(ticket, requested))?.code ?? null;
  const isFound = refusal !== 'not_found' && refusal !== 'ticket_unknown_barcode';
  const found = isFound ? ticket : undefined;
  const meant = { ticketId: found?.id ?? null, performanceId: requested.performanceId ?? null };
  if (fault || findTimeProblem(scan, new Date(now).toISOString(), found) === undefined)
    return { scan, ids, ...meant, refusal, usesNonce: scan.nonce !== null };
  const id = createId('scn', now);
  return { scan: { ...scan, id }, ids: [id, id], ...meant, refusal: 'validation_error', usesNonce: false };
};

/** Controls scans of one ticket one after the other; resolves to the scans to record. */
const controlEach = async (context: InstitutionContext, attempts: readonly Attempt[], known: Tickets) => {
  const missing = attempts.flatMap(({ ticketId }) => (ticketId === null || known.has(ticketId) ? [] : [ticketId]));
  const claimed: Tickets = missing.length > 0 ? await findTicketsByIds(context.collections, missing) : new Map();
  const byTicket = [...Map.groupBy(attempts, ({ ticketId }) => ticketId ?? '')];
  const made: NewScan[] = [];
  const run = async ([id, same]: readonly [string, readonly Attempt[]]) => {
    const ticket = known.get(id) ?? claimed.get(id);
    for (const attempt of same.toSorted(compareScans)) made.push(...(await controlWith(context, ticket, attempt)));
  };
  await runForEach(byTicket.values(), WIDTH, run);
  return made;
};

/** Offline scans come first, the earliest before the others: they happened already. */
const compareScans = ({ scan: one }: Attempt, { scan: other }: Attempt): number => {
  if (!one.offline || !other.offline) return Number(other.offline) - Number(one.offline);
  return Date.parse(one.at) - Date.parse(other.at);
};

/** Resolves to this scan and those that it displaces. */
const controlWith = async (
  context: InstitutionContext,
  known: TicketDocument | undefined,
  { scan, ids, refusal, performanceId }: Attempt,
): Promise<NewScan[]> => {
  if (refusal !== null || !known) return [createRefusedScan(scan, refusal ?? 'not_found', known, performanceId)];
  const since = computeNonceStart(context.now());
  const admissionIn = ({ admissions = [] }: Ticket) =>
    admissions.find(({ scanId, receivedAt }) => ids.includes(scanId) && receivedAt > since);
  const admittance = await findAdmittance(context.collections, known);
  let seen: Ticket = known;
  try {
    const written = await context.collections.tickets.update(known.id, (ticket) => {
      seen = ticket;
      if (admissionIn(ticket)) return undefined;
      const next = requireAllowed(admit(ticket, scan, readTimestamp(context), admittance));
      return { next, events: [createTicketControlledFact(next)] };
    });
    const own = written && admissionIn(written);
    if (!own) return [createRefusedScan(scan, 'not_found', undefined, performanceId)];
    const displaced = written.admissions?.filter((one) => one.displaced && one !== own) ?? [];
    return [own, ...displaced].map((one) => createAdmittedScan(written, one));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [createRefusedScan(scan, error.code, seen, performanceId)];
  }
};
