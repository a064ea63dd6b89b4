import type { Documents, Store } from '@boxoffice/store';
import { type BarcodeKeys, createBarcodeKeys } from './barcode/keys.ts';
import {
  type ErasedContactDocument,
  erasedContactsCollection,
  type OrderDocument,
  ordersCollection,
  type ReplacementDocument,
  replacementsCollection,
  type TicketDocument,
  ticketsCollection,
} from './store.ts';

/** One institution's documents: the only way in which an action reaches the store. */
export interface Collections {
  readonly institution: string;
  readonly tickets: Documents<TicketDocument>;
  readonly orders: Documents<OrderDocument>;
  readonly replacements: Documents<ReplacementDocument>;
  readonly erasedContacts: Documents<ErasedContactDocument>;
}

/** What the actions work with. */
export interface Context {
  readonly store: Store;
  readonly keys: BarcodeKeys;
  /** Epoch milliseconds. */
  readonly now: () => number;
  collections(institution: string): Collections;
}

/** The context of a service instance, on the system's clock unless told otherwise. */
export const createContext = (store: Store, serviceSecret: string, now: () => number = Date.now): Context => ({
  store,
  keys: createBarcodeKeys(store, serviceSecret, now),
  now,
  collections: (institution) => ({
    institution,
    tickets: store.collection(ticketsCollection).of(institution),
    orders: store.collection(ordersCollection).of(institution),
    replacements: store.collection(replacementsCollection).of(institution),
    erasedContacts: store.collection(erasedContactsCollection).of(institution),
  }),
});

/** The clock's time as documents keep it: ISO 8601 UTC. */
export const timestampOf = ({ now }: Pick<Context, 'now'>): string => new Date(now()).toISOString();
