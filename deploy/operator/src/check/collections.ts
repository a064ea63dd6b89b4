import {
  type ApiKeyDocument,
  type ApiKeyUseDocument,
  type SessionDocument as ApiSessionDocument,
  type UserDocument as ApiUserDocument,
  apiKeysCollection,
  apiKeyUsesCollection,
  type ClientDocument,
  clientsCollection,
  type GrantDocument,
  grantsCollection,
  sessionsCollection,
  type UsageDocument,
  usageCollection,
  usersCollection,
} from '@boxoffice/authorizer';
import {
  type PerformanceDocument,
  type PlaceDocument,
  type ProductDocument,
  performances,
  places,
  products,
} from '@boxoffice/catalog';
import { type ContactDocument, contactsCollection } from '@boxoffice/contacts';
import {
  type EventDocument,
  eventsCollection,
  type RetiredDocument,
  retiredCollection,
  type WaitingDocument,
  waitingCollection,
} from '@boxoffice/events';
import { type OrderDocument, ordersCollection } from '@boxoffice/orders';
import { type SessionDocument, sessions, type UserDocument, users } from '@boxoffice/pos';
import type { CollectionHandle, Store } from '@boxoffice/store';
import { type TicketDocument, ticketsCollection } from '@boxoffice/tickets';

/** The stores of the services that a check reads. */
export interface CheckedStores {
  readonly authorizer: Store;
  readonly catalog: Store;
  readonly contacts: Store;
  readonly orders: Store;
  readonly tickets: Store;
  readonly events: Store;
  readonly pos: Store;
}

/** Every collection that a check reads. A check never writes. */
export interface CheckedCollections {
  readonly performances: CollectionHandle<PerformanceDocument>;
  readonly places: CollectionHandle<PlaceDocument>;
  readonly orders: CollectionHandle<OrderDocument>;
  readonly tickets: CollectionHandle<TicketDocument>;
  readonly contacts: CollectionHandle<ContactDocument>;
  readonly products: CollectionHandle<ProductDocument>;
  readonly events: CollectionHandle<EventDocument>;
  readonly retired: CollectionHandle<RetiredDocument>;
  readonly waiting: CollectionHandle<WaitingDocument>;
  readonly sessions: CollectionHandle<SessionDocument>;
  readonly logins: CollectionHandle<UserDocument>;
  readonly clients: CollectionHandle<ClientDocument>;
  /** The users of the institution API. */
  readonly users: CollectionHandle<ApiUserDocument>;
  /** Their sessions and what they granted. */
  readonly signIns: CollectionHandle<ApiSessionDocument>;
  readonly grants: CollectionHandle<GrantDocument>;
  readonly apiKeys: CollectionHandle<ApiKeyDocument>;
  readonly apiKeyUses: CollectionHandle<ApiKeyUseDocument>;
  readonly usage: CollectionHandle<UsageDocument>;
}

export const collectionsOf = ({
  authorizer,
  catalog,
  contacts,
  orders,
  tickets,
  events,
  pos,
}: CheckedStores): CheckedCollections => ({
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
