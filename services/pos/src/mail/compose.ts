import { PosFault } from '@boxoffice/envelope';
import type { PointOfSale } from '../clients/catalog.ts';
import type { Contacts, OwnContact } from '../clients/contacts.ts';
import type { Order, Orders } from '../clients/orders.ts';
import type { Ticket, Tickets } from '../clients/tickets.ts';
import type { FindPointOfSale } from '../request/visit.ts';
import type { MailDocument } from '../store.ts';
import type { orderDocument, ShownDocument } from '../tickets/documents.ts';
import type { Mailbox, OutgoingMail } from './server.ts';
import { type FindTemplate, fillTemplate, htmlOf, PLAIN, type TemplateKind } from './templates.ts';
import { buyerName, evenings, type PerformanceOf, type Sold, soldPlaces, valuesOf } from './values.ts';

/** One performance of an order, for the calendar of its buyer. */
interface CalendarEvent {
  /** Made by `eventUid`. */
  readonly uid: string;
  /** ISO 8601. */
  readonly startDate: string;
  /** Null or 0: unknown, and the event has no end. */
  readonly durationMinutes: number | null;
  readonly summary: string;
  readonly location: string | null;
  readonly isCancelled: boolean;
}

// A module of the shop's pages, which offer the same file.
const { CALENDAR_TYPE, calendarOf, eventUid } = (await import(
  new URL('../../shop/calendar.js', import.meta.url).href
)) as {
  readonly CALENDAR_TYPE: string;
  calendarOf(events: readonly CalendarEvent[], writtenAt: number): string;
  eventUid(orderId: string, performanceId: string, serviceHost: string): string;
};

/** A mail ready to be sent, or why it is not. */
type Composed =
  | { readonly state: 'ready'; readonly mail: OutgoingMail; readonly pointOfSale: PointOfSale }
  /** Its buyer was erased: nothing of it is kept. */
  | { readonly state: 'erased' }
  /** There is nothing to say any more, or nobody to say it to. */
  | { readonly state: 'dropped'; readonly reason: string }
  /** What it is about is not recorded everywhere yet. */
  | { readonly state: 'incomplete'; readonly reason: string };

/** The link to the page of an order, the same at each attempt. Rejects if it cannot be made now. */
export type LinkOf = (mail: MailDocument, order: Order, pointOfSale: PointOfSale) => Promise<string>;

export interface ComposeDependencies {
  readonly pointOfSaleOf: FindPointOfSale;
  readonly orders: Pick<Orders, 'get'>;
  readonly tickets: Pick<Tickets, 'list'>;
  /** @throws {PosFault} ticket_not_printed */
  readonly documentOf: (sold: Parameters<typeof orderDocument>[1]) => Promise<ShownDocument>;
  readonly contacts: Pick<Contacts, 'own'>;
  readonly findTemplate: FindTemplate;
  readonly linkOf: LinkOf;
  /** Best effort: performances as the catalogue says them now. */
  readonly performancesOf: (institution: string) => Promise<PerformanceOf>;
  readonly from: Mailbox | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Whether an error is the fault of family B with this code. */
const isRefused = (error: unknown, code: PosFault['errorCode']): boolean =>
  error instanceof PosFault && error.errorCode === code;

/** Tickets that do not show a move so long after it show a later one. */
const SUPERSEDED_MS = 10 * 60_000;

/** Attachments that are longer are left out, in bytes: servers commonly refuse more. The link leads to the tickets. */
const MAX_ATTACHED = 7_000_000;

const templateOf = ({ kind }: MailDocument, order: Order): TemplateKind => {
  if (kind !== 'cancelled') return kind;
  return order.performanceCancelled ? 'performance-cancelled' : 'order-cancelled';
};

/** Whether the order is still as the mail says. */
const holds = ({ kind }: MailDocument, { state }: Order): boolean =>
  kind === 'refund' || state === (kind === 'cancelled' ? 'cancelled' : 'confirmed');

/** The valid tickets of an order, in the order of its lines; undefined if one is not issued yet. */
const validTickets = (order: Order, found: readonly Ticket[]): Ticket[] | undefined => {
  const byId = new Map(found.map((ticket) => [ticket.id, ticket]));
  const tickets = order.lines.flatMap(({ ticketId }) => byId.get(ticketId ?? '') ?? []);
  return tickets.length === order.lines.length ? tickets : undefined;
};

const showsMove = ({ move }: MailDocument, tickets: readonly Ticket[]): boolean =>
  tickets
    .filter(({ performanceId }) => performanceId === move?.performanceId)
    .every(({ startDate }) => startDate !== null && Date.parse(startDate) === Date.parse(move?.startDate ?? ''));

const hostOf = ({ serviceHost }: PointOfSale): string => serviceHost.replace(/:\d+$/, '');

/** Composes mails from what orders, tickets and contacts say now. */
export const createCompose = (its: ComposeDependencies) => {
  const pointOfSale = async (mail: MailDocument): Promise<PointOfSale | undefined> => {
    try {
      const found = await its.pointOfSaleOf(mail.pointOfSale);
      return found.institution === mail.institution ? found : undefined;
    } catch (error) {
      if (isRefused(error, 'context_invalid')) return undefined;
      throw error;
    }
  };

  /** The tickets as one file; none if none is printed, or one was replaced just now: the page has them. */
  const documents = async (order: Order, tickets: readonly Ticket[], pointOfSale: PointOfSale, languages: string[]) => {
    try {
      const { contentType, base64 } = await its.documentOf({ order, tickets, pointOfSale, languages });
      const content = Buffer.from(base64, 'base64');
      const filename = `${order.number}.${contentType === 'application/pdf' ? 'pdf' : 'svg'}`;
      return content.length > MAX_ATTACHED ? [] : [{ filename, contentType, content }];
    } catch (error) {
      if (isRefused(error, 'ticket_not_printed')) return [];
      throw error;
    }
  };

  /** The evenings of an order for the buyer's calendar, where a cancelled one replaces what it has. */
  const calendar = (
    { kind }: MailDocument,
    order: Order,
    { serviceHost }: PointOfSale,
    sold: readonly Sold[],
    languages: readonly string[],
  ) => {
    const shows = evenings(sold, languages);
    if (kind === 'refund' || shows.length === 0) return [];
    const events = shows.map(({ performanceId, startDate, durationMinutes, name, where }) => ({
      uid: eventUid(order.id, performanceId, serviceHost),
      startDate,
      durationMinutes,
      summary: name,
      location: where,
      isCancelled: kind === 'cancelled',
    }));
    const content = Buffer.from(calendarOf(events, its.now()));
    return [{ filename: `${order.number}.ics`, contentType: CALENDAR_TYPE, content }];
  };

  const written = async (
    mail: MailDocument,
    order: Order,
    shop: PointOfSale,
    contact: OwnContact,
    tickets: Ticket[],
    sold: readonly Sold[],
  ) => {
    const wanted = [...(contact.language === null ? [] : [contact.language]), ...shop.languages];
    const { template, language } = its.findTemplate(shop.serviceHost, wanted, templateOf(mail, order));
    const languages = [...new Set([language, ...wanted])];
    const [link, attachments] = await Promise.all([
      template.body.includes('{{link}}') ? its.linkOf(mail, order, shop) : '',
      documents(order, tickets, shop, languages),
    ]);
    const attached = attachments.length;
    const values = valuesOf({ mail, order, shop, contact, sold, languages, link, attached });
    const { subject, text } = fillTemplate(template, values);
    const look = { name: shop.name, colours: shop.branding?.colours ?? PLAIN };
    const sender = its.from ?? { name: '', address: `tickets@${hostOf(shop)}` };
    return {
      from: { name: sender.name || shop.name, address: sender.address },
      to: { name: buyerName(contact), address: contact.email ?? '' },
      subject,
      text,
      html: htmlOf({ text, language }, link, look),
      // The same at each attempt, so that a mail that was sent twice is recognised as one.
      messageId: `<${mail.id}@${hostOf(shop)}>`,
      date: new Date(mail.createdAt),
      headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
      attachments: [...attachments, ...calendar(mail, order, shop, sold, languages)],
    };
  };

  return async (mail: MailDocument): Promise<Composed> => {
    const { institution, orderId, kind } = mail;
    const shop = await pointOfSale(mail);
    if (!shop) return { state: 'dropped', reason: 'no_point_of_sale' };
    const order = await its.orders.get(institution, orderId);
    if (!order || !holds(mail, order)) return { state: 'dropped', reason: 'outdated' };
    if (order.contactNumber === null) return { state: 'dropped', reason: 'no_contact' };
    const contact = await its.contacts.own(institution, order.contactNumber);
    // That of a guest is written after the order.
    if (!contact) return { state: 'incomplete', reason: 'contact' };
    if (contact.erasedAt !== null) return { state: 'erased' };
    if (contact.email === null) return { state: 'dropped', reason: 'no_address' };
    const hasTickets = kind === 'confirmation' || kind === 'moved';
    const tickets = hasTickets ? validTickets(order, await its.tickets.list(institution, { orderIds: [orderId] })) : [];
    if (!tickets) return { state: 'incomplete', reason: 'tickets' };
    if (kind === 'moved' && !showsMove(mail, tickets)) {
      const isOld = its.now() - mail.createdAt > SUPERSEDED_MS;
      return isOld ? { state: 'dropped', reason: 'outdated' } : { state: 'incomplete', reason: 'tickets' };
    }
    const sold = soldPlaces(order, tickets, await its.performancesOf(institution));
    const moved = sold.find(({ line }) => line.performanceId === mail.move?.performanceId);
    if (moved?.productType === 'goods') return { state: 'dropped', reason: 'goods' };
    return { state: 'ready', mail: await written(mail, order, shop, contact, tickets, sold), pointOfSale: shop };
  };
};

export type Compose = ReturnType<typeof createCompose>;
