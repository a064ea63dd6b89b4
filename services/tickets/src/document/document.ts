import { createHash } from 'node:crypto';
import { parseQuality } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { Collections, InstitutionContext } from '../context.ts';
import { refuseStatus, type Ticket } from '../domain/ticket.ts';
import type { DocumentRequest, ShopDocument } from '../schemas.ts';
import { applyPerformance, applyPerformances, getTicket, requireAllowed } from '../tickets/tickets.ts';
import { type Content, createPlainContent, describeTicket, PLAIN } from './about.ts';
import { describeReceipt } from './receipt.ts';
import { drawSvg } from './svg.ts';

export const PDF = 'application/pdf';
export const SVG = 'image/svg+xml';

interface TicketDocument {
  readonly mediaType: string;
  /** The extension of a file's name. */
  readonly extension: string;
  readonly content: Buffer;
  /** For want of a font letters are boxes; the SVG shows them in the reader's fonts. */
  readonly hasBoxes: boolean;
}

/**
 * Uses the first of these languages that its texts have. @throws {Fault} `not_found`, `ticket_not_printed`,
 * `ticket_cancelled`, `ticket_invalidated`, `service_unavailable`
 */
export async function drawTicketDocument(
  { drawing, collections }: Pick<InstitutionContext, 'drawing' | 'collections'>,
  ticketId: string,
  languages: readonly string[],
  accept: string | undefined,
): Promise<TicketDocument> {
  const ticket = await getValidTicket(collections, ticketId);
  const content = createPlainContent(describeTicket(await applyPerformance(collections, ticket), languages));
  if (wantsSvg(accept)) return { mediaType: SVG, extension: 'svg', content: drawSvg(content), hasBoxes: false };
  const { pdf, missing } = await drawing.draw(content);
  return { mediaType: PDF, extension: 'pdf', content: pdf, hasBoxes: missing.length > 0 };
}

/** @throws {Fault} `not_found`, `ticket_not_printed`, `ticket_cancelled`, `ticket_invalidated` */
const getValidTicket = async (collections: Collections, ticketId: string): Promise<Ticket> => {
  const ticket = await getTicket(collections, ticketId);
  if (ticket.status !== 'printed' && ticket.status !== 'controlled') requireAllowed(refuseStatus(ticket));
  return ticket;
};

/** True if it names SVG, with a higher quality than PDF. */
const wantsSvg = (accept = ''): boolean => parseQuality(accept, SVG) > parseQuality(accept, PDF);

/** Hashes the bytes, since they also change with a release. */
export function computeEtag({ content }: TicketDocument): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

/**
 * Has the look of their point of sale: a PDF, or SVG where no font has the letters. A logo that cannot be drawn is left
 * out. @throws {Fault} as {@link drawTicketDocument}
 */
export async function drawShopDocument(
  { drawing, collections }: Pick<InstitutionContext, 'drawing' | 'collections'>,
  { ticketIds, languages, pointOfSale: { name, branding }, order, receipt }: Static<typeof DocumentRequest>,
): Promise<Static<typeof ShopDocument>> {
  const stored = await Promise.all(ticketIds.map((ticketId) => getValidTicket(collections, ticketId)));
  const tickets = await applyPerformances(collections, stored);
  const logo = branding?.logo ? await drawing.logoOf(branding.logo) : null;
  const content: Content = {
    pages: tickets.map((ticket) => describeTicket(ticket, languages, order)),
    brand: { name, colours: branding?.colours ?? PLAIN, logo },
    ...(receipt && { receipt: describeReceipt(receipt, order, languages) }),
  };
  const { pdf, missing } = await drawing.draw(content);
  const [contentType, bytes] = missing.length > 0 ? [SVG, drawSvg(content)] : [PDF, pdf];
  return { contentType, base64: bytes.toString('base64') };
}
