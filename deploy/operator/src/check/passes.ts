import type { Case, Kind } from './findings.ts';
import { judgeOrders, judgeTickets } from './judge-orders.ts';
import { judgeContacts, judgeLogins, judgeSessions } from './judge-people.ts';
import { judgePlaces, judgeStock, recount } from './judge-stock.ts';
import { byId, pagesOf } from './reading.ts';
import type { Shelves } from './shelves.ts';

/** What was looked at, so far. */
export type Counts = Record<
  'performances' | 'places' | 'orders' | 'tickets' | 'contacts' | 'sessions' | 'logins',
  number
>;

export const noCounts = (): Counts => ({
  performances: 0,
  places: 0,
  orders: 0,
  tickets: 0,
  contacts: 0,
  sessions: 0,
  logins: 0,
});

/** Looks at everything once, or at everything of one institution; counts it on the way. */
export async function* lookAtAll(shelves: Shelves, counts: Counts, institution?: string): AsyncGenerator<Case[]> {
  for await (const page of pagesOf(shelves.performances, institution)) {
    counts.performances += page.length;
    yield* judgeStock(shelves, page, (places) => {
      counts.places += places;
    });
  }
  for await (const page of pagesOf(shelves.orders, institution)) {
    counts.orders += page.length;
    yield await judgeOrders(shelves, page);
  }
  for await (const page of pagesOf(shelves.tickets, institution)) {
    counts.tickets += page.length;
    yield await judgeTickets(shelves, page);
  }
  for await (const page of pagesOf(shelves.contacts, institution)) {
    counts.contacts += page.length;
    yield await judgeContacts(shelves, page);
  }
  for await (const page of pagesOf(shelves.sessions, institution)) {
    counts.sessions += page.length;
    yield await judgeSessions(shelves, page);
  }
  for await (const page of pagesOf(shelves.logins, institution)) {
    counts.logins += page.length;
    yield await judgeLogins(shelves, page);
  }
}

/** Looks at some things again, by kind and id; those that are gone are no longer anything. */
export const lookAgain = async (shelves: Shelves, kind: Kind, ids: readonly string[]): Promise<Case[]> => {
  switch (kind) {
    case 'performance': {
      const found = await byId(shelves.performances, ids);
      return Promise.all([...found.values()].map((performance) => recount(shelves, performance)));
    }
    case 'place':
      return judgePlaces(shelves, [...(await byId(shelves.places, ids)).values()]);
    case 'order':
      return judgeOrders(shelves, [...(await byId(shelves.orders, ids)).values()]);
    case 'ticket':
      return judgeTickets(shelves, [...(await byId(shelves.tickets, ids)).values()]);
    case 'contact':
      return judgeContacts(shelves, [...(await byId(shelves.contacts, ids)).values()]);
    case 'session':
      return judgeSessions(shelves, [...(await byId(shelves.sessions, ids)).values()]);
    case 'login':
      return judgeLogins(shelves, [...(await byId(shelves.logins, ids)).values()]);
  }
};
