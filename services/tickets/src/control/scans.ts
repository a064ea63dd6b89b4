// The record of scans: what each was answered, and whether that is still true.

import { Fault, registry } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import { derivedId, newId } from '@boxoffice/runtime';
import { salesBoundsOf } from '@boxoffice/service';
import type { New } from '@boxoffice/store';
import { scannedText, ticketNamedBy } from '../barcode/barcode.ts';
import { type Collections, type InstitutionContext, timestampOf } from '../context.ts';
import { control, type Scan } from '../domain/control.ts';
import type { Admission, Ticket } from '../domain/ticket.ts';
import { ticketControlled } from '../events.ts';
import type { ScanAnswer, ScanDocument, TicketDocument } from '../store.ts';
import { ticketsWithIds } from '../tickets/lineage.ts';
import { allowed } from '../tickets/tickets.ts';
import { faultOfScan, nonceOf } from './schemas.ts';

export type NewScan = New<ScanDocument>;

const REPEATED = registry.ticket_already_controlled.status;

const controlOf = ({ status, controlledAt, gate }: Ticket): ScanAnswer['control'] =>
  status === 'controlled' && controlledAt !== null ? { at: controlledAt, gate } : null;

const ticketMembers = (ticket: Ticket | undefined) => ({
  ticketId: ticket?.id ?? null,
  place: ticket?.place ?? null,
  ...(ticket?.about && { seatCategory: ticket.about.seatCategory }),
  pointOfSale: ticket?.pointOfSale ?? null,
  ...(ticket?.createdBy && { createdBy: ticket.createdBy }),
});

/** The scan that admitted the holder of this ticket, as any process makes it from the ticket. */
const admittedScan = (ticket: Ticket, { scanId, displaced, ...scan }: Admission): NewScan => {
  const answered: ScanAnswer = { result: 'admitted', reason: null, control: { at: scan.at, gate: scan.gate } };
  const now: ScanAnswer = { result: 'repeated', reason: REPEATED, control: controlOf(ticket) };
  return {
    id: scanId,
    ...scan,
    ...ticketMembers(ticket),
    performanceId: ticket.performanceId,
    ...(displaced ? { ...now, answered } : answered),
  };
};

/** A scan that admitted nobody. `atDoor`: the performance at the door, if the scanner names it. */
const refusedScan = (scan: Scan, { code }: Fault, meant: Ticket | undefined, atDoor?: string): NewScan => {
  // A forged barcode may mean a ticket that has another one.
  const ticket = code === 'not_found' || code === 'ticket_unknown_barcode' ? undefined : meant;
  const performanceId = atDoor ?? ticket?.performanceId;
  const reason = registry[code].status;
  return {
    ...scan,
    result: reason === REPEATED ? 'repeated' : 'refused',
    reason,
    control: ticket ? controlOf(ticket) : null,
    ...ticketMembers(ticket),
    performanceId: performanceId ?? null,
    ...(ticket && ticket.performanceId !== performanceId ? { otherPerformanceId: ticket.performanceId } : {}),
  };
};

const wasAdmitted = ({ result, answered }: NewScan): boolean => (answered?.result ?? result) === 'admitted';

/** Whether the record says less than the ticket does: the ticket decides who was admitted. */
const isOutdated = (stored: NewScan, scan: NewScan): boolean =>
  scan.answered !== undefined ? stored.answered === undefined : scan.result === 'admitted' && !wasAdmitted(stored);

/**
 * Records scans, each once: one write, unless some are recorded already. Resolves to them by id, as they are recorded.
 */
const recordScans = async (
  { scans }: Pick<Collections, 'scans'>,
  made: readonly NewScan[],
): Promise<ReadonlyMap<string, NewScan>> => {
  const recorded = new Map(made.map((scan) => [scan.id, scan]));
  if (recorded.size === 0 || (await scans.insertMany([...recorded.values()])) === recorded.size) return recorded;
  for (const stored of await scans.find({ where: { id: { in: [...recorded.keys()] } } })) {
    const scan = recorded.get(stored.id);
    if (!scan || !isOutdated(stored, scan)) recorded.set(stored.id, stored);
    else await scans.update(stored.id, (found) => (isOutdated(found, scan) ? { next: scan } : undefined));
  }
  return recorded;
};

/** A single control as a scan; one of several attempts with an idempotency key, of the same day, is the same scan. */
export const scanOf = (
  context: Pick<InstitutionContext, 'now'>,
  { gate, at }: { readonly gate?: string | undefined; readonly at?: string | undefined },
  key?: string,
): Scan => {
  const receivedAt = timestampOf(context);
  const id = key === undefined ? newId('scn', context.now()) : derivedId('scn', key, receivedAt.slice(0, 10));
  return { id, nonce: null, gate: gate ?? null, at: at ?? receivedAt, offline: false, receivedAt };
};

/** Runs a single control and records its scan, admitted or refused. `find`: the ticket of a refused one. */
export const withScan = async <T extends Ticket>(
  collections: Collections,
  scan: Scan,
  performanceId: string | undefined,
  run: () => Promise<T>,
  find: () => Promise<T | undefined>,
): Promise<T> => {
  try {
    const ticket = await run();
    const admission = ticket.admissions?.find(({ scanId }) => scanId === scan.id);
    if (admission) await recordScans(collections, [admittedScan(ticket, admission)]);
    return ticket;
  } catch (error) {
    if (error instanceof Fault) await recordScans(collections, [refusedScan(scan, error, await find(), performanceId)]);
    throw error;
  }
};

// Controls in a batch: each scan for itself, with one effect and one answer per nonce.

/** How long a nonce has one effect and one answer. */
export const NONCE_MS = 30 * 86_400_000;

/** Tickets that are controlled concurrently. */
const WIDTH = 32;

/** One well-formed scan of a batch, as it is sent, without its nonce. */
interface RequestedScan {
  readonly barcode?: string | undefined;
  readonly ticketId?: string | undefined;
  readonly performanceId?: string | undefined;
  readonly gate?: string | undefined;
  readonly at?: string | undefined;
  readonly offline?: boolean | undefined;
}

interface Item {
  readonly requested: RequestedScan;
  /** Why what was sent is no scan. */
  readonly fault: Fault | undefined;
  readonly scan: Scan;
  /** The id of this scan, and the one that it has if it was sent in the period before. */
  readonly ids: readonly [string, string];
}

/** By what equal scans of a sender are found: their nonce; one without a nonce equals no other. */
const keyOf = ({ nonce, id }: Pick<Scan, 'nonce' | 'id'>): string => nonce ?? id;

/** Makes the items. A scan's id follows from sender, nonce and period, so a scan that is sent again is found by it. */
const itemsOf = (
  caller: Pick<Caller, 'institution' | 'client' | 'user' | 'bounds'>,
  sent: readonly unknown[],
  now: number,
): Item[] => {
  const { institution, client, user } = caller;
  // Under other bounds a scan is another one: the recorded answer may show what is out of bounds now.
  const sender = [institution, client ?? '', user?.id ?? '', JSON.stringify(salesBoundsOf(caller))];
  const period = Math.floor(now / NONCE_MS);
  const receivedAt = new Date(now).toISOString();
  return sent.map((one) => {
    const [fault, nonce] = [faultOfScan(one), nonceOf(one)];
    const requested = fault ? {} : (one as RequestedScan);
    const { gate = null, at = receivedAt, offline = false } = requested;
    const idIn = (periods: number) =>
      nonce === null ? newId('scn', now) : derivedId('scn', ...sender, nonce, String(periods));
    const id = idIn(period);
    return { requested, fault, ids: [id, idIn(period - 1)], scan: { id, nonce, gate, at, offline, receivedAt } };
  });
};

/** Offline scans come first, the earliest before the others: they happened already. */
const inOrder = (one: Item, other: Item): number => {
  if (!one.scan.offline || !other.scan.offline) return Number(other.scan.offline) - Number(one.scan.offline);
  return Date.parse(one.scan.at) - Date.parse(other.scan.at);
};

/** The id of the ticket that a scan means, and the refusal if there is none. */
export const meantBy = ({ barcode, ticketId }: RequestedScan): string =>
  barcode === undefined ? (ticketId ?? '') : (ticketNamedBy(scannedText(barcode)) ?? '');

const unknown = ({ barcode }: RequestedScan): Fault =>
  barcode === undefined
    ? new Fault('not_found', 'There is no ticket with this id.')
    : new Fault('ticket_unknown_barcode', 'No ticket of this institution has this barcode.');

/** Refuses a scan by what never changes. @throws {Fault} */
export const checkTicket = (ticket: Ticket | undefined, requested: RequestedScan): Ticket => {
  const { barcode, performanceId } = requested;
  if (!ticket || (barcode !== undefined && scannedText(barcode) !== ticket.barcode)) throw unknown(requested);
  if (performanceId !== undefined && performanceId !== ticket.performanceId)
    throw new Fault('ticket_other_performance', `The ticket is for the performance ${ticket.performanceId}.`);
  return ticket;
};

/**
 * Controls a ticket with one scan; resolves to the scans to record: this one, and those that it displaces. The ticket's
 * write carries the scan, so that a crash afterwards loses neither the effect nor the answer.
 */
const controlWith = async (
  context: InstitutionContext,
  known: TicketDocument | undefined,
  { requested, fault, scan, ids }: Item,
): Promise<NewScan[]> => {
  if (fault) return [refusedScan(scan, fault, undefined)];
  const since = new Date(context.now() - NONCE_MS).toISOString();
  const admissionIn = ({ admissions = [] }: Ticket) =>
    admissions.find(({ scanId, receivedAt }) => ids.includes(scanId) && receivedAt > since);
  let seen: Ticket | undefined = known;
  try {
    const { id } = checkTicket(known, requested);
    const written = await context.collections.tickets.update(id, (ticket) => {
      seen = ticket;
      if (admissionIn(ticket)) return undefined;
      const next = allowed(control(ticket, scan, timestampOf(context)));
      return { next, events: [ticketControlled(next)] };
    });
    const own = written && admissionIn(written);
    if (!own) throw unknown(requested);
    const displaced = written.admissions?.filter((one) => one.displaced && one !== own) ?? [];
    return [own, ...displaced].map((one) => admittedScan(written, one));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [refusedScan(scan, error, seen, requested.performanceId)];
  }
};

/** The recorded scans of these items, by their keys. */
const recordedOf = async ({ scans }: Collections, items: readonly Item[], now: number) => {
  const found = await scans.find({ where: { id: { in: items.flatMap(({ ids }) => ids) } } });
  const since = new Date(now - NONCE_MS).toISOString();
  return new Map(found.filter(({ receivedAt }) => receivedAt > since).map((scan) => [keyOf(scan), scan]));
};

/** Controls these items; resolves to their recorded scans. */
const controlFresh = async (context: InstitutionContext, items: readonly Item[]) => {
  const { collections } = context;
  const tickets = await ticketsWithIds(collections, [...new Set(items.map(({ requested }) => meantBy(requested)))]);
  const byTicket = [...Map.groupBy(items, ({ requested }) => meantBy(requested))];
  const made: NewScan[] = [];
  const run = async ([id, same]: readonly [string, readonly Item[]]) => {
    for (const item of same.toSorted(inOrder)) made.push(...(await controlWith(context, tickets.get(id), item)));
  };
  for (let start = 0; start < byTicket.length; start += WIDTH)
    await Promise.all(byTicket.slice(start, start + WIDTH).map(run));
  const ids = new Set(items.flatMap((item) => item.ids));
  // Displaced scans first: a scan that is recorded has no work left.
  await recordScans(
    collections,
    made.filter(({ id }) => !ids.has(id)),
  );
  const own = made.filter(({ id }) => ids.has(id));
  return (await recordScans(collections, own)).values();
};

/**
 * Controls tickets with the scans of a batch; resolves to one scan for each, in their order. What is no scan is refused
 * for itself. A nonce that was sent within 30 days, or twice in the batch, gets its first scan.
 */
export const controlMany = async (
  context: InstitutionContext,
  caller: Pick<Caller, 'institution' | 'client' | 'user' | 'bounds'>,
  sent: readonly unknown[],
): Promise<NewScan[]> => {
  const now = context.now();
  const all = itemsOf(caller, sent, now);
  const first = [...new Map(all.toReversed().map((item) => [keyOf(item.scan), item])).values()].toReversed();
  const answers = new Map<string, NewScan>(await recordedOf(context.collections, first, now));
  const fresh = first.filter(({ scan }) => !answers.has(keyOf(scan)));
  for (const scan of await controlFresh(context, fresh)) answers.set(keyOf(scan), scan);
  return all.flatMap(({ scan }) => answers.get(keyOf(scan)) ?? []);
};
