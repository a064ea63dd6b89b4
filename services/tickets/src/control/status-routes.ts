// What a scanner downloads before the doors open, to decide without a network.

import { type AnyOperation, changesPageOf, createView, id, listQuery, ok, operation } from '@boxoffice/http';
import type { ContextOf } from '../context.ts';
import type { SaleDescription } from '../domain/ticket.ts';
import * as example from '../examples.ts';
import { PATH } from '../tickets/answers.ts';
import { finishPending } from '../tickets/lineage.ts';
import { TicketStatus, TicketStatuses } from './schemas.ts';

const view = createView(TicketStatus);

/** The statuses of a performance's tickets, without barcodes, names and prices. */
export const statusRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'listTicketStatuses',
    method: 'get',
    path: `${PATH}/statuses`,
    access: 'tickets:read',
    summary: 'Lists the statuses of a performance, for scanners without a network',
    description:
      'Of every ticket of the performance what decides at the door, replaced and cancelled ones included, and nothing ' +
      'else: no barcode, no name, no price. In order of creation; with modifiedSince in order of the last change. A ' +
      'ticket that a scanner does not find in it was sold later. `seatCategories` names the categories of the page. A box_office with points of sale, and a client with ' +
      'bounds, sees its tickets.',
    query: { ...listQuery, performanceId: id },
    answers: { 200: TicketStatuses },
    example: {
      query: { performanceId: example.ids.performance },
      answer: {
        items: [example.ticketStatus],
        nextCursor: null,
        asOf: example.asOf,
        seatCategories: { [example.ticketStatus.seatCategoryId]: example.shopTicket.about.seatCategory },
      },
    },
    handle: async (request) => {
      const { performanceId, modifiedSince } = request.query;
      const { now, collections } = contextOf(request.caller);
      await finishPending(collections);
      const seatCategories: Record<string, SaleDescription['seatCategory']> = {};
      const { data } = await changesPageOf(request, collections.tickets, {
        where: { performanceId },
        orderBy: modifiedSince === undefined ? 'createdAt' : 'updatedAt',
        clock: now,
        item: (ticket) => {
          if (ticket.about) seatCategories[ticket.seatCategoryId] = ticket.about.seatCategory;
          return view({ ...ticket, place: ticket.place.label });
        },
      });
      return ok({ ...data, seatCategories });
    },
  }),
];
