import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, ok, operation } from '@boxoffice/http';
import { type ContextOf, type InstitutionContext, readTimestamp } from '../context.ts';
import { selectCurrent } from '../domain/order.ts';
import { print, rollBack } from '../domain/ticket.ts';
import * as example from '../examples.ts';
import { OrderPrinting, PrintedTickets } from '../schemas.ts';
import type { TicketDocument } from '../store.ts';
import { answer, changing, finalCodes, PATH, single, toTicketView } from './answers.ts';
import { changeLines, listOrderTickets } from './lineage.ts';
import { changeTicket } from './tickets.ts';

const printing = { ...single, ...changing, path: `${single.path}/printing` } as const;
const params = { ticketId: example.ids.ticket };

export function createPrintingRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'printOrder',
      method: 'post',
      path: `${PATH}/printing`,
      access: 'tickets:write',
      summary: 'Records that every ticket of an order that is not printed yet is printed, or delivered in another way',
      description:
        'Answers the current ticket of each line, those that were printed before included. An order has tickets from ' +
        'its confirmation on; before, as for an unknown order, the answer is 404.',
      body: OrderPrinting,
      answers: { 200: PrintedTickets },
      errors: ['not_found', 'ticket_cancelled'],
      example: { body: { orderId: example.ids.order }, answer: { items: [example.printed] } },
      handle: async ({ caller, body }) => {
        const tickets = await printTickets(contextOf(caller), body.orderId);
        const buyers = tickets.flatMap(({ contactNumber }) => (contactNumber === null ? [] : [contactNumber]));
        const subjects = [...new Set([...tickets.map(({ id }) => id), ...buyers])];
        return ok({ items: tickets.map(toTicketView) }, { subjects });
      },
    }),
    operation({
      ...printing,
      id: 'printTicket',
      method: 'post',
      summary: 'Records that a ticket is printed, or delivered in another way',
      description:
        'An order has tickets from its confirmation on; before, it has no ticket ids, and nothing can be printed.',
      errors: finalCodes,
      example: { params, answer: example.printed },
      handle: async ({ caller, params, ifMatch, remember }) =>
        answer(
          await changeTicket(
            contextOf(caller),
            params.ticketId,
            { ifMatch, idempotencyRecord: remember(answer) },
            print,
          ),
        ),
    }),
    operation({
      ...printing,
      id: 'rollBackPrinting',
      method: 'delete',
      summary: 'Rolls a print back, for example after a failure of the printer',
      description: 'Its status is `not_printed` again.',
      errors: ['ticket_not_printed', ...finalCodes],
      example: { params, answer: example.ticket },
      handle: async ({ caller, params, ifMatch }) =>
        answer(await changeTicket(contextOf(caller), params.ticketId, { ifMatch }, rollBack)),
    }),
  ];
}

/**
 * Returns the current ticket of each line. Idempotent, so a repeat completes an interrupted call. @throws {Fault}
 * `not_found` without tickets, `ticket_cancelled`
 */
const printTickets = async (context: InstitutionContext, orderId: string): Promise<readonly TicketDocument[]> => {
  const { collections } = context;
  const tickets = selectCurrent(await listOrderTickets(collections, orderId));
  if (tickets.length === 0) throw new Fault('not_found', 'There are no tickets of an order with this id.');
  const done = await changeLines(collections, tickets, (found) => {
    const decision = print(found, readTimestamp(context));
    return 'next' in decision ? decision.next : found;
  });
  const isOver = ({ status, kept }: TicketDocument) => status === 'cancelled' || kept;
  if (done.every(isOver) && done.some(({ status }) => status === 'cancelled'))
    throw new Fault('ticket_cancelled', 'The tickets of the order are cancelled.');
  return done;
};
