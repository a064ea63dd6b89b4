import { type AnyOperation, created, ok } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import type { Ticket } from '../clients/tickets.ts';
import { type Edition, LinkedOrder, OrderDocument, OrderLink } from '../description/editions.ts';
import { examples } from '../description/examples.ts';
import { langQuery, pathId } from '../description/schemas.ts';
import type { PosContext } from '../request/context.ts';
import { mapById } from '../request/pagination.ts';
import { createNotFoundFault, LINK_HEADER, operation, type Visit } from '../request/visit.ts';
import type { OrderLinkDocument } from '../store.ts';
import { drawOrderDocument, drawTicketDocuments } from '../tickets/documents.ts';
import { createOrderLink, findLinkedOrder, isErased, LostLink, listOrderTickets, type NewOrderLink } from './links.ts';
import { readSettledOrder } from './pages.ts';
import { findOwnOrder, readCurrentOffer, toOrderView, toTicketView } from './views.ts';

const token = 's3N0pN6bV0dQ2m1c8yXkq0o8w7Jt5r4ZzE9uLhTfGaM';
const document = { contentType: 'application/pdf', base64: 'JVBERi0xLjMK' };

export function createOrderLinksRoutes(context: PosContext, edition: Edition): AnyOperation[] {
  if (!edition.isExperimental) return [];

  /** What it was asked for settles a pending payment of a provider first. @throws {PosFault} not_found */
  const findSettled = async ({ pointOfSale }: Visit, token: string | undefined) => {
    const linked = await findLinkedOrder(context, pointOfSale, token);
    const order = await readSettledOrder(context, pointOfSale.institution, linked.order);
    if (order === linked.order) return linked;
    return { order, tickets: await listOrderTickets(context, pointOfSale.institution, order) };
  };

  return [
    operation({
      id: 'createOrderLink',
      method: 'post',
      path: '/orders/{id}/links',
      access: 'session',
      summary: 'Makes a link that shows an own order without a session',
      description:
        'Whoever has the link sees the order, its tickets and their documents, until 30 days after its last ' +
        "performance as that is dated then, or until the buyer's contact is erased; after that none is made (404). " +
        '`url` is a page of the shop of this product; a shop of your own sends `token` in `X-Order-Link`. Both are ' +
        'answered this once.',
      params: { id: pathId },
      query: langQuery,
      answers: { 201: OrderLink },
      example: {
        params: { id: examples.ids.order },
        answer: {
          url: `https://localhost:8443/shop/tickets.opera.example/ticket-link#${token}`,
          token,
          expiresAt: '2027-04-11T21:30:00.000Z',
        },
      },
      handle: async ({ visitor, params, remember }) => {
        const order = await findOwnOrder(context, visitor, params.id);
        if (await isErased(context, visitor.pointOfSale.institution, order)) throw createNotFoundFault();
        const answer = (link: NewOrderLink | (Record<'url' | 'token', null> & Pick<NewOrderLink, 'expiresAt'>)) =>
          created(link, `${visitor.base}/order-links/current`);
        const record = remember(({ expiresAt }: OrderLinkDocument) =>
          answer({ url: null, token: null, expiresAt: new Date(expiresAt).toISOString() }),
        );
        return answer(await createOrderLink(context, visitor.pointOfSale, order, record));
      },
    }),
    operation({
      id: 'requestOrderLink',
      method: 'post',
      path: '/order-links/requests',
      access: 'newcomer',
      summary: 'Sends a new link to an order by mail, to whoever knows its number and its email',
      description:
        'The answer is the same whether both fit or not, and so is its time: the order is looked up afterwards, and ' +
        'the mail goes to its own email alone. At most five requests an hour from one address, and five mails a day ' +
        'for an order; none is sent where the installation sends no mails, nor after the end of a link.',
      query: langQuery,
      body: LostLink,
      answers: { 202: Type.Object({}) },
      example: { body: { email: 'ana.martin@example.org', number: 'k7m2xq9c' }, answer: {} },
      handle: async ({ visitor: { pointOfSale, ip }, body: { email, number } }) => {
        await context.lostLinks.request(pointOfSale.institution, ip, { email, number });
        return { status: 202, data: {} };
      },
    }),
    operation({
      id: 'getLinkedOrder',
      method: 'get',
      path: '/order-links/current',
      access: 'link',
      summary: 'Returns the order of a link with its tickets and their documents',
      description:
        'Read only. Every token that gives no order is 404, whatever the reason. A cancelled or expired order has ' +
        'neither tickets nor documents; one that is not confirmed yet has none yet. A pending payment of a provider is ' +
        'asked for as by `GET /orders/{id}`.',
      query: langQuery,
      answers: { 200: LinkedOrder },
      errors: ['not_found'],
      example: {
        answer: {
          ...edition.examples.order,
          tickets: { [examples.ids.ticket]: edition.examples.ticket },
          documents: { [examples.ids.ticket]: document },
        },
      },
      handle: async ({ visitor, header }) => {
        const { order, tickets } = await findSettled(visitor, header(LINK_HEADER));
        const reader = { visit: visitor, isExperimental: true };
        const [current, documents] = await Promise.all([
          readCurrentOffer(context, visitor),
          drawTicketDocuments(context, { ...visitor, order, tickets }),
        ]);
        const shown: object = {
          ...toOrderView(order, current, ticketIn(tickets), reader),
          tickets: mapById(tickets.map((ticket) => toTicketView(ticket, reader, current))),
          documents,
        };
        return ok(shown as Static<typeof LinkedOrder>);
      },
    }),
    operation({
      id: 'getOrderOfLink',
      method: 'get',
      path: '/order-links/current/order',
      access: 'link',
      summary: 'Returns the order of a link as `GET /orders/{id}` does, without documents',
      description:
        'For a page: the items have the codes; no document is drawn. Every token that gives no order is 404.',
      query: langQuery,
      answers: { 200: edition.Order },
      errors: ['not_found'],
      example: { answer: edition.examples.order },
      handle: async ({ visitor, header }) => {
        const { order, tickets } = await findSettled(visitor, header(LINK_HEADER));
        const reader = { visit: visitor, isExperimental: true };
        return ok(toOrderView(order, await readCurrentOffer(context, visitor), ticketIn(tickets), reader));
      },
    }),
    operation({
      id: 'getLinkedOrderDocument',
      method: 'get',
      path: '/order-links/current/document',
      access: 'link',
      summary: 'Returns the printed tickets of the order of a link as one PDF, a page each, and its receipt',
      description: 'As `GET /orders/{id}/document`; every token that gives no order is 404.',
      query: langQuery,
      answers: { 200: OrderDocument },
      errors: ['not_found', 'ticket_not_printed'],
      example: { answer: document },
      handle: async ({ visitor, header }) => {
        const linked = await findLinkedOrder(context, visitor.pointOfSale, header(LINK_HEADER));
        return ok(await drawOrderDocument(context, { ...visitor, ...linked }));
      },
    }),
    operation({
      id: 'getOwnOrderDocument',
      method: 'get',
      path: '/orders/{id}/document',
      access: 'session',
      summary:
        'Returns the printed tickets of an own order as one PDF, a page each, and its receipt, to save or to print',
      description:
        'With name, colours and logo of the point of sale, number and buyer of the order. An order without a printed ' +
        'ticket is refused with `ticket_not_printed`.',
      params: { id: pathId },
      query: langQuery,
      answers: { 200: OrderDocument },
      errors: ['ticket_not_printed'],
      example: { params: { id: examples.ids.order }, answer: document },
      handle: async ({ visitor, params }) => {
        const order = await findOwnOrder(context, visitor, params.id);
        const tickets = await listOrderTickets(context, visitor.pointOfSale.institution, order);
        return ok(await drawOrderDocument(context, { ...visitor, order, tickets }));
      },
    }),
  ];
}

const ticketIn = (tickets: readonly Ticket[]) => {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  return (id: string) => byId.get(id);
};
