import type { Static } from 'typebox';
import type { InstitutionContext } from '../context.ts';
import { aboutTicket, type Content } from '../document/about.ts';
import { PLAIN } from '../document/brand.ts';
import { PDF, SVG, validTicket } from '../document/document.ts';
import { svgOf } from '../document/svg.ts';
import type { DocumentRequest, ShopDocument } from '../schemas.ts';
import { presentTickets } from '../tickets/tickets.ts';

/**
 * The document of some printed tickets with the look of their point of sale: a PDF, or SVG where no font has the
 * letters. A logo that cannot be drawn is left out.
 * @throws {Fault} `not_found`, `ticket_not_printed`, `ticket_cancelled`, `ticket_invalidated`, `service_unavailable`
 */
export const shopDocumentOf = async (
  { drawing, collections }: Pick<InstitutionContext, 'drawing' | 'collections'>,
  { ticketIds, languages, pointOfSale: { name, branding }, order }: Static<typeof DocumentRequest>,
): Promise<Static<typeof ShopDocument>> => {
  const stored = await Promise.all(ticketIds.map((ticketId) => validTicket(collections, ticketId)));
  const tickets = await presentTickets(collections, stored);
  const logo = branding?.logo ? await drawing.logoOf(branding.logo) : null;
  const content: Content = {
    pages: tickets.map((ticket) => aboutTicket(ticket, languages, order)),
    brand: { name, colours: branding?.colours ?? PLAIN, logo },
  };
  const { pdf, missing } = await drawing.draw(content);
  const [contentType, bytes] = missing.length > 0 ? [SVG, svgOf(content)] : [PDF, pdf];
  return { contentType, base64: bytes.toString('base64') };
};
