import { PosFault } from '@boxoffice/envelope';
import { type AnyOperation, ok } from '@boxoffice/http';
import { ServiceRefusal } from '@boxoffice/service';
import { Type } from 'typebox';
import type { Ticket as AnyTicket } from '../clients/tickets.ts';
import { type Edition, TicketDocument } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { createMapSchema, langQuery, Naming, pathId, ticketStatus, toStoredName } from '../description/schemas.ts';
import { compareByStartThenId } from '../domain/offer.ts';
import { readCurrentOffer, toTicketView } from '../orders/views.ts';
import type { PosContext } from '../request/context.ts';
import { buildPartHeaders, mapById, partQuery, toPart } from '../request/pagination.ts';
import { createLoginRequiredFault, createNotFoundFault, operation, type Visit } from '../request/visit.ts';
import { isId } from '../store.ts';
import { drawTicketDocument } from './documents.ts';

const params = { id: pathId };

export function createTicketsRoutes(
  context: Pick<PosContext, 'tickets' | 'purchases' | 'orders' | 'contacts' | 'offers' | 'bestEffortCatalog' | 'log'>,
  edition: Edition,
): AnyOperation[] {
  const { tickets, purchases } = context;
  const { Ticket, isExperimental } = edition;
  const example = { params: { id: examples.ids.ticket }, answer: edition.examples.ticket };

  const requireContactNumber = ({ session }: Visit): string => {
    if (!session?.contactNumber) throw createLoginRequiredFault();
    return session.contactNumber;
  };

  const listPurchases = ({ session }: Visit): Promise<readonly string[]> | readonly string[] =>
    session ? purchases.of(session) : [];

  /** @throws {PosFault} not_found for a malformed or unknown id, and for a ticket of another contact */
  const own = async (visit: Visit, ticketId: string): Promise<AnyTicket> => {
    const ticket = isId(ticketId) ? await tickets.get(visit.pointOfSale.institution, ticketId) : undefined;
    if (!ticket) throw createNotFoundFault();
    if (ticket.contactNumber !== requireContactNumber(visit) && !(await listPurchases(visit)).includes(ticket.orderId))
      throw createNotFoundFault();
    return ticket;
  };

  /** Includes those that the user bought for another contact. */
  const all = async (visit: Visit, status: AnyTicket['status'] | undefined): Promise<readonly AnyTicket[]> => {
    const { institution } = visit.pointOfSale;
    const orderIds = await listPurchases(visit);
    const own = await tickets.list(institution, { contactNumber: requireContactNumber(visit), status });
    if (orderIds.length === 0) return own;
    const others = await tickets.list(institution, { orderIds, status });
    const byId = new Map([...own, ...others].map((ticket) => [ticket.id, ticket]));
    return [...byId.values()].sort(compareByStartThenId);
  };

  const viewFor = async (visit: Visit) => {
    const current = isExperimental ? await readCurrentOffer(context, visit) : undefined;
    return (ticket: AnyTicket) => toTicketView(ticket, { visit, isExperimental }, current);
  };

  const documentRoutes = [
    operation({
      id: 'getOwnTicketDocument',
      method: 'get',
      path: '/tickets/{id}/document',
      access: 'login',
      summary: 'Returns an own printed ticket as PDF, with its QR code, to save or to print',
      description:
        'With name, colours and logo of the point of sale, number and buyer of the order. One that is not printed ' +
        'yet is refused with `ticket_not_printed`.',
      params,
      query: langQuery,
      answers: { 200: TicketDocument },
      errors: ['ticket_not_printed', 'ticket_not_changeable'],
      example: { params: example.params, answer: { contentType: 'application/pdf', base64: 'JVBERi0xLjMK' } },
      handle: async ({ visitor, params }) => {
        const { pointOfSale, languages } = visitor;
        const ticket = await own(visitor, params.id);
        return ok(await drawTicketDocument(context, { ticket, pointOfSale, languages }));
      },
    }),
  ];

  return [
    ...(isExperimental ? documentRoutes : []),
    operation({
      id: 'listOwnTickets',
      method: 'get',
      path: '/tickets',
      access: 'login',
      summary: 'Lists the tickets of the logged-in user, by startDate and id',
      description: 'By their ids; `status` filters.',
      query: { status: Type.Optional(ticketStatus), ...partQuery, ...langQuery },
      answers: { 200: createMapSchema(Ticket) },
      answerHeaders: ['X-Total-Amount', 'Link'],
      example: { query: { status: 'not_printed' }, answer: { [examples.ids.ticket]: edition.examples.ticket } },
      handle: async ({ visitor, query }) => {
        const part = toPart(query);
        const found = await all(visitor, query.status);
        const page = found.slice(part.offset, part.offset + part.limit);
        return ok(mapById(page.map(await viewFor(visitor))), {
          headers: buildPartHeaders(visitor, part, found.length),
        });
      },
    }),
    operation({
      id: 'getOwnTicket',
      method: 'get',
      path: '/tickets/{id}',
      access: 'login',
      summary: 'Returns an own ticket',
      description: 'A ticket of somebody else is 404.',
      params,
      query: langQuery,
      answers: { 200: Ticket },
      example,
      handle: async ({ visitor, params }) => {
        const ticket = await own(visitor, params.id);
        return ok((await viewFor(visitor))(ticket));
      },
    }),
    operation({
      id: 'nameOwnTicket',
      method: 'patch',
      path: '/tickets/{id}',
      access: 'login',
      summary:
        'Changes the beneficiary; for a printed ticket the answer is the ticket that replaces it, with its new id',
      description: 'Null or the empty text removes a name; a blank one is refused.',
      params,
      query: langQuery,
      body: Naming,
      answers: { 200: Ticket },
      errors: ['ticket_not_changeable'],
      example: { ...example, body: { beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' } },
      handle: async ({ visitor, params, body }) => {
        const { id } = await own(visitor, params.id);
        const [firstName, lastName] = [toStoredName(body.beneficiaryFirstName), toStoredName(body.beneficiaryLastName)];
        const names = { firstName, lastName };
        const named = await tickets.name(visitor.pointOfSale.institution, id, names).catch(refuseChange);
        return ok((await viewFor(visitor))(named), {
          subjects: [...new Set([requireContactNumber(visitor), named.contactNumber ?? requireContactNumber(visitor)])],
        });
      },
    }),
  ];
}

const refuseChange = (error: unknown): never => {
  if (!(error instanceof ServiceRefusal && (error.http === 409 || error.http === 412))) throw error;
  throw new PosFault('ticket_not_changeable', 'The ticket was used, cancelled or replaced.');
};
