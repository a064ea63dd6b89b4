import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, ok, operation } from '@boxoffice/http';
import type { ContextOf } from '../bounds.ts';
import { type CallerContext, timestampOf } from '../context.ts';
import { current } from '../domain/order.ts';
import { print } from '../domain/ticket.ts';
import * as example from '../examples.ts';
import { OrderPrinting, PrintedTickets } from '../schemas.ts';
import type { TicketDocument } from '../store.ts';
import { PATH } from '../tickets/answers.ts';
import { changeLine, ticketsOfOrder } from '../tickets/lineage.ts';
import { view } from '../tickets/view.ts';

/** The number of tickets that are printed concurrently. */
const WIDTH = 16;

/**
 * Prints every ticket of an order that is not printed yet, and returns the current ticket of each line. Idempotent, so
 * a repeat completes an interrupted call.
 * @throws {Fault} `not_found` without tickets, `ticket_cancelled`
 */
const printTickets = async (
  context: CallerContext,
  institution: string,
  orderId: string,
): Promise<readonly TicketDocument[]> => {
  const collections = context.collections(institution);
  const tickets = current(await ticketsOfOrder(collections, orderId));
  if (tickets.length === 0) throw new Fault('not_found', 'There are no tickets of an order with this id.');
  const printed: TicketDocument[] = [];
  for (let start = 0; start < tickets.length; start += WIDTH) {
    const some = tickets.slice(start, start + WIDTH).map((ticket) =>
      changeLine(collections, ticket, (found) => {
        if (found.status === 'cancelled')
          throw new Fault('ticket_cancelled', 'The tickets of the order are cancelled.');
        const decision = found.status === 'not_printed' ? print(found, timestampOf(context)) : { next: found };
        return 'next' in decision ? decision.next : found;
      }),
    );
    printed.push(...(await Promise.all(some)));
  }
  return printed;
};

/** Printing a whole order. */
export const orderPrintingRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'printOrder',
    method: 'post',
    path: `${PATH}/printing`,
    access: 'tickets:write',
    summary: 'Records that every ticket of an order that is not printed yet is printed, or delivered in another way',
    description:
      'Answers the current ticket of each line, those that were printed before included. An order has tickets from its ' +
      'confirmation on; before, as for an unknown order, the answer is 404.',
    body: OrderPrinting,
    answers: { 200: PrintedTickets },
    errors: ['not_found', 'ticket_cancelled'],
    example: { body: { orderId: example.ids.order }, answer: { items: [example.printed] } },
    handle: async ({ caller, body }) => {
      const tickets = await printTickets(contextOf(caller), caller.institution, body.orderId);
      const buyers = tickets.flatMap(({ contactNumber }) => (contactNumber === null ? [] : [contactNumber]));
      const subjects = [...new Set([...tickets.map(({ id }) => id), ...buyers])];
      return ok({ items: tickets.map(view) }, { subjects });
    },
  }),
];
