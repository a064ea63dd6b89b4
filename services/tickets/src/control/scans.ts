// The record of scans says what each was answered, and whether that is still true.

import { type Code, Fault, registry } from '@boxoffice/envelope';
import { createId, deriveId } from '@boxoffice/runtime';
import type { New } from '@boxoffice/store';
import { extractBarcode, readTicketId } from '../barcode/barcode.ts';
import { type Collections, type InstitutionContext, readTimestamp } from '../context.ts';
import type { Scan } from '../domain/control.ts';
import type { Admission, Ticket } from '../domain/ticket.ts';
import type { ScanAnswer, ScanDocument } from '../store.ts';

export type NewScan = New<ScanDocument>;

const REPEATED = registry.ticket_already_controlled.status;

/** Any process makes the same scan from the ticket. */
export function createAdmittedScan(ticket: Ticket, { scanId, displaced, reverted: _, ...scan }: Admission): NewScan {
  const answered: ScanAnswer = { result: 'admitted', reason: null, control: { at: scan.at, gate: scan.gate } };
  const now: ScanAnswer = { result: 'repeated', reason: REPEATED, control: getControl(ticket) };
  return {
    id: scanId,
    ...scan,
    ...toTicketMembers(ticket),
    performanceId: ticket.performanceId,
    ...(displaced ? { ...now, answered } : answered),
  };
}

const getControl = ({ status, controlledAt, gate }: Ticket): ScanAnswer['control'] =>
  status === 'controlled' && controlledAt !== null ? { at: controlledAt, gate } : null;

const toTicketMembers = (ticket: Ticket | undefined) => ({
  ticketId: ticket?.id ?? null,
  place: ticket?.place ?? null,
  ...(ticket?.about && { seatCategory: ticket.about.seatCategory }),
  pointOfSale: ticket?.pointOfSale ?? null,
  ...(ticket?.createdBy && { createdBy: ticket.createdBy }),
});

/** `atDoor`: the performance at the door, if the scanner names it. */
export function createRefusedScan(scan: Scan, code: Code, meant: Ticket | undefined, atDoor?: string | null): NewScan {
  // A forged barcode may mean a ticket that has another one.
  const ticket = code === 'not_found' || code === 'ticket_unknown_barcode' ? undefined : meant;
  const performanceId = atDoor ?? ticket?.performanceId;
  const reason = registry[code].status;
  return {
    ...scan,
    result: reason === REPEATED ? 'repeated' : 'refused',
    reason,
    control: ticket ? getControl(ticket) : null,
    ...toTicketMembers(ticket),
    performanceId: performanceId ?? null,
    ...(ticket && ticket.performanceId !== performanceId ? { otherPerformanceId: ticket.performanceId } : {}),
  };
}

/** Records each once: one write, unless some are recorded already. Resolves to the recorded scans by id. */
export async function recordScans(
  { scans }: Pick<Collections, 'scans'>,
  made: readonly NewScan[],
): Promise<ReadonlyMap<string, NewScan>> {
  const recorded = new Map(made.map((scan) => [scan.id, scan]));
  if (recorded.size === 0 || (await scans.insertMany([...recorded.values()])) === recorded.size) return recorded;
  for (const stored of await scans.find({ where: { id: { in: [...recorded.keys()] } } })) {
    const scan = recorded.get(stored.id);
    if (!scan || !isOutdated(stored, scan)) recorded.set(stored.id, stored);
    else await scans.update(stored.id, (found) => (isOutdated(found, scan) ? { next: scan } : undefined));
  }
  return recorded;
}

/** The ticket decides who was admitted. */
const isOutdated = (stored: NewScan, scan: NewScan): boolean =>
  scan.answered !== undefined ? stored.answered === undefined : scan.result === 'admitted' && !wasAdmitted(stored);

const wasAdmitted = ({ result, answered }: NewScan): boolean => (answered?.result ?? result) === 'admitted';

/** Several attempts with an idempotency key on one day are the same scan. */
export function toScan(
  context: Pick<InstitutionContext, 'now'>,
  { gate, at }: { readonly gate?: string | undefined; readonly at?: string | undefined },
  key?: string,
): Scan {
  const receivedAt = readTimestamp(context);
  const id = key === undefined ? createId('scn', context.now()) : deriveId('scn', key, receivedAt.slice(0, 10));
  return { id, nonce: null, gate: gate ?? null, at: at ?? receivedAt, offline: false, receivedAt };
}

/** Records admitted and refused ones. `find`: the ticket of a refused one. */
export async function runAndRecordScan<T extends Ticket>(
  collections: Collections,
  scan: Scan,
  performanceId: string | undefined,
  run: () => Promise<T>,
  find: () => Promise<T | undefined>,
): Promise<T> {
  try {
    const ticket = await run();
    const admission = ticket.admissions?.find(({ scanId }) => scanId === scan.id);
    if (admission) await recordScans(collections, [createAdmittedScan(ticket, admission)]);
    return ticket;
  } catch (error) {
    if (error instanceof Fault)
      await recordScans(collections, [createRefusedScan(scan, error.code, await find(), performanceId)]);
    throw error;
  }
}

/** Names a ticket by what was read or by its id. */
export interface RequestedScan {
  readonly barcode?: string | undefined;
  readonly ticketId?: string | undefined;
  readonly performanceId?: string | undefined;
  readonly gate?: string | undefined;
  readonly at?: string | undefined;
  readonly offline?: boolean | undefined;
}

/** A scan that means no ticket has an unknown id. */
export function getScanTicketId({ barcode, ticketId }: RequestedScan): string {
  return barcode === undefined ? (ticketId ?? '') : (readTicketId(extractBarcode(barcode)) ?? '');
}

/** Checks what never changes. */
export function findScanProblem(ticket: Ticket | undefined, requested: RequestedScan): Fault | undefined {
  const { barcode, performanceId } = requested;
  if (!ticket || (barcode !== undefined && extractBarcode(barcode) !== ticket.barcode))
    return createUnknownTicketFault(requested);
  return performanceId === undefined || performanceId === ticket.performanceId
    ? undefined
    : new Fault('ticket_other_performance', `The ticket is for the performance ${ticket.performanceId}.`);
}

const createUnknownTicketFault = ({ barcode }: RequestedScan): Fault =>
  barcode === undefined
    ? new Fault('not_found', 'There is no ticket with this id.')
    : new Fault('ticket_unknown_barcode', 'No ticket of this institution has this barcode.');
