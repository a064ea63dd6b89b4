import type { Caller, Restricted } from '@boxoffice/identity';
import { announceWrites, computeSalesBounds } from '@boxoffice/service';
import { keepByKey, restrictDocuments, type Store } from '@boxoffice/store';
import { createBarcodeKeys } from './barcode/keys.ts';
import { createDrawing, type DrawingOptions } from './document/drawing.ts';
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

export type Collections = ReturnType<typeof openCollections>;

export type Context = ReturnType<typeof createContext>;

/** Has no store, whose documents have no bounds. */
export interface InstitutionContext extends Pick<Context, 'keys' | 'drawing' | 'now'> {
  readonly collections: Collections;
}

/** `now` defaults to the system clock. */
export function createContext(
  store: Store,
  serviceSecret: string,
  now: () => number = Date.now,
  documents: DrawingOptions = {},
) {
  return {
    store,
    keys: createBarcodeKeys(store, serviceSecret, now),
    drawing: createDrawing(documents),
    /** Epoch milliseconds. */
    now,
    collections: keepByKey((institution) => openCollections(store, institution)),
  };
}

/** Operations reach the store only through these. */
const openCollections = (store: Store, institution: string) => ({
  institution,
  // Publishes the changes that partners see, and stores the search terms.
  tickets: addSearchTerms(announceWrites(store.collection(ticketsCollection), TICKET_RECORDED, announceTicket)).of(
    institution,
  ),
  orders: store.collection(ordersCollection).of(institution),
  replacements: store.collection(replacementsCollection).of(institution),
  erasedContacts: store.collection(erasedContactsCollection).of(institution),
  scans: store.collection(scansCollection).of(institution),
  claims: store.collection(claimsCollection).of(institution),
  performances: store.collection(performancesCollection).of(institution),
});

/** ISO 8601 UTC. */
export function readTimestamp({ now }: Pick<Context, 'now'>): string {
  return new Date(now()).toISOString();
}

/** Has all tickets: for other services and for reactions. */
export function createInstitutionContext(
  { keys, drawing, now, collections }: Context,
  institution: string,
): InstitutionContext {
  return { keys, drawing, now, collections: collections(institution) };
}

/** An operation's only way to the tickets, so that none can forget the bounds of the user's role. */
export type ContextOf = (caller: Pick<Caller, 'institution'> & Restricted) => InstitutionContext;

export function createContextFactory(context: Context): ContextOf {
  return (caller) => {
    const { collections, ...others } = createInstitutionContext(context, caller.institution);
    return {
      ...others,
      collections: { ...collections, tickets: restrictDocuments(collections.tickets, computeSalesBounds(caller)) },
    };
  };
}
