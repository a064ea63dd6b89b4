import { PosFault } from '@boxoffice/envelope';
import { selectText } from '@boxoffice/http';
import type { PointOfSale } from '../clients/catalog.ts';
import type { Contacts, OwnContact } from '../clients/contacts.ts';
import type { Order, Orders } from '../clients/orders.ts';
import type { ShownDocument, Ticket, Tickets } from '../clients/tickets.ts';
import { type FindPointOfSale, findExistingPointOfSale } from '../request/visit.ts';
import { loadBrowserModule } from '../shop/browser-modules.ts';
import type { MailDocument, MailKind } from '../store.ts';
import type { drawOrderDocument } from '../tickets/documents.ts';
import { type Mailbox, type OutgoingMail, resolveSender } from './server.ts';
import { type FindTemplate, fillTemplate, PLAIN, renderHtml, type TemplateKind } from './templates.ts';
import {
  buildMailValues,
  formatBuyerName,
  listSoldImages,
  listSoldPlaces,
  listSoldShows,
  type PerformanceOf,
  type Sold,
} from './values.ts';

interface CalendarEvent {
  readonly uid: string;
  readonly startDate: string;
  /** Null or 0: the event has no end. */
  readonly durationMinutes: number | null;
  readonly summary: string;
  readonly location: string | null;
}

interface CalendarFile {
  readonly organiser: Mailbox;
  readonly sequence: number;
  readonly writtenAt: number;
  readonly isCancelled: boolean;
}

// A module of the shop's pages, which offer the same file.
const { calendarOf, calendarType, eventUid, sequenceAt } = await loadBrowserModule<{
  calendarType(file: Pick<CalendarFile, 'isCancelled'>): string;
  calendarOf(events: readonly CalendarEvent[], file: CalendarFile): string;
  eventUid(orderId: string, performanceId: string, serviceHost: string): string;
  sequenceAt(order: Pick<Order, 'createdAt'>, time: number, occasion: Exclude<CalendarKind, 'lines-returned'>): number;
}>('calendar.js');

type CalendarKind = Exclude<MailKind, 'refund' | 'refund-failed' | 'link'>;

const isCalendarKind = (kind: MailKind): kind is CalendarKind =>
  kind !== 'refund' && kind !== 'refund-failed' && kind !== 'link';

type Composed =
  | { readonly state: 'ready'; readonly mail: OutgoingMail; readonly pointOfSale: PointOfSale }
  /** Nothing of an erased buyer's mail is kept. */
  | { readonly state: 'erased' }
  | { readonly state: 'dropped'; readonly reason: string }
  /** What the mail is about is not recorded everywhere yet. */
  | { readonly state: 'incomplete'; readonly reason: string };

/** The same link at each attempt. */
export type LinkOf = (mail: MailDocument, order: Order, pointOfSale: PointOfSale) => Promise<string>;

export interface ComposeDependencies {
  readonly pointOfSaleOf: FindPointOfSale;
  readonly orders: Pick<Orders, 'get'>;
  readonly tickets: Pick<Tickets, 'list'>;
  /** @throws {PosFault} ticket_not_printed */
  readonly documentOf: (sold: Parameters<typeof drawOrderDocument>[1]) => Promise<ShownDocument>;
  readonly contacts: Pick<Contacts, 'own'>;
  readonly findTemplate: FindTemplate;
  readonly linkOf: LinkOf;
  readonly performancesOf: (institution: string) => Promise<PerformanceOf>;
  readonly from: Mailbox | undefined;
  readonly now: () => number;
}

/** Tickets that show no move so long after it show a later one. */
const SUPERSEDED_MS = 10 * 60_000;

/** In bytes: servers commonly refuse more, and the link leads to the tickets as well. */
const MAX_ATTACHED = 7_000_000;

/** Drawing tickets takes a while, in which the order may change: then the mail is composed again. */
const MOST_TRIES = 3;

/** Composes mails from what orders, tickets and contacts say when a mail is handed over. */
export function createCompose(its: ComposeDependencies) {
  /** No file if no ticket is printed, or one was replaced just now: the page has them. */
  const documents = async (order: Order, tickets: readonly Ticket[], pointOfSale: PointOfSale, languages: string[]) => {
    try {
      const { contentType, base64 } = await its.documentOf({ order, tickets, pointOfSale, languages });
      const content = Buffer.from(base64, 'base64');
      const filename = `${order.number}.${contentType === 'application/pdf' ? 'pdf' : 'svg'}`;
      return content.length > MAX_ATTACHED ? [] : [{ filename, contentType, content }];
    } catch (error) {
      if (error instanceof PosFault && error.errorCode === 'ticket_not_printed') return [];
      throw error;
    }
  };

  /** One file that publishes the evenings, or one for each: a file cancels one event only (RFC 5546, 3.2.5). */
  const calendar = (
    { kind, createdAt }: MailDocument,
    order: Order,
    { serviceHost }: PointOfSale,
    organiser: Mailbox,
    sold: readonly Sold[],
    languages: readonly string[],
  ) => {
    if (!isCalendarKind(kind)) return [];
    const events = listSoldShows(sold, languages).map(({ performanceId, startDate, durationMinutes, name, where }) => ({
      uid: eventUid(order.id, performanceId, serviceHost),
      startDate,
      durationMinutes,
      summary: name,
      location: where,
    }));
    const isCancelled = kind === 'cancelled' || kind === 'lines-returned';
    const file = {
      organiser,
      sequence: sequenceAt(order, createdAt, isCancelled ? 'cancelled' : kind),
      writtenAt: its.now(),
      isCancelled,
    };
    const files = isCancelled ? events.map((event) => [event]) : events.length > 0 ? [events] : [];
    return files.map((those, index) => ({
      filename: `${order.number}${index === 0 ? '' : `-${index + 1}`}.ics`,
      contentType: calendarType(file),
      content: Buffer.from(calendarOf(those, file)),
    }));
  };

  const writeMail = async (
    mail: MailDocument,
    order: Order,
    shop: PointOfSale,
    contact: OwnContact,
    tickets: readonly Ticket[],
    { sold, returned }: Readonly<Record<'sold' | 'returned', readonly Sold[]>>,
  ) => {
    const wanted = [...(contact.language === null ? [] : [contact.language]), ...shop.languages];
    const { template, language } = its.findTemplate(shop.serviceHost, wanted, selectTemplate(mail, order));
    const languages = [...new Set([language, ...wanted])];
    const [link, attachments] = await Promise.all([
      template.body.includes('{{link}}') ? its.linkOf(mail, order, shop) : '',
      documents(order, tickets, shop, languages),
    ]);
    const attached = attachments.length;
    const values = buildMailValues({ mail, order, shop, contact, sold, returned, languages, link, attached });
    const { subject, text, button } = fillTemplate(template, values);
    const name = selectText(shop.name, languages);
    const sender = resolveSender(its.from, { name, serviceHost: shop.serviceHost });
    const isToCome = mail.kind === 'confirmation' || mail.kind === 'moved';
    const shows = mail.kind === 'lines-returned' ? returned : sold;
    const images = isToCome ? listSoldImages(sold, shop, languages) : [];
    const look = { name, colours: shop.branding?.colours ?? PLAIN, images };
    return {
      from: sender,
      to: { name: formatBuyerName(contact), address: contact.email ?? '' },
      subject,
      text,
      html: renderHtml({ text, button, language }, link, look),
      // The same at each attempt, so that a mail sent twice is recognised.
      messageId: `<${mail.id}@${getHostName(shop)}>`,
      date: new Date(mail.createdAt),
      headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
      attachments: [...attachments, ...calendar(mail, order, shop, sender, shows, languages)],
    };
  };

  const composeFor = async (mail: MailDocument, order: Order | undefined): Promise<Composed> => {
    const { institution, orderId, kind } = mail;
    const shop = await findExistingPointOfSale(its, mail.pointOfSale);
    if (shop?.institution !== institution) return { state: 'dropped', reason: 'no_point_of_sale' };
    if (!order || !holds(mail, order)) return { state: 'dropped', reason: 'outdated' };
    if (order.contactNumber === null) return { state: 'dropped', reason: 'no_contact' };
    const contact = await its.contacts.own(institution, order.contactNumber);
    // That of a guest is written after the order.
    if (!contact) return { state: 'incomplete', reason: 'contact' };
    if (contact.erasedAt !== null) return { state: 'erased' };
    if (contact.email === null) return { state: 'dropped', reason: 'no_address' };
    const known = await its.tickets.list(institution, { orderIds: [orderId] });
    const tickets = kind === 'confirmation' || kind === 'moved' ? validTickets(order, known) : [];
    if (!tickets) return { state: 'incomplete', reason: 'tickets' };
    const performanceOf = await its.performancesOf(institution);
    const sold = listSoldPlaces(order, known, performanceOf);
    const left = order.formerLines.filter(({ changeId }) => changeId === mail.changeId);
    const returned = listSoldPlaces({ lines: left }, known, performanceOf);
    const dated = sold.map(({ line, startDate }) => ({ performanceId: line.performanceId, startDate }));
    // Tickets follow a move, and the catalogue may be as it was last known.
    if (kind === 'moved' && !(showsMove(mail, tickets) && showsMove(mail, dated))) {
      const isOld = its.now() - mail.createdAt > SUPERSEDED_MS;
      return isOld ? { state: 'dropped', reason: 'outdated' } : { state: 'incomplete', reason: 'tickets' };
    }
    const moved = sold.find(({ line }) => line.performanceId === mail.move?.performanceId);
    if (kind === 'moved' && !moved) return { state: 'dropped', reason: 'outdated' };
    if (moved?.productType === 'goods') return { state: 'dropped', reason: 'goods' };
    const written = await writeMail(mail, order, shop, contact, tickets, { sold, returned });
    return { state: 'ready', mail: written, pointOfSale: shop };
  };

  return async (mail: MailDocument): Promise<Composed> => {
    const { institution, orderId } = mail;
    let order = await its.orders.get(institution, orderId);
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const composed = await composeFor(mail, order);
      if (composed.state !== 'ready') return composed;
      const current = await its.orders.get(institution, orderId);
      if (current?.version === order?.version) return composed;
      order = current;
    }
    return { state: 'incomplete', reason: 'order_changes' };
  };
}

const selectTemplate = ({ kind }: MailDocument, order: Order): TemplateKind => {
  if (kind !== 'cancelled') return kind;
  return order.performanceCancelled ? 'performance-cancelled' : 'order-cancelled';
};

const getHostName = ({ serviceHost }: PointOfSale): string => serviceHost.replace(/:\d+$/, '');

const holds = ({ kind, refund }: MailDocument, { state, failedRefunds }: Order): boolean => {
  if (kind === 'refund') return !failedRefunds.some((id) => id === refund?.id);
  return !isCalendarKind(kind) || state === (kind === 'cancelled' ? 'cancelled' : 'confirmed');
};

/** The valid tickets in the order of the lines; undefined if one is not issued yet. */
const validTickets = (order: Order, found: readonly Ticket[]): Ticket[] | undefined => {
  const byId = new Map(found.map((ticket) => [ticket.id, ticket]));
  const tickets = order.lines.flatMap(({ ticketId }) => byId.get(ticketId ?? '') ?? []);
  return tickets.length === order.lines.length ? tickets : undefined;
};

const showsMove = (
  { move }: MailDocument,
  places: readonly { readonly performanceId: string; readonly startDate: string | null }[],
): boolean =>
  places
    .filter(({ performanceId }) => performanceId === move?.performanceId)
    .every(({ startDate }) => startDate !== null && Date.parse(startDate) === Date.parse(move?.startDate ?? ''));

export type Compose = ReturnType<typeof createCompose>;
