import { type AnyOperation, id, ok, operation } from '@boxoffice/http';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { selectCurrent } from '../domain/order.ts';
import { ids, orderedTicket } from '../examples.ts';
import { toTicketView } from '../tickets/answers.ts';
import { listOrderTickets } from '../tickets/lineage.ts';
import { settleChange } from './change.ts';
import { toConfirmation, toOrderedTicket } from './confirmation.ts';
import { issue, type TicketSummary } from './issue.ts';
import { ChangeSettlement, Confirmation, Issued, OrderTickets, SettledOrder } from './schemas.ts';

const confirmed = { orderId: ids.order, contactNumber: null, pointOfSale: null };
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
        body: { ...confirmed, version: 3, tickets: [orderedTicket] },
        answer: { tickets: exampleTickets },
      },
      handle: async ({ caller, body }) => {
        const issued = await issue(context, caller.institution, toConfirmation(body));
        return ok({ tickets: issued.map(summary) });
      },
    }),
    operation({
      id: 'settleChange',
      method: 'post',
      path: '/internal/tickets/changes',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Ends the tickets of lines that left a confirmed order, and issues those that replace them',
      description:
        'A returned one is cancelled, an exchanged one invalidated and replaced by one that is printed if it was. A ' +
        'controlled one stays so unless its line was returned with `override`; then what replaces it is issued as ' +
        'cancelled. A repeat has the same answer.',
      body: SettledOrder,
      answers: { 200: ChangeSettlement },
      example: {
        body: {
          ...confirmed,
          version: 5,
          tickets: [],
          change: { id: 'chg_00mhs1k9f5d4f6g8h0j2', override: false, returned: [orderedTicket], exchanged: [] },
        },
        answer: { ticketsCancelled: 1, controlled: 0, keptLineIds: [] },
      },
      handle: async ({ caller, body: { change, ...body } }) => {
        const { ticketsCancelled, controlled, keptLineIds } = await settleChange(
          context,
          caller.institution,
          toConfirmation(body),
          {
            ...change,
            returned: change.returned.map(toOrderedTicket),
            exchanged: change.exchanged.map(({ leaving, replacing }) => ({
              leaving: toOrderedTicket(leaving),
              replacing: toOrderedTicket(replacing),
            })),
          },
        );
        return ok({ ticketsCancelled, controlled, keptLineIds: [...keptLineIds] });
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
