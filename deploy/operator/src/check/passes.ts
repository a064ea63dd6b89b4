import type { CheckedCollections } from './collections.ts';
import type { Case, Kind } from './findings.ts';
import { judgeApiKeys, judgeApiKeyUses, judgeGrants, judgeSignIns, judgeUsers } from './judge-access.ts';
import {
  type AnnouncedKind,
  announcedIn,
  announcedKinds,
  isAnnounced,
  judgeAnnounced,
  judgeEvents,
  judgeEventsAgain,
} from './judge-events.ts';
import { judgeOrders, judgeTickets } from './judge-orders.ts';
import { judgeContacts, judgeLogins, judgeSessions } from './judge-people.ts';
import { judgePlaces, judgeStock, recount } from './judge-stock.ts';
import { judgeUsage, judgeUsageAgain } from './judge-usage.ts';
import { byId, pagesOf } from './reading.ts';

/** The documents read so far, by kind. */
export type Counts = Record<
  | 'performances'
  | 'places'
  /** Held for orders that do not exist: what a dead process took, or a creation under way. They lapse with their hold. */
  | 'abandoned_places'
  | 'orders'
  | 'tickets'
  | 'contacts'
  | 'sessions'
  | 'logins'
  | 'users'
  | 'sign_ins'
  | 'grants'
  | 'api_keys'
  | 'usage_intervals'
  | 'events',
  number
>;

export const noCounts = (): Counts => ({
  performances: 0,
  places: 0,
  abandoned_places: 0,
  orders: 0,
  tickets: 0,
  contacts: 0,
  sessions: 0,
  logins: 0,
  users: 0,
  sign_ins: 0,
  grants: 0,
  api_keys: 0,
  usage_intervals: 0,
  events: 0,
});

/** Reads everything once, or everything of one institution, and counts it. */
export async function* lookAtAll(
  collections: CheckedCollections,
  counts: Counts,
  institution?: string,
): AsyncGenerator<Case[]> {
  for await (const page of pagesOf(collections.performances, institution)) {
    counts.performances += page.length;
    yield* judgeStock(collections, page, (places, abandoned) => {
      counts.places += places;
      counts.abandoned_places += abandoned;
    });
  }
  for await (const page of pagesOf(collections.orders, institution)) {
    counts.orders += page.length;
    yield await judgeOrders(collections, page);
  }
  for await (const page of pagesOf(collections.tickets, institution)) {
    counts.tickets += page.length;
    yield await judgeTickets(collections, page);
  }
  for await (const page of pagesOf(collections.contacts, institution)) {
    counts.contacts += page.length;
    yield await judgeContacts(collections, page);
  }
  for await (const page of pagesOf(collections.sessions, institution)) {
    counts.sessions += page.length;
    yield await judgeSessions(collections, page);
  }
  for await (const page of pagesOf(collections.logins, institution)) {
    counts.logins += page.length;
    yield await judgeLogins(collections, page);
  }
  yield* lookAtAccess(collections, counts, institution);
  yield* lookAtEvents(collections, counts, institution);
}

/** Reads what was announced, and the events of it. */
async function* lookAtEvents(
  collections: CheckedCollections,
  counts: Counts,
  institution?: string,
): AsyncGenerator<Case[]> {
  const institutions = new Set<string>();
  for (const kind of Object.keys(announcedKinds) as AnnouncedKind[]) {
    for await (const page of pagesOf(announcedIn(collections, kind), institution)) {
      for (const one of page) institutions.add(one.institution);
      yield await judgeAnnounced(collections, kind, page);
    }
  }
  for (const one of institutions) {
    yield* judgeEvents(collections, one, (events) => {
      counts.events += events;
    });
  }
}

/** Reads what the authorizer stores. */
async function* lookAtAccess(
  collections: CheckedCollections,
  counts: Counts,
  institution?: string,
): AsyncGenerator<Case[]> {
  // Whoever has usage has or had a client or a key: deleted ones stay.
  const institutions = new Set<string>();
  for await (const page of pagesOf(collections.clients, institution)) {
    for (const client of page) institutions.add(client.institution);
  }
  for await (const page of pagesOf(collections.users, institution)) {
    counts.users += page.length;
    yield await judgeUsers(collections, page);
  }
  for await (const page of pagesOf(collections.signIns, institution)) {
    counts.sign_ins += page.length;
    yield await judgeSignIns(collections, page);
  }
  for await (const page of pagesOf(collections.grants, institution)) {
    counts.grants += page.length;
    yield await judgeGrants(collections, page);
  }
  for await (const page of pagesOf(collections.apiKeys, institution)) {
    counts.api_keys += page.length;
    for (const apiKey of page) institutions.add(apiKey.institution);
    yield await judgeApiKeys(collections, page);
  }
  for await (const page of pagesOf(collections.apiKeyUses, institution)) {
    yield await judgeApiKeyUses(collections, page);
  }
  for (const one of institutions) {
    yield* judgeUsage(collections, one, (intervals) => {
      counts.usage_intervals += intervals;
    });
  }
}

/** Reads documents again, by kind and id; deleted ones have no findings. */
export const lookAgain = async (
  collections: CheckedCollections,
  kind: Kind,
  ids: readonly string[],
): Promise<Case[]> => {
  if (isAnnounced(kind)) {
    const found = await byId(announcedIn(collections, kind), ids);
    return judgeAnnounced(collections, kind, [...found.values()]);
  }
  switch (kind) {
    case 'event':
      return judgeEventsAgain(collections, ids);
    case 'performance': {
      const found = await byId(collections.performances, ids);
      return Promise.all([...found.values()].map((performance) => recount(collections, performance)));
    }
    case 'place':
      return judgePlaces(collections, [...(await byId(collections.places, ids)).values()]);
    case 'order':
      return judgeOrders(collections, [...(await byId(collections.orders, ids)).values()]);
    case 'ticket':
      return judgeTickets(collections, [...(await byId(collections.tickets, ids)).values()]);
    case 'contact':
      return judgeContacts(collections, [...(await byId(collections.contacts, ids)).values()]);
    case 'session':
      return judgeSessions(collections, [...(await byId(collections.sessions, ids)).values()]);
    case 'login':
      return judgeLogins(collections, [...(await byId(collections.logins, ids)).values()]);
    case 'user':
      return judgeUsers(collections, [...(await byId(collections.users, ids)).values()]);
    case 'sign_in':
      return judgeSignIns(collections, [...(await byId(collections.signIns, ids)).values()]);
    case 'grant':
      return judgeGrants(collections, [...(await byId(collections.grants, ids)).values()]);
    case 'api_key':
      return judgeApiKeys(collections, [...(await byId(collections.apiKeys, ids)).values()]);
    case 'api_key_use':
      return judgeApiKeyUses(collections, [...(await byId(collections.apiKeyUses, ids)).values()]);
    case 'usage':
      return judgeUsageAgain(collections, ids);
  }
};
