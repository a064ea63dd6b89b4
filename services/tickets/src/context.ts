import type { Caller, Restricted } from '@boxoffice/identity';
import { announceWrites, computeSalesBounds } from '@boxoffice/service';
import { restrictDocuments, type Store } from '@boxoffice/store';
import { type BarcodeKeys, createBarcodeKeys } from './barcode/keys.ts';
import { createDrawing, type Drawing, type DrawingOptions } from './document/drawing.ts';
import type { Origin, Ticket } from './domain/ticket.ts';
import { announceTicket, TICKET_RECORDED } from './events.ts';
import { addSearchTerms } from './search-terms.ts';
import {
  claimsCollection,
  erasedContactsCollection,
  ordersCollection,
  performancesCollection,
  replacementsCollection,
  scansCollection,
  ticketsCollection,
} from './store.ts';

export type Collections = ReturnType<typeof collectionsOf>;

/** A confirmation whose tickets this process is issuing or has issued. */
interface Issuing {
  /** The version of the order. */
  readonly version: number;
  /** A fact that is published again after an update may name it for the first time. */
  readonly origin: Origin;
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

/** What commands on one institution's tickets need: without the store, whose documents have no bounds. */
export interface InstitutionContext extends Pick<Context, 'keys' | 'drawing' | 'now'> {
  readonly collections: Collections;
}

/** The context of a service instance; `now` defaults to the system clock. */
export function createContext(
  store: Store,
  serviceSecret: string,
  now: () => number = Date.now,
  documents: DrawingOptions = {},
): Context {
  return {
    store,
    keys: createBarcodeKeys(store, serviceSecret, now),
    drawing: createDrawing(documents),
    now,
    issuing: new Map(),
    collections: (institution) => collectionsOf(store, institution),
  };
}

/** One institution's documents: operations reach the store only through these. */
const collectionsOf = (store: Store, institution: string) => ({
  institution,
  // Every write announces what partners hear of, and has what the ticket is found by.
  tickets: addSearchTerms(announceWrites(store.collection(ticketsCollection), TICKET_RECORDED, announceTicket)).of(
    institution,
  ),
  orders: store.collection(ordersCollection).of(institution),
  replacements: store.collection(replacementsCollection).of(institution),
  erasedContacts: store.collection(erasedContactsCollection).of(institution),
  scans: store.collection(scansCollection).of(institution),
  /** What the nonces of scans were first sent for. */
  claims: store.collection(claimsCollection).of(institution),
  /** The performances that moved. */
  performances: store.collection(performancesCollection).of(institution),
});

/** The clock's time in the form of stored timestamps: ISO 8601 UTC. */
export function readTimestamp({ now }: Pick<Context, 'now'>): string {
  return new Date(now()).toISOString();
}

/** The context of one institution with all its tickets: for other services and for reactions. */
export function createInstitutionContext(
  { keys, drawing, now, collections }: Context,
  institution: string,
): InstitutionContext {
  return {
    keys,
    drawing,
    now,
    collections: collections(institution),
  };
}

/**
 * Gives an operation the context of its caller: the institution's tickets, and of these what the user's role shows. It
 * is an operation's only way to the tickets, so none can forget the bounds.
 */
export type ContextOf = (caller: Pick<Caller, 'institution'> & Restricted) => InstitutionContext;

/** Makes the contexts of callers. */
export function createContextOf(context: Context): ContextOf {
  return (caller) => {
    const { collections, ...others } = createInstitutionContext(context, caller.institution);
    return {
      ...others,
      collections: { ...collections, tickets: restrictDocuments(collections.tickets, computeSalesBounds(caller)) },
    };
  };
}
