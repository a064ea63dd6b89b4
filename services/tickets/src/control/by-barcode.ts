import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, operation } from '@boxoffice/http';
import { scannedText } from '../barcode/scanned.ts';
import { ticketNamedBy } from '../barcode/signing.ts';
import type { ContextOf } from '../bounds.ts';
import type { Collections } from '../context.ts';
import { control } from '../domain/control.ts';
import { ticketControlled } from '../events.ts';
import * as example from '../examples.ts';
import { BarcodeControl, Ticket } from '../schemas.ts';
import type { TicketDocument } from '../store.ts';
import { answer, finalCodes, PATH } from '../tickets/answers.ts';
import { findTicket } from '../tickets/lineage.ts';
import { changeTicket } from '../tickets/tickets.ts';
import { scanOf, withScan } from './scans.ts';

/** The ticket with this barcode. @throws {Fault} `ticket_unknown_barcode` */
const ticketWith = async (collections: Collections, scanned: string): Promise<TicketDocument> => {
  const barcode = scannedText(scanned);
  const id = ticketNamedBy(barcode);
  const ticket = id === undefined ? undefined : await findTicket(collections, id);
  if (ticket?.barcode === barcode) return ticket;
  throw new Fault('ticket_unknown_barcode', 'No ticket of this institution has this barcode.');
};

/** Control by what a scanner reads, in one request. */
export const barcodeControlRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    id: 'controlBarcode',
    method: 'post',
    path: `${PATH}/control`,
    access: 'tickets:write',
    admits: ['door'],
    summary: 'Controls the ticket with a barcode at the door, once',
    description:
      'A barcode that is not of this institution, or not signed by it, is 404 `ticket_unknown_barcode`. With ' +
      '`performanceId` a ticket for another performance is 409 `ticket_other_performance`. Everything else as for a ' +
      'control by ticket id: already controlled is 409, with time and gate in `details`; not printed, cancelled or ' +
      'replaced is 412. A scanner that was offline sends the time of the control as `at`.',
    body: BarcodeControl,
    answers: { 200: Ticket },
    etag: true,
    errors: [
      'ticket_unknown_barcode',
      'ticket_other_performance',
      'ticket_already_controlled',
      'ticket_not_printed',
      ...finalCodes,
      'semantically_invalid',
    ],
    example: {
      body: { barcode: example.ticket.barcode, performanceId: example.ids.performance, ...example.control },
      answer: example.controlled,
    },
    handle: async ({ caller, body, remember, idempotencyKey }) => {
      const { barcode, performanceId, ...given } = body;
      const context = contextOf(caller);
      const collections = context.collections(caller.institution);
      const scan = scanOf(context, given, idempotencyKey);
      let ticket: TicketDocument | undefined;
      const run = async () => {
        ticket = await ticketWith(collections, barcode);
        if (performanceId !== undefined && performanceId !== ticket.performanceId)
          throw new Fault('ticket_other_performance', `The ticket is for the performance ${ticket.performanceId}.`);
        return changeTicket(
          context,
          caller.institution,
          ticket.id,
          { ifMatch: () => {}, idempotencyRecord: remember(answer) },
          (found, now) => control(found, scan, now),
          ticketControlled,
        );
      };
      return answer(await withScan(collections, scan, performanceId, run, async () => ticket));
    },
  }),
];
