// Control at the door: by ticket or by barcode, and its reversal.

import { type AnyOperation, operation } from '@boxoffice/http';
import type { ContextOf } from '../bounds.ts';
import { control, revert } from '../domain/control.ts';
import { ticketControlled, ticketControlReverted } from '../events.ts';
import * as example from '../examples.ts';
import { Control } from '../schemas.ts';
import { answer, changing, finalCodes, single } from '../tickets/answers.ts';
import { findTicket } from '../tickets/lineage.ts';
import { changeTicket } from '../tickets/tickets.ts';
import { scanOf, withScan } from './scans.ts';

const controlling = { ...single, ...changing, path: `${single.path}/control`, admits: ['door'] } as const;
const params = { ticketId: example.ids.ticket };

/** Control: controls a ticket at the door, and reverts that. */
export const controlRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    ...controlling,
    id: 'controlTicket',
    method: 'post',
    summary: 'Controls a ticket at the door, once',
    description:
      'Already controlled: 409, with time and gate in `details`. Not printed, cancelled or replaced: 412, with the ' +
      'reason and the replacing ticket in `details`. A scanner that was offline sends the time of the control as ' +
      '`at`.',
    body: Control,
    errors: ['ticket_already_controlled', 'ticket_not_printed', ...finalCodes, 'semantically_invalid'],
    example: { params, body: example.control, answer: example.controlled },
    handle: async ({ caller, params: { ticketId }, body, ifMatch, remember, idempotencyKey }) => {
      const context = contextOf(caller);
      const collections = context.collections(caller.institution);
      const scan = scanOf(context, body, idempotencyKey);
      const run = () =>
        changeTicket(
          context,
          caller.institution,
          ticketId,
          { ifMatch, idempotencyRecord: remember(answer) },
          (ticket, now) => control(ticket, scan, now),
          ticketControlled,
        );
      return answer(await withScan(collections, scan, undefined, run, () => findTicket(collections, ticketId)));
    },
  }),
  operation({
    ...controlling,
    id: 'revertControl',
    method: 'delete',
    summary: 'Reverts a control: the ticket can be controlled again',
    description: 'Refused if the order was cancelled after the control: the ticket stays controlled.',
    errors: ['order_cancelled', 'ticket_not_printed', ...finalCodes],
    example: { params, answer: example.printed },
    handle: async ({ caller, params, ifMatch }) =>
      answer(
        await changeTicket(
          contextOf(caller),
          caller.institution,
          params.ticketId,
          { ifMatch },
          revert,
          ticketControlReverted,
        ),
      ),
  }),
];
