// The document of a ticket: what is printed on it, as PDF and as SVG.

import type { Ticket } from '../domain/ticket.ts';
import { type Language, textsOf } from './texts.ts';

/** One line of the document: a name and what it says. */
export interface Entry {
  readonly name: string;
  readonly value: string;
}

/** What a document shows, in one language. */
export interface About {
  readonly language: Language;
  readonly title: string;
  readonly when: string | null;
  readonly venue: string | null;
  readonly entries: readonly Entry[];
  readonly barcode: string;
  /** For people who cannot scan the code. */
  readonly ticketId: string;
  readonly note: string;
}

/** The text in the language, or else in another that there is. */
const inLanguage = (texts: Readonly<Record<string, string>> | undefined, language: string): string | null =>
  texts === undefined ? null : (texts[language] ?? Object.values(texts)[0] ?? null);

const nameOf = (beneficiary: Ticket['beneficiary']): string | null =>
  [beneficiary?.firstName, beneficiary?.lastName].filter(Boolean).join(' ') || null;

/** An amount in the currency's minor unit, as people of the language write it. */
const money = (amount: number, currency: string, language: string): string => {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
};

const startOf = (startDate: string | null | undefined, timeZone: string | undefined, language: string) =>
  startDate
    ? new Intl.DateTimeFormat(language, {
        dateStyle: 'full',
        timeStyle: 'short',
        timeZone: timeZone ?? 'UTC',
      }).format(new Date(startDate)) + (timeZone === undefined ? ' UTC' : '')
    : null;

/** What the document of this ticket shows. Members that the ticket does not have, since it is older, are left out. */
export const aboutTicket = (ticket: Ticket, language: Language): About => {
  const { about, place, price, beneficiary, startDate, id, barcode } = ticket;
  const texts = textsOf(language);
  const seat = place.row !== null && place.seat !== null ? texts.seat(place.row, place.seat) : place.label;
  const entries: [string, string | null][] = [
    [texts.category, inLanguage(about?.seatCategory, language)],
    [texts.place, seat],
    [texts.tariff, inLanguage(about?.tariff, language)],
    [texts.price, money(price.amount, price.currency, language)],
    [texts.beneficiary, nameOf(beneficiary)],
  ];
  return {
    language,
    title: inLanguage(about?.product, language) ?? texts.ticket,
    when: startOf(startDate, about?.timeZone, language),
    venue: about ? [about.venue.name, about.venue.city].filter(Boolean).join(', ') : null,
    entries: entries.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    barcode,
    ticketId: id,
    note: texts.note,
  };
};
