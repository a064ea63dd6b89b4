import type { Announced } from '@boxoffice/service';
import type { CollectionHandle, Document } from '@boxoffice/store';
import { judgeAnnouncements, judgeEvents, judgeEventsAgain } from './events.ts';
import type { Case, Kind } from './findings.ts';
import { judgeOrders } from './orders.ts';
import { judgeProviderPayments, judgeProviderRefunds } from './payments.ts';
import {
  judgeApiKeys,
  judgeApiKeyUses,
  judgeContacts,
  judgeGrants,
  judgeLogins,
  judgeSessions,
  judgeSignIns,
  judgeUsers,
} from './people.ts';
import { type CheckedCollections, findById, readAllPages } from './reading.ts';
import { judgePlaces, judgeStock, recount, type Stock, toCodeStock, toPerformanceStock, toRuleStock } from './stock.ts';
import { judgeTickets } from './tickets.ts';
import { judgeUsage, judgeUsageAgain } from './usage.ts';

/** `uses` are of discounts and codes with a limit; `abandoned_places`, also such uses, are held for orders that do not exist, of a dead process or not created yet. They lapse. */
const COUNTED = [
  ...[
    'performances',
    'places',
    'uses',
    'abandoned_places',
    'orders',
    'provider_payments',
    'provider_refunds',
    'tickets',
    'contacts',
    'sessions',
    'logins',
  ],
  ...['users', 'sign_ins', 'grants', 'api_keys', 'usage_intervals', 'events'],
] as const;

export type Counts = Record<string, number>;

export function createCounts(): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, 0]));
}

type Read = (page: readonly Document[]) => void;

/** Judges all documents of a kind, page by page, or some again by their ids; deleted ones have no findings. */
interface Judge {
  readonly counted: (typeof COUNTED)[number] | undefined;
  all(collections: CheckedCollections, institution: string | undefined, read: Read): AsyncGenerator<Case[]>;
  again(collections: CheckedCollections, ids: readonly string[]): Promise<Case[]>;
}

const judgeOf = <T extends Document>(
  of: (collections: CheckedCollections) => CollectionHandle<T>,
  judge: (collections: CheckedCollections, found: readonly T[]) => Promise<Case[]>,
  counted?: (typeof COUNTED)[number],
): Judge => ({
  counted,
  async *all(collections, institution, read) {
    for await (const page of readAllPages(of(collections), institution)) {
      read(page);
      yield await judge(collections, page);
    }
  },
  again: async (collections, ids) => judge(collections, [...(await findById(of(collections), ids)).values()]),
});

const documents = {
  order: judgeOf(({ orders }) => orders, judgeOrders, 'orders'),
  provider_payment: judgeOf(({ providerPayments }) => providerPayments, judgeProviderPayments, 'provider_payments'),
  provider_refund: judgeOf(({ providerRefunds }) => providerRefunds, judgeProviderRefunds, 'provider_refunds'),
  ticket: judgeOf(({ tickets }) => tickets, judgeTickets, 'tickets'),
  contact: judgeOf(({ contacts }) => contacts, judgeContacts, 'contacts'),
  session: judgeOf(({ sessions }) => sessions, judgeSessions, 'sessions'),
  login: judgeOf(({ logins }) => logins, judgeLogins, 'logins'),
  user: judgeOf(({ users }) => users, judgeUsers, 'users'),
  sign_in: judgeOf(({ signIns }) => signIns, judgeSignIns, 'sign_ins'),
  grant: judgeOf(({ grants }) => grants, judgeGrants, 'grants'),
  api_key: judgeOf(({ apiKeys }) => apiKeys, judgeApiKeys, 'api_keys'),
  api_key_use: judgeOf(({ apiKeyUses }) => apiKeyUses, judgeApiKeyUses),
};

const announcedOf = <T extends Announced>(
  kind: Kind,
  of: (collections: CheckedCollections) => CollectionHandle<T>,
): Judge => judgeOf(of, (collections, found) => judgeAnnouncements(collections, kind, found));

const announcements = {
  announced_order: announcedOf('announced_order', ({ orders }) => orders),
  announced_ticket: announcedOf('announced_ticket', ({ tickets }) => tickets),
  announced_contact: announcedOf('announced_contact', ({ contacts }) => contacts),
  announced_product: announcedOf('announced_product', ({ products }) => products),
  announced_performance: announcedOf('announced_performance', ({ performances }) => performances),
};

const stockOf = <T extends Document>(
  of: (collections: CheckedCollections) => CollectionHandle<T>,
  toStock: (found: T) => Stock | undefined,
  counted: 'places' | 'uses',
) => ({
  async *all(collections: CheckedCollections, counts: Counts, institution?: string): AsyncGenerator<Case[]> {
    const readAgain = async (id: string) => {
      const found = await of(collections).acrossInstitutions.get(id);
      return found && toStock(found);
    };
    for await (const page of readAllPages(of(collections), institution)) {
      if (counted === 'places') count(counts, 'performances', page.length);
      const found = page.flatMap((one) => toStock(one) ?? []);
      yield* judgeStock(collections, found, readAgain, (places, abandoned) => {
        count(counts, counted, places);
        count(counts, 'abandoned_places', abandoned);
      });
    }
  },
  async again(collections: CheckedCollections, ids: readonly string[]): Promise<Case[]> {
    const found = [...(await findById(of(collections), ids)).values()].flatMap((one) => toStock(one) ?? []);
    return Promise.all(found.map((one) => recount(collections, one)));
  },
});

const stocks = {
  performance: stockOf(({ performances }) => performances, toPerformanceStock, 'places'),
  price_rule: stockOf(({ priceRules }) => priceRules, toRuleStock, 'uses'),
  discount_code: stockOf(({ discountCodes }) => discountCodes, toCodeStock, 'uses'),
};

export async function* lookAtAll(
  collections: CheckedCollections,
  counts: Counts,
  institution?: string,
): AsyncGenerator<Case[]> {
  for (const { all } of Object.values(stocks)) yield* all(collections, counts, institution);
  // Whoever has usage has or had a client or a key: deleted ones stay.
  const counting = new Set<string>();
  for await (const page of readAllPages(collections.clients, institution))
    for (const one of page) counting.add(one.institution);
  for (const { counted, all } of Object.values(documents)) {
    yield* all(collections, institution, (page) => {
      if (counted !== undefined) count(counts, counted, page.length);
      if (counted === 'api_keys') for (const one of page) counting.add(one.institution);
    });
  }
  for (const one of counting)
    yield* judgeUsage(collections, one, (intervals) => count(counts, 'usage_intervals', intervals));
  const announcing = new Set<string>();
  for (const { all } of Object.values(announcements))
    yield* all(collections, institution, (page) => {
      for (const one of page) announcing.add(one.institution);
    });
  for (const one of announcing) yield* judgeEvents(collections, one, (events) => count(counts, 'events', events));
}

const count = (counts: Counts, name: (typeof COUNTED)[number], more: number): void => {
  counts[name] = (counts[name] ?? 0) + more;
};

const judges: Readonly<Record<Kind, Pick<Judge, 'again'>>> = {
  ...documents,
  ...announcements,
  ...stocks,
  place: judgeOf(
    ({ places }) => places,
    (collections, found) => judgePlaces(collections, found),
  ),
  event: { again: judgeEventsAgain },
  usage: { again: judgeUsageAgain },
};

export function lookAgain(collections: CheckedCollections, kind: Kind, ids: readonly string[]): Promise<Case[]> {
  return judges[kind].again(collections, ids);
}
