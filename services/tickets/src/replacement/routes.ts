import { type AnyOperation, mergePatch, operation } from '@boxoffice/http';
import type { ContextOf } from '../context.ts';
import { named } from '../domain/beneficiary.ts';
import * as example from '../examples.ts';
import { Replacement, readOnly, Ticket, TicketChanges } from '../schemas.ts';
import { answer, changing, createdAnswer, finalCodes, PATH, single, type Versioned, view } from '../tickets/answers.ts';
import { freshSuccessor, renameTicket, replaceTicket } from './replace.ts';

const params = { ticketId: example.ids.ticket };

/** Changing the beneficiary, and replacing a printed ticket by a new one. */
export const replacementRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    ...single,
    ...changing,
    id: 'updateTicket',
    method: 'patch',
    summary: 'Changes the beneficiary of a ticket',
    description:
      'A JSON merge patch (RFC 7396): null removes. A printed ticket has the old name on paper, so it is replaced: ' +
      'the answer is the new ticket, whose `replaces` is this one. Refused for a controlled, cancelled or replaced ' +
      'ticket.',
    body: TicketChanges,
    readOnly,
    errors: finalCodes,
    example: { params, body: { beneficiary: example.beneficiary }, answer: example.replacing },
    handle: async ({ caller, params, body, ifMatch, unchanged, remember }) =>
      answer(
        await renameTicket(
          contextOf(caller),
          params.ticketId,
          (current) => {
            const { beneficiary } = mergePatch<{ beneficiary?: object | null }>({ beneficiary: current }, body);
            return beneficiary ? named(beneficiary) : null;
          },
          {
            ifMatch,
            unchanged: (ticket) => unchanged(view(ticket)),
            idempotencyRecord: remember<Versioned>((ticket) => answer(freshSuccessor(ticket) ?? ticket)),
          },
        ),
      ),
  }),
  operation({
    ...single,
    path: `${PATH}/{ticketId}/replacement`,
    id: 'replaceTicket',
    method: 'post',
    access: 'tickets:write',
    summary: 'Replaces a printed ticket by a new one',
    description:
      'For a lost ticket, or one for another person. The new ticket is printed and has its own barcode; this one is ' +
      'invalidated, and its barcode is refused at the door. The place stays the same, and the line of the order ' +
      'names the new ticket.',
    body: Replacement,
    answers: { 201: Ticket },
    errors: ['ticket_not_printed', ...finalCodes],
    etag: true,
    conditional: true,
    example: { params, body: { reason: 'lost' }, answer: example.replacing },
    handle: async ({ caller, params, body, ifMatch, remember }) => {
      const idempotencyRecord = remember<Versioned>((ticket) => createdAnswer(freshSuccessor(ticket) ?? ticket));
      const request = { ifMatch, idempotencyRecord };
      return createdAnswer(await replaceTicket(contextOf(caller), params.ticketId, request, body.reason));
    },
  }),
];
