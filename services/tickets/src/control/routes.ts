import { type AnyOperation, operation } from '@boxoffice/http';
import type { ContextOf, InstitutionContext } from '../context.ts';
import { control, revert, type Scan } from '../domain/control.ts';
import { createControlFact, createTicketControlledFact } from '../events.ts';
import * as example from '../examples.ts';
import { BarcodeControl, Control, Ticket } from '../schemas.ts';
import type { TicketDocument } from '../store.ts';
import { changing, createTicketAnswer, finalCodes, PATH, single } from '../tickets/answers.ts';
import { findTicket } from '../tickets/lineage.ts';
import { changeTicket, type Request } from '../tickets/tickets.ts';
import { findAdmittance } from './admittance.ts';
import { findScanProblem, getScanTicketId, type RequestedScan, runAndRecordScan, toScan } from './scans.ts';

const controlling = { ...single, ...changing, path: `${single.path}/control`, admits: ['door'] } as const;
/** Codes of a ticket that admits more than once. */
const enteringCodes = ['ticket_not_valid_now', 'order_cancelled'] as const;

const params = { ticketId: example.ids.ticket };

export function createControlRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'controlBarcode',
      method: 'post',
      path: `${PATH}/control`,
      access: 'tickets:write',
      admits: ['door'],
      summary: 'Controls the ticket with a barcode at the door, once',
      description:
        'A barcode that is not of this institution, or not signed by it, is 404 `ticket_unknown_barcode`. With ' +
        '`performanceId` a ticket for another performance is 409 `ticket_other_performance`. Everything else as for ' +
        'a control by ticket id: already controlled is 409, with time and gate in `details`; not printed, cancelled ' +
        'or replaced is 412. A scanner that was offline sends the time of the control as `at`; one more than 5 ' +
        "minutes before the ticket's issue, more than 7 days ago, or more than 5 minutes ahead is 400 " +
        '`validation_error`. Of a product with `entries`, as of the sale, `daily` admits once per local day of the ' +
        'venue, `unlimited` always, each within its validity (else 412 `ticket_not_valid_now`): the ticket is ' +
        '`controlled` from the first entry on, by the last one, and each entry is a scan in `GET ' +
        '/svc/v3/tickets/controls`.',
      body: BarcodeControl,
      answers: { 200: Ticket },
      etag: true,
      errors: [
        'ticket_unknown_barcode',
        'ticket_other_performance',
        'ticket_already_controlled',
        'ticket_not_printed',
        ...enteringCodes,
        ...finalCodes,
        'validation_error',
      ],
      example: {
        body: { barcode: example.ticket.barcode, performanceId: example.ids.performance, ...example.control },
        answer: example.controlled,
      },
      handle: async ({ caller, body, remember, idempotencyKey }) => {
        const { barcode, performanceId, ...given } = body;
        const answer = createTicketAnswer(caller);
        const context = contextOf(caller);
        const request = { ifMatch: () => {}, idempotencyRecord: remember(answer) };
        const scan = toScan(context, given, idempotencyKey);
        return answer(await controlOnce(context, scan, { barcode, performanceId }, request));
      },
    }),
    operation({
      ...controlling,
      id: 'controlTicket',
      method: 'post',
      summary: 'Controls a ticket at the door, once',
      description:
        'Already controlled: 409, with time and gate in `details`. Not printed, cancelled or replaced: 412, with the ' +
        'reason and the replacing ticket in `details`. A scanner that was offline sends the time of the control as ' +
        "`at`; one more than 5 minutes before the ticket's issue, more than 7 days ago, or more than 5 minutes ahead " +
        'is 400 `validation_error`.',
      body: Control,
      errors: ['ticket_already_controlled', 'ticket_not_printed', ...enteringCodes, ...finalCodes, 'validation_error'],
      example: { params, body: example.control, answer: example.controlled },
      handle: async ({ caller, params: { ticketId }, body, ifMatch, remember, idempotencyKey }) => {
        const answer = createTicketAnswer(caller);
        const context = contextOf(caller);
        const request = { ifMatch, idempotencyRecord: remember(answer) };
        return answer(await controlOnce(context, toScan(context, body, idempotencyKey), { ticketId }, request));
      },
    }),
    operation({
      ...controlling,
      id: 'revertControl',
      method: 'delete',
      summary: 'Reverts a control: the ticket can be controlled again',
      description:
        'Refused if after the control the order was cancelled, or its line returned or exchanged: the ticket stays ' +
        'controlled. Of a ticket that admits more than once its last entry is taken back: it stays `controlled` by the ' +
        'one before, if there is one.',
      errors: ['order_cancelled', 'ticket_not_printed', ...finalCodes],
      example: { params, answer: example.printed },
      handle: async ({ caller, params, ifMatch }) =>
        createTicketAnswer(caller)(
          await changeTicket(contextOf(caller), params.ticketId, { ifMatch }, revert, createControlFact),
        ),
    }),
  ];
}

/** A refused scan is recorded, too. */
const controlOnce = (context: InstitutionContext, scan: Scan, requested: RequestedScan, request: Request) => {
  const { collections } = context;
  const id = getScanTicketId(requested);
  const find = () => findTicket(collections, id);
  const run = async () => {
    const ticket = await find();
    const problem = findScanProblem(ticket, requested);
    if (problem) throw problem;
    const admittance = await findAdmittance(collections, ticket);
    const command = (found: TicketDocument, now: string) => control(found, scan, now, admittance);
    return changeTicket(context, id, request, command, createTicketControlledFact);
  };
  return runAndRecordScan(collections, scan, requested.performanceId, run, find);
};
