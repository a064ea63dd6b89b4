import {
  type AnyOperation,
  createChangesPageSchema,
  createLineSchema,
  id,
  listQuery,
  operation,
  readChangesPage,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { extractBarcode, readTicketId } from '../barcode/barcode.ts';
import type { ContextOf } from '../context.ts';
import * as example from '../examples.ts';
import { Status, Ticket } from '../schemas.ts';
import { createTicketAnswer, PATH, selectView, single } from './answers.ts';
import { findTicket, finishPending } from './lineage.ts';
import { searchTickets } from './search.ts';
import { getTicket } from './tickets.ts';

const params = { ticketId: example.ids.ticket };
const identifier = Type.Optional(id);

export function createTicketRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'listTickets',
      method: 'get',
      path: PATH,
      access: 'tickets:read',
      admits: ['customer'],
      summary: 'Lists tickets, replaced and cancelled ones included',
      description:
        'In order of creation; with modifiedSince in order of the last change, so that paging misses nothing. Users ' +
        'see what their role shows: a customer the tickets of its contact, a box_office those of its points of sale, ' +
        'if it has any; clients with bounds see the tickets within them.',
      query: {
        ...listQuery,
        orderId: identifier,
        performanceId: identifier,
        contactNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'of the buyer' })),
        status: Type.Optional(Status),
        barcode: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'as scanned' })),
        q: Type.Optional(
          createLineSchema({
            maxLength: 100,
            description:
              'with `performanceId`: the number of the order, or the beginning of the label of the place or of the ' +
              "beneficiary's name, last or first name first; without regard to case, accents and punctuation",
          }),
        ),
      },
      answers: { 200: createChangesPageSchema(Ticket) },
      errors: ['missing_parameter'],
      example: {
        query: { orderId: example.ids.order },
        answer: { items: [example.ticket], nextCursor: null, asOf: example.asOf },
      },
      handle: async (request) => {
        const { orderId, performanceId, contactNumber, status, barcode: scanned, q, modifiedSince } = request.query;
        const barcode = scanned === undefined ? undefined : extractBarcode(scanned);
        const { now, collections } = contextOf(request.caller);
        const id = barcode === undefined ? undefined : (readTicketId(barcode) ?? '');
        await (id === undefined ? finishPending(collections) : findTicket(collections, id));
        const found = q === undefined ? collections.tickets : await searchTickets(collections, performanceId, q);
        return readChangesPage(request, found, {
          where: { orderId, performanceId, contactNumber, status, id, barcode },
          orderBy: modifiedSince === undefined ? 'createdAt' : 'updatedAt',
          clock: now,
          item: selectView(request.caller),
        });
      },
    }),
    operation({
      ...single,
      id: 'getTicket',
      method: 'get',
      access: 'tickets:read',
      admits: ['customer'],
      summary: 'Reads a ticket',
      description: '`barcode` is the text of its QR code; users of the role door get none, here and elsewhere.',
      answers: { 200: Ticket },
      etag: true,
      example: { params, answer: example.ticket },
      handle: async ({ caller, params }) =>
        createTicketAnswer(caller)(await getTicket(contextOf(caller).collections, params.ticketId)),
    }),
  ];
}
