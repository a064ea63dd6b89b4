// The document of a ticket: what is printed on it, as PDF and as SVG.

import { capitalise, formatMoney, formatSeat, selectLocale, selectText } from '@boxoffice/http';
import { formatDateAndTime, formatValidity } from '@boxoffice/http/local-time';
import type { Ticket } from '../domain/ticket.ts';
import { selectSpeech } from './texts.ts';

/** The colours of a point of sale, `#rrggbb`. */
export interface Colours {
  readonly accent: string;
  readonly ink: string;
  readonly paper: string;
}

/** A logo that can be drawn: its SVG and its proportions; in a layout its size in points. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** What the documents of a point of sale look like. */
export interface Brand {
  readonly name: string;
  readonly colours: Colours;
  readonly logo: Picture | null;
}

/** Of a point of sale that has set none: black on white. */
export const PLAIN: Colours = { accent: '#000000', ink: '#000000', paper: '#ffffff' };

/** One line of the document: a name and what it says. */
interface Entry {
  readonly name: string;
  readonly value: string;
}

/** What a document shows, in one language. */
export interface About {
  /** ISO 639, of the fixed words. */
  readonly language: string;
  readonly institution: string | null;
  readonly title: string;
  readonly when: string | null;
  readonly venue: string | null;
  readonly entries: readonly Entry[];
  readonly barcode: string;
  /** What the code is, for people who do not see it. */
  readonly code: string;
  readonly note: string;
  /** The ticket's id with its name, for a door where nothing can be scanned. */
  readonly number: string;
  /** ISO 8601 UTC. */
  readonly printedAt: string;
}

/** A document: a page for each ticket, with the look of the point of sale that sold them, or without any. */
export interface Content {
  readonly pages: readonly About[];
  readonly brand: Brand | null;
}

/** What the pages are about, each once. */
export function formatTitle({ pages }: Content): string {
  return [...new Set(pages.map(({ title }) => title))].join(', ');
}

/** The document of one ticket without a point of sale's look, as the institution API returns it. */
export function createPlainContent(about: About): Content {
  return { pages: [about], brand: null };
}

/** The order of a ticket, for the buyer's own papers. */
interface Purchase {
  readonly number: string;
  readonly buyer: string | null;
}

/** Types of products that are no shows; another one is spoken of as a show. */
const NO_SHOWS = ['pass', 'season_ticket', 'membership', 'service', 'goods', 'package'];

/**
 * What the document of this ticket shows, in the first of these languages that a text has, else in the first of the
 * text, in which the catalog puts that of the institution. Members that the ticket does not have, since it is
 * older, are left out, and so is a name that was erased.
 */
export function describeTicket(ticket: Ticket, languages: readonly string[], purchase?: Purchase): About {
  const { about, place, price, beneficiary, startDate, id, barcode } = ticket;
  const { texts, locale: tag } = selectSpeech(languages, Object.keys(about?.product ?? {}));
  const locale = selectLocale(tag, price.currency);
  const isShow = !NO_SHOWS.includes(about?.productType ?? 'show');
  const spoken = (names: Readonly<Record<string, string>> | undefined): string | null =>
    names === undefined ? null : selectText(names, languages);
  const said = isShow ? texts : texts.other;
  const title = spoken(about?.product) ?? texts.ticket;
  const category = spoken(about?.seatCategory);
  const unseated = isShow ? place.label : null;
  const seat = place.row !== null && place.seat !== null ? formatSeat(texts.language, place.row, place.seat) : unseated;
  const whenOf = (start: string): string =>
    isShow
      ? capitalise(formatDateAndTime(locale, start, about?.timeZone))
      : formatValidity(locale, { from: start, until: about?.validUntil ?? null }, about?.timeZone);
  const entries: [string, string | null][] = [
    [texts.category, isShow || category !== title ? category : null],
    [texts.place, seat],
    [texts.beneficiary, nameOf(beneficiary)],
    [texts.tariff, spoken(about?.tariff)],
    [texts.price, formatMoney(locale, price.amount, price.currency, 'code')],
    [texts.order, purchase?.number ?? null],
    [texts.buyer, purchase?.buyer ?? null],
  ];
  return {
    language: texts.language,
    institution: about?.institution ?? null,
    title,
    when: startDate && about?.productType !== 'goods' ? whenOf(startDate) : null,
    venue: about ? [about.venue.name, about.venue.city].filter(Boolean).join(', ') : null,
    entries: entries.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    barcode,
    code: said.code,
    note: said.note,
    number: `${said.number} ${id}`,
    printedAt: ticket.printedAt ?? ticket.createdAt,
  };
}

const nameOf = (beneficiary: Ticket['beneficiary']): string | null =>
  [beneficiary?.firstName, beneficiary?.lastName].filter(Boolean).join(' ') || null;
