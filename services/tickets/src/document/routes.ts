import { type AnyOperation, ok, operation } from '@boxoffice/http';
import { Type } from 'typebox';
import type { ContextOf } from '../bounds.ts';
import * as example from '../examples.ts';
import { single } from '../tickets/answers.ts';
import { documentOf, PDF, SVG } from './document.ts';

/** The document of a ticket. */
export const documentRoutes = (contextOf: ContextOf): AnyOperation[] => [
  operation({
    ...single,
    path: `${single.path}/document`,
    id: 'getTicketDocument',
    method: 'get',
    access: 'tickets:read',
    admits: ['customer'],
    summary: 'Returns a ticket with its QR code, to print or to show',
    description:
      '`Accept: application/pdf` (default) or `image/svg+xml`; any other `Accept` gets the PDF. Names are in the language ' +
      '`lang`, or in another that the institution has; the fixed words in English, French or German. A ticket must be printed, ' +
      'controlled tickets included; a cancelled or replaced one is refused.',
    query: { lang: Type.Optional(Type.String({ description: 'an ISO 639 or BCP 47 code; default: en' })) },
    answers: { 200: Type.String() },
    documents: [PDF, SVG],
    errors: ['ticket_not_printed', 'ticket_cancelled', 'ticket_invalidated'],
    example: { params: { ticketId: example.ids.ticket }, query: { lang: 'fr' }, answer: 'a PDF' },
    handle: async ({ caller, params, query, header }) => {
      const collections = contextOf(caller).collections(caller.institution);
      const document = await documentOf(collections, params.ticketId, query.lang, header('accept'));
      return ok('', {
        document,
        headers: { Vary: 'Accept', 'Content-Disposition': `inline; filename="${params.ticketId}"` },
      });
    },
  }),
];
