import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, id, ok, operation } from '@boxoffice/http';
import { Type } from 'typebox';
import type { ContextOf } from '../context.ts';
import { PDF, shopDocumentOf } from '../document/document.ts';
import * as example from '../examples.ts';
import { DocumentRequest, Naming, ShopDocument, ShopTicket, Status } from '../schemas.ts';
import { shopView } from '../tickets/answers.ts';
import { getTicket, presentTicket } from '../tickets/tickets.ts';
import { nameTicket, shownTickets } from './shop.ts';

const PATH = '/internal/shop/tickets';

const { Optional, String: Text } = Type;
const params = { ticketId: example.ids.ticket };

/** The tickets of a shop, for the pos service. Answers contain the buyer; pos decides which user may see a ticket. */
export const shopRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'listShopTickets',
    method: 'get',
    path: PATH,
    access: 'internal',
    summary: 'Returns all tickets of a contact or of some orders',
    description:
      'By the start of their performance (unknown ones last), then by id. Replaced and cancelled ones included.',
    query: {
      contactNumber: Optional(Text({ minLength: 1, maxLength: 128 })),
      orderIds: Optional(
        Text({ pattern: '^[^,]{1,128}(,[^,]{1,128}){0,99}$', description: 'up to 100 ids, separated by commas' }),
      ),
      status: Optional(Status),
    },
    answers: { 200: Type.Object({ tickets: Type.Array(ShopTicket) }) },
    errors: ['missing_parameter'],
    example: { query: { contactNumber: example.shopTicket.contactNumber }, answer: { tickets: [example.shopTicket] } },
    handle: async ({ caller, query }) => {
      const { contactNumber, orderIds, status } = query;
      if (contactNumber === undefined && orderIds === undefined) {
        throw new Fault('missing_parameter', 'contactNumber or orderIds must be given.');
      }
      const shown = { contactNumber, orderIds: orderIds?.split(','), status };
      const tickets = await shownTickets(contextOf(caller), shown);
      return ok({ tickets: tickets.map(shopView) });
    },
  }),
  operation({
    id: 'getShopTicket',
    method: 'get',
    path: `${PATH}/{ticketId}`,
    access: 'internal',
    summary: 'Returns a ticket',
    params: { ticketId: id },
    answers: { 200: ShopTicket },
    example: { params, answer: example.shopTicket },
    handle: async ({ caller, params }) => {
      const { collections } = contextOf(caller);
      return ok(shopView(await presentTicket(collections, await getTicket(collections, params.ticketId))));
    },
  }),
  operation({
    id: 'drawShopDocument',
    method: 'post',
    path: '/internal/shop/documents',
    access: 'internal',
    withoutIdempotency: true,
    summary: 'Returns printed tickets as one PDF, a page each; as SVG if no font has their letters',
    description: 'With name, colours and logo of the point of sale, and number and buyer of the order.',
    body: DocumentRequest,
    answers: { 200: ShopDocument },
    errors: ['not_found', 'ticket_not_printed', 'ticket_cancelled', 'ticket_invalidated'],
    example: { body: example.documentRequest, answer: { contentType: PDF, base64: 'JVBERi0xLjMK' } },
    handle: async ({ caller, body }) => ok(await shopDocumentOf(contextOf(caller), body)),
  }),
  operation({
    id: 'nameShopTicket',
    method: 'post',
    path: `${PATH}/{ticketId}/beneficiary`,
    access: 'internal',
    withoutIdempotency: true,
    summary: 'Sets the beneficiary of a ticket; returns the replacing ticket if it is printed',
    description:
      'Absent members stay, null removes. A repeat returns the same ticket. Controlled: ticket_already_controlled; ' +
      'cancelled: precondition_failed; replaced by a ticket for another beneficiary: conflict.',
    params: { ticketId: id },
    body: Naming,
    answers: { 200: ShopTicket },
    errors: ['ticket_already_controlled', 'precondition_failed', 'conflict'],
    example: {
      params,
      body: example.beneficiary,
      answer: { ...example.shopTicket, beneficiary: example.beneficiary },
    },
    handle: async ({ caller, params, body }) =>
      ok(shopView(await nameTicket(contextOf(caller), params.ticketId, body))),
  }),
];
