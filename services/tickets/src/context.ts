import { announcing } from '@boxoffice/service';
import type { Documents, Store } from '@boxoffice/store';
import { announceTicket, TICKET_RECORDED } from './announcements.ts';
import { type BarcodeKeys, createBarcodeKeys } from './barcode/keys.ts';
import { createDrawing, type Drawing, type DrawingOptions } from './document/drawing.ts';
import type { Ticket } from './domain/ticket.ts';
import {
  type ErasedContactDocument,
  erasedContactsCollection,
  type OrderDocument,
  ordersCollection,
  type PerformanceDocument,
  performancesCollection,
  type ReplacementDocument,
  replacementsCollection,
  type ScanDocument,
  scansCollection,
  type TicketDocument,
  ticketsCollection,
} from './store.ts';

/** One institution's documents: operations reach the store only through these. */
export interface Collections {
  readonly institution: string;
  readonly tickets: Documents<TicketDocument>;
  readonly orders: Documents<OrderDocument>;
  readonly replacements: Documents<ReplacementDocument>;
  readonly erasedContacts: Documents<ErasedContactDocument>;
  readonly scans: Documents<ScanDocument>;
  /** The performances that moved. */
  readonly performances: Documents<PerformanceDocument>;
}

/** A confirmation whose tickets this process is issuing or has issued. */
interface Issuing {
  /** The version of the order. */
  readonly version: number;
  /** A fact that is published again after an update may name it for the first time. */
  readonly pointOfSale: string | null | undefined;
  readonly named: boolean;
  readonly issued: Promise<Pick<Ticket, 'id' | 'lineId' | 'status'>[]>;
  readonly isDone: boolean;
}

/** What commands and queries need. */
export interface Context {
  readonly store: Store;
  readonly keys: BarcodeKeys;
  readonly drawing: Drawing;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** By institution and order; the last 1,000. */
  readonly issuing: Map<string, Issuing>;
  collections(institution: string): Collections;
}

/** What the operations of callers need: without the store, whose documents have no bounds. */
export type CallerContext = Omit<Context, 'store' | 'issuing'>;

/** The context of a service instance; `now` defaults to the system clock. */
export const createContext = (
  store: Store,
  serviceSecret: string,
  now: () => number = Date.now,
  documents: DrawingOptions = {},
): Context => ({
  store,
  keys: createBarcodeKeys(store, serviceSecret, now),
  drawing: createDrawing(documents),
  now,
  issuing: new Map(),
  collections: (institution) => ({
    institution,
    // Every write announces what partners hear of.
    tickets: announcing(store.collection(ticketsCollection), TICKET_RECORDED, announceTicket).of(institution),
    orders: store.collection(ordersCollection).of(institution),
    replacements: store.collection(replacementsCollection).of(institution),
    erasedContacts: store.collection(erasedContactsCollection).of(institution),
    scans: store.collection(scansCollection).of(institution),
    performances: store.collection(performancesCollection).of(institution),
  }),
});

/** The clock's time in the form of stored timestamps: ISO 8601 UTC. */
export const timestampOf = ({ now }: Pick<Context, 'now'>): string => new Date(now()).toISOString();
