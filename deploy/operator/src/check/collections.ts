import {
  apiKeysCollection,
  apiKeyUsesCollection,
  clientsCollection,
  grantsCollection,
  sessionsCollection,
  usageCollection,
  usersCollection,
} from '@boxoffice/authorizer';
import { performances, places, products } from '@boxoffice/catalog';
import { contactsCollection } from '@boxoffice/contacts';
import { eventsCollection, retiredCollection, waitingCollection } from '@boxoffice/events';
import { ordersCollection } from '@boxoffice/orders';
import { sessions, users } from '@boxoffice/pos';
import type { Store } from '@boxoffice/store';
import { ticketsCollection } from '@boxoffice/tickets';

/** The stores of the services that a check reads. */
export type CheckedStores = Readonly<
  Record<'authorizer' | 'catalog' | 'contacts' | 'orders' | 'tickets' | 'events' | 'pos', Store>
>;

/**
 * Every collection that a check reads; it never writes. `users`, `signIns` and `grants` are those of the institution
 * API, `logins` and `sessions` those of points of sale.
 */
export const collectionsOf = ({ authorizer, catalog, contacts, orders, tickets, events, pos }: CheckedStores) => ({
  clients: authorizer.collection(clientsCollection),
  users: authorizer.collection(usersCollection),
  signIns: authorizer.collection(sessionsCollection),
  grants: authorizer.collection(grantsCollection),
  apiKeys: authorizer.collection(apiKeysCollection),
  apiKeyUses: authorizer.collection(apiKeyUsesCollection),
  usage: authorizer.collection(usageCollection),
  performances: catalog.collection(performances),
  places: catalog.collection(places),
  products: catalog.collection(products),
  events: events.collection(eventsCollection),
  retired: events.collection(retiredCollection),
  waiting: events.collection(waitingCollection),
  orders: orders.collection(ordersCollection),
  tickets: tickets.collection(ticketsCollection),
  contacts: contacts.collection(contactsCollection),
  sessions: pos.collection(sessions),
  logins: pos.collection(users),
});

export type CheckedCollections = ReturnType<typeof collectionsOf>;
