import { exponentOf, textIn } from '@boxoffice/http';
import type { PointOfSale } from '../clients/catalog.ts';
import type { OwnContact } from '../clients/contacts.ts';
import type { Line, Order } from '../clients/orders.ts';
import type { Ticket } from '../clients/tickets.ts';
import type { MailDocument } from './documents.ts';
import type { Values } from './templates.ts';

/**
 * Names of people only: a guest chooses name and address, so a name that reads as an address of the web would let
 * anybody send advertisements through a house.
 */
const NAME = /^(?!.*\.\S)[\p{L}\p{M}][\p{L}\p{M}'’. -]{0,79}$/u;

/** How the buyer is addressed; empty if that is not known. */
export const buyerName = ({
  firstName,
  lastName,
  name,
}: Pick<OwnContact, 'firstName' | 'lastName' | 'name'>): string => {
  const whole = [firstName, lastName, name].filter((part) => part !== null && part !== '').join(' ');
  return NAME.test(whole) ? whole : '';
};

/** The conventions of a language without a country. */
const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language);

const moneyIn = (language: string, amount: number, currency: string): string => {
  const digits = exponentOf(currency);
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat(localeOf(language), options).format(amount / 10 ** digits);
};

const DATE = { dateStyle: 'full', timeStyle: 'short' } as const;

/** One line of text, whatever it was. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

const whenIn = (language: string, startDate: string, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat(localeOf(language), { ...DATE, timeZone: timeZone ?? 'UTC' }).format(new Date(startDate));

const whereOf = (about: Line['about']): string =>
  about ? oneLine([about.venue.name, about.venue.city].filter((part) => part !== null).join(', ')) : '';

/** A sold place as it is now: tickets follow their performance. */
interface Sold {
  readonly line: Line;
  readonly startDate: string;
  readonly about: Line['about'];
}

const soldPlaces = ({ lines }: Order, tickets: readonly Ticket[]): Sold[] => {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  return lines.map((line) => {
    const ticket = byId.get(line.ticketId ?? '');
    return { line, startDate: ticket?.startDate ?? line.startDate, about: ticket?.about ?? line.about };
  });
};

const spokenIn = (languages: readonly string[]) => (texts: Readonly<Record<string, string>> | undefined) =>
  oneLine(textIn(texts ?? {}, languages));

/** The performances of an order, each once, as they are now. */
export const evenings = (order: Order, tickets: readonly Ticket[], languages: readonly string[]) => {
  const byPerformance = new Map(soldPlaces(order, tickets).map((sold) => [sold.line.performanceId, sold]));
  return [...byPerformance].map(([performanceId, { startDate, about }]) => ({
    performanceId,
    startDate,
    name: spokenIn(languages)(about?.product),
    where: whereOf(about),
  }));
};

export interface ValuesOptions {
  readonly mail: Pick<MailDocument, 'move' | 'refund'>;
  readonly order: Order;
  readonly shop: Pick<PointOfSale, 'name'>;
  readonly contact: OwnContact;
  /** Those of the order's lines; none where the mail does not need them. */
  readonly tickets: readonly Ticket[];
  /** The first is that of the mail. */
  readonly languages: readonly string[];
  readonly link: string;
  /** The number of attached tickets. */
  readonly attached: number;
}

/** What a mail says, in its language. Each value but `lines` is one line. */
export const valuesOf = (its: ValuesOptions): Values => {
  const { mail, order, shop, contact, tickets, languages, link, attached } = its;
  const [language = 'en'] = languages;
  const spoken = spokenIn(languages);
  const sold = soldPlaces(order, tickets);
  const eveningOf = ({ startDate, about }: Sold): string =>
    [whenIn(language, startDate, about?.timeZone), whereOf(about)].filter((part) => part !== '').join(', ');
  const placeOf = ({ line, about }: Sold): string => {
    const what = [spoken(about?.seatCategory), oneLine(line.place.label), spoken(about?.tariff)];
    return `- ${what.filter((part) => part !== '').join(', ')}: ${moneyIn(language, line.amount, order.currency)}`;
  };
  const byPerformance = Map.groupBy(sold, ({ line }) => line.performanceId);
  const lines = [...byPerformance.values()].map((places) => {
    const [first] = places as [Sold, ...Sold[]];
    return [spoken(first.about?.product), eveningOf(first), ...places.map(placeOf)].filter((part) => part !== '');
  });
  const moved = sold.find(({ line }) => line.performanceId === mail.move?.performanceId);
  return {
    buyer: buyerName(contact),
    pointOfSale: oneLine(shop.name),
    number: order.number,
    products: [...new Set(sold.map(({ about }) => spoken(about?.product)))].filter((part) => part !== '').join(', '),
    lines: lines.map((part) => part.join('\n')).join('\n\n'),
    total: moneyIn(language, order.total, order.currency),
    link,
    attached: attached === 0 ? '' : String(attached),
    printed: order.ticketDelivery === 'print' ? 'yes' : '',
    performance: moved ? spoken(moved.about?.product) : '',
    when: moved ? whenIn(language, moved.startDate, moved.about?.timeZone) : '',
    where: moved ? whereOf(moved.about) : '',
    refund: mail.refund ? moneyIn(language, mail.refund.amount, mail.refund.currency) : '',
  };
};
