// Printing: of a ticket or of a whole order, and its reversal.

import { type AnyOperation, operation } from '@boxoffice/http';
import type { ContextOf } from '../bounds.ts';
import { print, rollBack } from '../domain/ticket.ts';
import * as example from '../examples.ts';
import { answer, changing, finalCodes, single } from '../tickets/answers.ts';
import { changeTicket } from '../tickets/tickets.ts';

const printing = { ...single, ...changing, path: `${single.path}/printing` } as const;
const params = { ticketId: example.ids.ticket };

/** Printing: records that a ticket is printed, and rolls that back. */
export const printingRoutes = (contextOf: ContextOf): AnyOperation[] => [
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
          caller.institution,
          params.ticketId,
          {
            ifMatch,
            idempotencyRecord: remember(answer),
          },
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
      answer(await changeTicket(contextOf(caller), caller.institution, params.ticketId, { ifMatch }, rollBack)),
  }),
];
