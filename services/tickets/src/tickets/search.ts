import { Fault } from '@boxoffice/envelope';
import type { Listed } from '@boxoffice/http';
import { readDocuments, runForEach, type Where } from '@boxoffice/store';
import type { Collections } from '../context.ts';
import { foldCode, foldText } from '../domain/search.ts';
import { countInvisibleWrite, type Ticket } from '../domain/ticket.ts';
import { hasPresentTerms } from '../search-terms.ts';
import type { TicketDocument } from '../store.ts';

/** Concurrent writes of tickets that an earlier release issued. */
const WIDTH = 16;

type Searched = Pick<Collections, 'tickets'>;

/** No letter of any text comes after it. */
const LAST = '\u{10ffff}';

/**
 * Of a performance, in order of creation: the tickets of the order with this number, and those whose place or
 * beneficiary begins so. @throws {Fault} `missing_parameter` without a performance, `invalid_parameter` without a
 * letter or digit
 */
export async function searchTickets(
  collections: Searched,
  performanceId: string | undefined,
  text: string,
): Promise<Listed<TicketDocument>> {
  if (performanceId === undefined) throw new Fault('missing_parameter', 'query parameter q needs performanceId');
  const [words, code] = [foldText(text), foldCode(text)];
  if (words === '') throw new Fault('invalid_parameter', 'query parameter q has neither a letter nor a digit');
  await completeTerms(collections, performanceId);
  const alternatives: readonly { readonly index: string; readonly where: Where }[] = [
    { index: 'searched_order', where: { 'search.order': code } },
    { index: 'searched_place', where: { 'search.place': toPrefixRange(code) } },
    { index: 'searched_name', where: { 'search.name': toPrefixRange(words) } },
    { index: 'searched_last_name', where: { 'search.lastName': toPrefixRange(words) } },
  ];
  return {
    async find(query) {
      const pages = alternatives.map(({ index, where }) =>
        collections.tickets.find({ ...query, index, where: { ...query.where, ...where, performanceId } }),
      );
      const byId = new Map((await Promise.all(pages)).flat().map((ticket) => [ticket.id, ticket]));
      const outdated = [...byId.values()].filter((ticket) => !hasPresentTerms(ticket));
      for (const ticket of outdated) await refreshTerms(collections, ticket);
      return [...byId.values()].filter(hasPresentTerms).sort(compareCreation).slice(0, query.limit);
    },
  };
}

/** So that tickets of earlier releases are found. */
const completeTerms = (collections: Searched, performanceId: string): Promise<void> => {
  const query = { where: { performanceId, 'search.place': null }, index: 'searched_place', orderBy: 'createdAt' };
  return runForEach(readDocuments(collections.tickets, query), WIDTH, (ticket) => refreshTerms(collections, ticket));
};

/** An instance of an earlier release has written it. */
const refreshTerms = ({ tickets }: Searched, { id }: Pick<Ticket, 'id'>) =>
  tickets.update(id, (found) =>
    hasPresentTerms(found) ? undefined : { next: { ...found, ...countInvisibleWrite(found) } },
  );

const toPrefixRange = (text: string) => ({ gte: text, lt: text + LAST });

const compareCreation = (one: TicketDocument, other: TicketDocument): number =>
  one.createdAt === other.createdAt ? (one.id < other.id ? -1 : 1) : one.createdAt < other.createdAt ? -1 : 1;
