import type { Code } from '@boxoffice/envelope';
import type { Announced, Retentions } from '@boxoffice/service';
import { collection, type Document, type Documents, type New, UniqueViolation } from '@boxoffice/store';
import type { Scan } from './domain/control.ts';
import type { OrderTickets } from './domain/order.ts';
import type { MovedPerformance } from './domain/performance.ts';
import type { Creator, Place, SaleDescription, Ticket } from './domain/ticket.ts';

export type TicketDocument = Announced & Ticket;
/** The id is the order's. */
export type OrderDocument = Document & OrderTickets;

/** The id is the performance's. */
export type PerformanceDocument = Document & MovedPerformance;

/** The id is the new ticket's. Deleted when both tickets are written. */
interface ReplacementDocument extends Document {
  readonly ticketId: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The id consists of institution and contact number. */
interface ErasedContactDocument extends Document {
  readonly contactNumber: string;
  /** ISO 8601 UTC: when this service recorded the erasure. */
  readonly heardAt: string;
}

export interface BarcodeKeyDocument extends Document {
  readonly generation: number;
  readonly kid: string;
  /** RFC 8037. */
  readonly x: string;
  readonly sealed: string;
  readonly createdAt: string;
}

export interface ScanAnswer {
  readonly result: 'admitted' | 'repeated' | 'refused';
  /** As a single control answers; null if it admits. */
  readonly reason: string | null;
  /** As of the answer; null if it is not controlled. `at` in ISO 8601 UTC. */
  readonly control: { readonly at: string; readonly gate: string | null } | null;
}

/** Without personal data and what was read; instants are ISO 8601 UTC. */
export interface ScanDocument extends Document, ScanAnswer {
  readonly nonce: string | null;
  /** Null where no ticket was found. */
  readonly ticketId: string | null;
  readonly place: Place | null;
  /** Absent where that is not known. */
  readonly seatCategory?: SaleDescription['seatCategory'];
  /** At whose door it was, if the scanner named it, else the ticket's. */
  readonly performanceId: string | null;
  /** The ticket's, where that is another one. */
  readonly otherPerformanceId?: string;
  readonly pointOfSale: string | null;
  readonly createdBy?: Creator;
  readonly gate: string | null;
  readonly at: string;
  readonly offline: boolean;
  readonly receivedAt: string;
  /** If that is no longer true: the scan was admitted until an earlier one arrived. */
  readonly answered?: ScanAnswer;
}

/** Written before the effect; the id is the scan's. Whichever request finishes it, even after a crash, uses this. */
export interface ClaimDocument extends Document, Scan {
  readonly ticketId: string | null;
  readonly performanceId: string | null;
  readonly refusal: Code | null;
}

export const ticketsCollection = collection<TicketDocument>('tickets', [
  { name: 'created', fields: ['createdAt'] },
  { name: 'updated', fields: ['updatedAt'] },
  { name: 'order', fields: ['orderId', 'createdAt'] },
  { name: 'performance', fields: ['performanceId', 'createdAt'] },
  { name: 'admission', fields: ['performanceId', 'status', 'gate'] },
  { name: 'status', fields: ['status', 'createdAt'] },
  { name: 'contact', fields: ['contactNumber'] },
  { name: 'buyer', fields: ['contactNumber', 'createdAt'] },
  { name: 'point_of_sale', fields: ['pointOfSale', 'createdAt'] },
  { name: 'created_by', fields: ['createdBy.clientId', 'createdAt'] },
  { name: 'searched_order', fields: ['performanceId', 'search.order'] },
  { name: 'searched_place', fields: ['performanceId', 'search.place'] },
  { name: 'searched_name', fields: ['performanceId', 'search.name'] },
  { name: 'searched_last_name', fields: ['performanceId', 'search.lastName'] },
]);

export const ordersCollection = collection<OrderDocument>('ticket_orders', [
  { name: 'contact', fields: ['contactNumber'] },
]);

/** Nearly always empty, so it needs no index. */
export const replacementsCollection = collection<ReplacementDocument>('replacements');

export const barcodeKeysCollection = collection<BarcodeKeyDocument>('barcode_keys', [
  { name: 'generation', fields: ['generation'], unique: true },
]);

export const erasedContactsCollection = collection<ErasedContactDocument>('erased_contacts');

export const performancesCollection = collection<PerformanceDocument>('moved_performances');

export const scansCollection = collection<ScanDocument>('scans', [
  { name: 'at', fields: ['at'] },
  { name: 'performance', fields: ['performanceId', 'at'] },
  { name: 'gate', fields: ['gate', 'at'] },
  { name: 'result', fields: ['result', 'at'] },
  { name: 'created_by', fields: ['createdBy.clientId', 'at'] },
  { name: 'received', fields: ['receivedAt'], acrossInstitutions: true },
]);

export const claimsCollection = collection<ClaimDocument>('scan_claims', [
  { name: 'received', fields: ['receivedAt'], acrossInstitutions: true },
]);

/** Milliseconds for which a nonce has one effect and one answer. */
export const NONCE_MS = 30 * 86_400_000;

export const SCAN_RETENTION_MS = 90 * 86_400_000;

export const collections = [
  ticketsCollection,
  ordersCollection,
  replacementsCollection,
  erasedContactsCollection,
  barcodeKeysCollection,
  scansCollection,
  claimsCollection,
  performancesCollection,
];

/**
 * Inserts `first`, or changes. `isNew`: it is likely not there. `isInserted`: this call has inserted it; otherwise the
 * document is as after the change, which another process may have made necessary meanwhile.
 */
export async function changeOrInsert<T extends Document>(
  documents: Documents<T>,
  first: New<T>,
  change: (known: T) => T | undefined,
  isNew = false,
): Promise<{ readonly document: T; readonly isInserted: boolean }> {
  const again = () =>
    documents.update(first.id, (known) => {
      const next = change(known);
      return next && { next };
    });
  const known = isNew ? undefined : await again();
  if (known) return { document: known, isInserted: false };
  try {
    return { document: await documents.insert(first), isInserted: true };
  } catch (error) {
    const other = error instanceof UniqueViolation ? await again() : undefined;
    if (!other) throw error;
    return { document: other, isInserted: false };
  }
}

export const retention: Retentions = {
  tickets: { retained: 'for good; without names once their contact is erased' },
  ticket_orders: { retained: 'for good' },
  replacements: { retained: 'until both tickets are written, at most ten minutes (`ABANDONED_MS`)' },
  erased_contacts: { retained: 'for good: the number only, so that a late event restores no name' },
  moved_performances: { retained: 'for good, as long as tickets' },
  barcode_keys: { retained: 'for good, so that every ticket stays verifiable' },
  scans: {
    retained: '90 days (`SCAN_RETENTION_MS`)',
    ends: [{ field: 'receivedAt', iso: true, afterMs: SCAN_RETENTION_MS }],
  },
  scan_claims: { retained: '30 days (`NONCE_MS`)', ends: [{ field: 'receivedAt', iso: true, afterMs: NONCE_MS }] },
};
