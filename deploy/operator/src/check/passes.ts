import type { CollectionHandle, Document } from '@boxoffice/store';
import type { CheckedCollections } from './collections.ts';
import type { Case, Kind } from './findings.ts';
import { judgeApiKeys, judgeApiKeyUses, judgeGrants, judgeSignIns, judgeUsers } from './judge-access.ts';
import {
  type AnnouncedKind,
  announcedIn,
  announcedKinds,
  judgeAnnounced,
  judgeEvents,
  judgeEventsAgain,
} from './judge-events.ts';
import { judgeOrders, judgeTickets } from './judge-orders.ts';
import { judgeContacts, judgeLogins, judgeSessions } from './judge-people.ts';
import { judgePlaces, judgeStock, recount } from './judge-stock.ts';
import { judgeUsage, judgeUsageAgain } from './judge-usage.ts';
import { byId, pagesOf } from './reading.ts';

/** What is counted while it is read. `abandoned_places` are held for orders that do not exist: what a dead process took, or a creation under way. They lapse with their hold. */
const COUNTED = [
  ...['performances', 'places', 'abandoned_places', 'orders', 'tickets', 'contacts', 'sessions', 'logins'],
  ...['users', 'sign_ins', 'grants', 'api_keys', 'usage_intervals', 'events'],
] as const;

/** The documents read so far, by kind. */
export type Counts = Record<string, number>;

export const noCounts = (): Counts => Object.fromEntries(COUNTED.map((name) => [name, 0]));

const count = (counts: Counts, name: (typeof COUNTED)[number], more: number): void => {
  counts[name] = (counts[name] ?? 0) + more;
};

/** Judges all documents of a kind, page by page, or some again by their ids; deleted ones have no findings. */
interface Judge {
  all(collections: CheckedCollections, institution: string | undefined, read: Read): AsyncGenerator<Case[]>;
  again(collections: CheckedCollections, ids: readonly string[]): Promise<Case[]>;
}

type Read = (page: readonly Document[]) => void;

const judgeOf = <T extends Document>(
  of: (collections: CheckedCollections) => CollectionHandle<T>,
  judge: (collections: CheckedCollections, found: readonly T[]) => Promise<Case[]>,
): Judge => ({
  async *all(collections, institution, read) {
    for await (const page of pagesOf(of(collections), institution)) {
      read(page);
      yield await judge(collections, page);
    }
  },
  again: async (collections, ids) => judge(collections, [...(await byId(of(collections), ids)).values()]),
});

/** The kinds whose documents are judged alike, in the order of a check, each with the name of its count. */
const documents = {
  order: ['orders', judgeOf(({ orders }) => orders, judgeOrders)],
  ticket: ['tickets', judgeOf(({ tickets }) => tickets, judgeTickets)],
  contact: ['contacts', judgeOf(({ contacts }) => contacts, judgeContacts)],
  session: ['sessions', judgeOf(({ sessions }) => sessions, judgeSessions)],
  login: ['logins', judgeOf(({ logins }) => logins, judgeLogins)],
  user: ['users', judgeOf(({ users }) => users, judgeUsers)],
  sign_in: ['sign_ins', judgeOf(({ signIns }) => signIns, judgeSignIns)],
  grant: ['grants', judgeOf(({ grants }) => grants, judgeGrants)],
  api_key: ['api_keys', judgeOf(({ apiKeys }) => apiKeys, judgeApiKeys)],
  api_key_use: [undefined, judgeOf(({ apiKeyUses }) => apiKeyUses, judgeApiKeyUses)],
} as const satisfies Partial<Record<Kind, readonly [(typeof COUNTED)[number] | undefined, Judge]>>;

const announcements = (Object.keys(announcedKinds) as AnnouncedKind[]).map((kind) => {
  const judge = judgeOf(
    (collections) => announcedIn(collections, kind),
    (collections, found) => judgeAnnounced(collections, kind, found),
  );
  return [kind, judge] as const;
});

/** Reads everything once, or everything of one institution, and counts it. */
export async function* lookAtAll(
  collections: CheckedCollections,
  counts: Counts,
  institution?: string,
): AsyncGenerator<Case[]> {
  for await (const page of pagesOf(collections.performances, institution)) {
    count(counts, 'performances', page.length);
    yield* judgeStock(collections, page, (places, abandoned) => {
      count(counts, 'places', places);
      count(counts, 'abandoned_places', abandoned);
    });
  }
  // Whoever has usage has or had a client or a key: deleted ones stay.
  const counting = new Set<string>();
  for await (const page of pagesOf(collections.clients, institution))
    for (const one of page) counting.add(one.institution);
  for (const [kind, [counted, { all }]] of Object.entries(documents)) {
    yield* all(collections, institution, (page) => {
      if (counted !== undefined) count(counts, counted, page.length);
      if (kind === 'api_key') for (const one of page) counting.add(one.institution);
    });
  }
  for (const one of counting)
    yield* judgeUsage(collections, one, (intervals) => count(counts, 'usage_intervals', intervals));
  const announcing = new Set<string>();
  for (const [, { all }] of announcements)
    yield* all(collections, institution, (page) => {
      for (const one of page) announcing.add(one.institution);
    });
  for (const one of announcing) yield* judgeEvents(collections, one, (events) => count(counts, 'events', events));
}

const againByKind: Readonly<Record<Kind, Judge['again']>> = {
  ...(Object.fromEntries(announcements.map(([kind, { again }]) => [kind, again])) as Record<
    AnnouncedKind,
    Judge['again']
  >),
  ...(Object.fromEntries(Object.entries(documents).map(([kind, [, { again }]]) => [kind, again])) as Record<
    keyof typeof documents,
    Judge['again']
  >),
  performance: judgeOf(
    ({ performances }) => performances,
    (collections, found) => Promise.all(found.map((performance) => recount(collections, performance))),
  ).again,
  place: judgeOf(
    ({ places }) => places,
    (collections, found) => judgePlaces(collections, found),
  ).again,
  event: judgeEventsAgain,
  usage: judgeUsageAgain,
};

/** Reads documents again, by kind and id. */
export const lookAgain = (collections: CheckedCollections, kind: Kind, ids: readonly string[]): Promise<Case[]> =>
  againByKind[kind](collections, ids);
