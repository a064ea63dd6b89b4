import { setTimeout as pause } from 'node:timers/promises';
import {
  apiKeysCollection,
  apiKeyUsesCollection,
  clientsCollection,
  grantsCollection,
  sessionsCollection,
  usageCollection,
  usersCollection,
} from '@boxoffice/authorizer';
import { discountCodes, performances, places, priceRules, products } from '@boxoffice/catalog';
import { contactsCollection } from '@boxoffice/contacts';
import { eventsCollection, retiredCollection, waitingCollection } from '@boxoffice/events';
import { ordersCollection } from '@boxoffice/orders';
import { paymentsCollection, refundsCollection } from '@boxoffice/payments';
import { sessions, users } from '@boxoffice/pos';
import {
  type Collection,
  type CollectionHandle,
  type Document,
  type Documents,
  type Query,
  readDocuments,
  type Store,
  StoreUnavailable,
  wrapCollection,
} from '@boxoffice/store';
import { ticketsCollection } from '@boxoffice/tickets';
import type { ServiceName } from '../installation.ts';

/** How long a read is repeated while the database is unavailable or slow: a check also runs on a busy installation. */
const PATIENCE_MS = 60_000;
const BETWEEN_READS_MS = 500;

/** Repeated while the store is unavailable. @throws {StoreUnavailable} after {@link PATIENCE_MS} */
export async function retryWhileUnavailable<R>(read: () => Promise<R>): Promise<R> {
  for (const startedAt = performance.now(); ; ) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() - startedAt > PATIENCE_MS) throw error;
      await pause(BETWEEN_READS_MS);
    }
  }
}

export type CheckedStores = Readonly<Record<ServiceName, Store>>;

/** `users`, `signIns` and `grants` are of the institution API, `logins` and `sessions` of points of sale. */
export function openCollections({
  authorizer,
  catalog,
  contacts,
  orders,
  tickets,
  events,
  payments,
  pos,
}: CheckedStores) {
  return {
    clients: open(authorizer, clientsCollection),
    users: open(authorizer, usersCollection),
    signIns: open(authorizer, sessionsCollection),
    grants: open(authorizer, grantsCollection),
    apiKeys: open(authorizer, apiKeysCollection),
    apiKeyUses: open(authorizer, apiKeyUsesCollection),
    usage: open(authorizer, usageCollection),
    performances: open(catalog, performances),
    places: open(catalog, places),
    priceRules: open(catalog, priceRules),
    discountCodes: open(catalog, discountCodes),
    products: open(catalog, products),
    events: open(events, eventsCollection),
    retired: open(events, retiredCollection),
    waiting: open(events, waitingCollection),
    orders: open(orders, ordersCollection),
    providerPayments: open(payments, paymentsCollection),
    providerRefunds: open(payments, refundsCollection),
    tickets: open(tickets, ticketsCollection),
    contacts: open(contacts, contactsCollection),
    sessions: open(pos, sessions),
    logins: open(pos, users),
  };
}

const open = <T extends Document>(store: Store, declared: Collection<T>): CollectionHandle<T> =>
  wrapCollection(store.collection(declared), {
    find: (find) => (query) => retryWhileUnavailable(() => find(query)),
    get: (get) => (id) => retryWhileUnavailable(() => get(id)),
  });

export type CheckedCollections = ReturnType<typeof openCollections>;

/** The number of documents in memory at once. */
const PAGE = 500;

/** The documents of a query, page by page, so that memory stays bounded; the last page may be empty. */
export async function* readPages<T extends Document>(
  documents: Pick<Documents<T>, 'find'>,
  query: Omit<Query, 'after' | 'limit'>,
): AsyncGenerator<T[]> {
  let page: T[] = [];
  for await (const one of readDocuments(documents, query)) {
    if (page.push(one) < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

export async function* readAllPages<T extends Document>(
  { acrossInstitutions }: CollectionHandle<T>,
  institution?: string,
): AsyncGenerator<T[]> {
  // Across institutions in both cases: only the order by id alone is an index of every collection.
  for await (const page of readPages(acrossInstitutions, { orderBy: 'id' }))
    yield institution === undefined ? page : page.filter((one) => one.institution === institution);
}

export async function findById<T extends Document>(
  handle: CollectionHandle<T>,
  ids: Iterable<string | null | undefined>,
): Promise<Map<string, T>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && id !== undefined);
  const found = new Map<string, T>();
  for (let start = 0; start < wanted.length; start += PAGE) {
    const where = { id: { in: wanted.slice(start, start + PAGE) } };
    const page = await handle.acrossInstitutions.find({ where });
    for (const one of page) found.set(one.id, one);
  }
  return found;
}

export function findReferencedDocuments<T extends Document, Member extends string>(
  handle: CollectionHandle<T>,
  others: readonly Readonly<Record<Member, string | null>>[],
  ...members: readonly Member[]
): Promise<Map<string, T>> {
  return findById(
    handle,
    others.flatMap((one) => members.map((member) => one[member])),
  );
}

/** By the owner's id; queried within each owner's institution, as the index requires. */
export async function findByOwner<T extends Document>(
  handle: CollectionHandle<T>,
  field: keyof T & string,
  owners: readonly { readonly institution: string; readonly id: string }[],
): Promise<Map<string, T[]>> {
  const found = new Map<string, T[]>();
  for (const institution of new Set(owners.map((owner) => owner.institution))) {
    const ids = owners.filter((owner) => owner.institution === institution).map(({ id }) => id);
    for (let start = 0; start < ids.length; start += PAGE) {
      const where = { [field]: { in: ids.slice(start, start + PAGE) } };
      for (const one of await handle.of(institution).find({ where })) {
        const owner = String(one[field]);
        const group = found.get(owner);
        if (group) group.push(one);
        else found.set(owner, [one]);
      }
    }
  }
  return found;
}
