import { type AnyOperation, id, ok, operation } from '@boxoffice/http';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { selectCurrent } from '../domain/order.ts';
import { ids, orderedTicket } from '../examples.ts';
import { Confirmation, Issued, OrderTickets } from '../schemas.ts';
import { toTicketView } from '../tickets/answers.ts';
import { listOrderTickets } from '../tickets/lineage.ts';
import { toCreator, toOrderedTicket } from './confirmation.ts';
import { issue, type TicketSummary } from './issue.ts';

const exampleTickets = [{ ticketId: ids.ticket, lineId: ids.line, status: 'not_printed' }];

/** The orders service calls these. */
export function createInternalRoutes(context: Context): AnyOperation[] {
  return [
    operation({
      id: 'issueTickets',
      method: 'post',
      path: '/internal/tickets/issue',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Issues the tickets of a confirmed order; a repeat has the same answer',
      description: 'Issues nothing for an order that is already cancelled here.',
      body: Confirmation,
      answers: { 200: Issued },
      example: {
        body: { orderId: ids.order, version: 3, contactNumber: null, pointOfSale: null, tickets: [orderedTicket] },
        answer: { tickets: exampleTickets },
      },
      handle: async ({ caller, body }) => {
        const issued = await issue(context, caller.institution, {
          ...body,
          orderNumber: body.number,
          createdBy: toCreator(body.createdBy),
          tickets: body.tickets.map(toOrderedTicket),
        });
        return ok({ tickets: issued.map(summary) });
      },
    }),
    operation({
      id: 'getOrderTickets',
      method: 'get',
      path: '/internal/orders/{orderId}/tickets',
      access: 'internal',
      summary: 'Returns the current ticket of each line of an order; none for an unknown order',
      params: { orderId: id },
      query: { whole: Type.Optional(Type.Boolean({ description: 'also whole, with their barcodes' })) },
      answers: { 200: OrderTickets },
      example: { params: { orderId: ids.order }, answer: { controlled: 0, tickets: exampleTickets } },
      handle: async ({ caller, params, query }) => {
        const tickets = selectCurrent(await listOrderTickets(context.collections(caller.institution), params.orderId));
        const controlled = tickets.filter(({ status }) => status === 'controlled').length;
        const whole = query.whole ? { whole: tickets.map(toTicketView) } : {};
        return ok({ controlled, tickets: tickets.map(summary), ...whole });
      },
    }),
  ];
}

const summary = ({ id, lineId, status }: TicketSummary) => ({ ticketId: id, lineId, status });
