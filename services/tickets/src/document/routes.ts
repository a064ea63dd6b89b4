import { type AnyOperation, listAcceptedTags, ok, operation } from '@boxoffice/http';
import { Type } from 'typebox';
import type { ContextOf } from '../context.ts';
import * as example from '../examples.ts';
import { single } from '../tickets/answers.ts';
import { computeEtag, drawTicketDocument, PDF, SVG } from './document.ts';

export function createDocumentRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      ...single,
      path: `${single.path}/document`,
      id: 'getTicketDocument',
      method: 'get',
      access: 'tickets:read',
      admits: ['customer'],
      summary: 'Returns a ticket with its QR code, to print or to show',
      description:
        '`Accept: application/pdf` (default) or `image/svg+xml`; any other `Accept` gets the PDF. It shows what was ' +
        'sold: who sold it, product, category, place, tariff, beneficiary, the price with what makes it and its taxes ' +
        '(rate, tax, net), and start (by the clocks of the venue) and venue of the performance as they are now, in the language of `lang` where the institution has ' +
        'such names, else in those of `Accept-Language`, else in its first; the fixed words in English, French, ' +
        'German or Italian. The PDF has its fonts with it: Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and ' +
        'Arabic, and what the installation has. Letters that no font has are boxes; then `Link` names the SVG ' +
        '(`rel="alternate"`), which uses the reader\'s fonts. A ticket must be printed, controlled tickets included; ' +
        'a cancelled or replaced one is refused.',
      query: {
        lang: Type.Optional(
          Type.String({ description: 'a language tag (BCP 47), such as `fr` or `fr-CH`; goes before Accept-Language' }),
        ),
      },
      answers: { 200: Type.String() },
      documents: [PDF, SVG],
      etag: true,
      errors: ['ticket_not_printed', 'ticket_cancelled', 'ticket_invalidated'],
      example: { params: { ticketId: example.ids.ticket }, query: { lang: 'fr' }, answer: 'a PDF' },
      handle: async ({ caller, params, query, header }) => {
        const languages = listAcceptedTags(query.lang, header('accept-language'));
        const document = await drawTicketDocument(contextOf(caller), params.ticketId, languages, header('accept'));
        const name = `${params.ticketId}.${document.extension}`;
        return ok('', {
          document,
          etag: computeEtag(document),
          headers: {
            Vary: 'Accept, Accept-Language',
            'Content-Disposition': `inline; filename="${name}"`,
            ...(document.hasBoxes ? { Link: buildAlternateLink(query.lang) } : {}),
          },
        });
      },
    }),
  ];
}

/** Links to the SVG (RFC 8288), relative to the address of the PDF. */
const buildAlternateLink = (lang: string | undefined): string => {
  const query = lang === undefined ? '' : `?${new URLSearchParams({ lang })}`;
  return `<document${query}>; rel="alternate"; type="${SVG}"`;
};
