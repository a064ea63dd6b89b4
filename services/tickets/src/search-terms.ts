import { computeDigest } from '@boxoffice/runtime';
import { type CollectionHandle, type New, wrapCollection, wrapInserts } from '@boxoffice/store';
import { buildSearchTerms } from './domain/search.ts';
import type { SearchTerms, Ticket } from './domain/ticket.ts';
import type { TicketDocument } from './store.ts';

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

const NAMES = ['order', 'place', 'name', 'lastName'] as const;

/** An instance of an earlier release writes none. */
export function hasPresentTerms(ticket: Ticket): boolean {
  const terms = buildTerms(ticket);
  return NAMES.every((name) => ticket.search?.[name] === terms[name]);
}

const buildTerms = (ticket: Ticket): SearchTerms =>
  buildSearchTerms(ticket, ticket.orderNumber ?? deriveNumber(ticket.orderId));

/** Of tickets that were issued without it: those of release 0.3.0 follow from its id. */
const deriveNumber = (orderId: string): string =>
  Array.from(computeDigest(['number', orderId]).subarray(0, 8), (byte) => LETTERS.charAt(byte % LETTERS.length)).join(
    '',
  );

/** In each of its writes: none can leave a name behind. */
export function addSearchTerms(handle: CollectionHandle<TicketDocument>): Pick<typeof handle, 'of'> {
  const putTerms = <T extends New<TicketDocument>>(ticket: T): T => ({ ...ticket, search: buildTerms(ticket) });
  return wrapCollection(handle, {
    ...wrapInserts<TicketDocument>(putTerms),
    update: (update) => (id, fn, options) => {
      const change = (current: TicketDocument) => {
        const changed = fn(current);
        return changed && { ...changed, next: putTerms(changed.next) };
      };
      return update(id, change, options);
    },
  });
}
