import { type PerformanceDocument, type PlaceDocument, performances, places } from '@boxoffice/catalog';
import { type ContactDocument, contactsCollection } from '@boxoffice/contacts';
import { type OrderDocument, ordersCollection } from '@boxoffice/orders';
import { type SessionDocument, sessions, type UserDocument, users } from '@boxoffice/pos';
import type { CollectionHandle, Store } from '@boxoffice/store';
import { type TicketDocument, ticketsCollection } from '@boxoffice/tickets';

/** The stores of the services that a check reads. */
export interface CheckedStores {
  readonly catalog: Store;
  readonly contacts: Store;
  readonly orders: Store;
  readonly tickets: Store;
  readonly pos: Store;
}

/** Every collection that a check reads. A check never writes. */
export interface CheckedCollections {
  readonly performances: CollectionHandle<PerformanceDocument>;
  readonly places: CollectionHandle<PlaceDocument>;
  readonly orders: CollectionHandle<OrderDocument>;
  readonly tickets: CollectionHandle<TicketDocument>;
  readonly contacts: CollectionHandle<ContactDocument>;
  readonly sessions: CollectionHandle<SessionDocument>;
  readonly logins: CollectionHandle<UserDocument>;
}

export const collectionsOf = ({ catalog, contacts, orders, tickets, pos }: CheckedStores): CheckedCollections => ({
  performances: catalog.collection(performances),
  places: catalog.collection(places),
  orders: orders.collection(ordersCollection),
  tickets: tickets.collection(ticketsCollection),
  contacts: contacts.collection(contactsCollection),
  sessions: pos.collection(sessions),
  logins: pos.collection(users),
});
