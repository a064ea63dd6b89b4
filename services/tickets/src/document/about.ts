import {
  capitalise,
  formatMoney,
  formatPriceParts,
  formatSeat,
  listIncludedTaxes,
  listSellerLines,
  selectLocale,
  selectText,
} from '@boxoffice/http';
import { formatDateAndTime, formatValidity } from '@boxoffice/http/local-time';
import type { Ticket } from '../domain/ticket.ts';
import { selectSpeech } from './texts.ts';

/** `#rrggbb`. */
export interface Colours {
  readonly accent: string;
  readonly ink: string;
  readonly paper: string;
}

/** Its SVG and its proportions; in a layout its size in points. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

export interface Brand {
  readonly name: string;
  readonly colours: Colours;
  readonly logo: Picture | null;
}

/** The colours of a point of sale that has none. */
export const PLAIN: Colours = { accent: '#000000', ink: '#000000', paper: '#ffffff' };

export type About = ReturnType<typeof describeTicket>;

/** A line of a receipt; its amounts stand in columns at the right. */
export interface Row {
  readonly text: string;
  readonly amounts?: readonly string[];
  readonly isBold?: boolean;
  readonly isGrey?: boolean;
  readonly isTitle?: boolean;
}

/** The rows of a block stand on one page. */
export type Receipt = readonly (readonly Row[])[];

/** `brand` is that of the point of sale that sold the tickets; null: without any look. */
export interface Content {
  readonly pages: readonly About[];
  readonly brand: Brand | null;
  /** Follows the tickets. */
  readonly receipt?: Receipt;
}

/** Names each title once. */
export function formatTitle({ pages }: Content): string {
  return [...new Set(pages.map(({ title }) => title))].join(', ');
}

/** The institution API returns it so. */
export function createPlainContent(about: About): Content {
  return { pages: [about], brand: null };
}

/** Shown for the buyer's own papers. */
export interface Purchase {
  readonly number: string;
  readonly buyer: string | null;
}

/** Any other type is described as a show. */
const NO_SHOWS = ['pass', 'season_ticket', 'membership', 'service', 'goods', 'package'];

/** What was sold, in words; members that an older ticket does not have are null. */
export function describeItem(
  { about, place, price, startDate }: Pick<Ticket, 'about' | 'place' | 'price' | 'startDate'>,
  languages: readonly string[],
) {
  const { texts, locale: tag } = selectSpeech(languages, Object.keys(about?.product ?? {}));
  const locale = selectLocale(tag, price.currency);
  const isShow = !NO_SHOWS.includes(about?.productType ?? 'show');
  const translate = (names: Readonly<Record<string, string>> | undefined): string | null =>
    names === undefined ? null : selectText(names, languages);
  const money = (amount: number): string => formatMoney(locale, amount, price.currency, 'code');
  const title = translate(about?.product) ?? texts.ticket;
  const category = translate(about?.seatCategory);
  const unseated = isShow ? place.label : null;
  const formatWhen = (start: string): string =>
    isShow
      ? capitalise(formatDateAndTime(locale, start, about?.timeZone))
      : formatValidity(locale, { from: start, until: about?.validUntil ?? null }, about?.timeZone);
  const { amount, base = amount, components = [], taxes = [] } = price;
  return {
    ...{ texts, locale, isShow, money, title },
    category: isShow || category !== title ? category : null,
    seat: place.row !== null && place.seat !== null ? formatSeat(texts.language, place.row, place.seat) : unseated,
    tariff: translate(about?.tariff),
    when: startDate && about?.productType !== 'goods' ? formatWhen(startDate) : null,
    venue: about ? [about.venue.name, about.venue.city].filter(Boolean).join(', ') : null,
    amount: money(amount),
    composition: formatPriceParts({ base, components }, money, translate) || null,
    taxes: listIncludedTaxes(locale, taxes, money),
  };
}

/** Uses the first of these languages that a text has, else the first of the text. A name that was erased is left out. */
export function describeTicket(ticket: Ticket, languages: readonly string[], purchase?: Purchase) {
  const { about, beneficiary, id, barcode } = ticket;
  const sold = describeItem(ticket, languages);
  const { texts } = sold;
  const said = sold.isShow ? texts : texts.other;
  const entries: [string, string | null][] = [
    [texts.category, sold.category],
    [texts.place, sold.seat],
    [texts.beneficiary, formatName(beneficiary)],
    [texts.tariff, sold.tariff],
    [texts.price, sold.amount],
    ...[sold.composition, ...sold.taxes].map((value): [string, string | null] => ['', value]),
    [texts.order, purchase?.number ?? null],
    [texts.buyer, purchase?.buyer ?? null],
  ];
  return {
    /** The language of the fixed words (ISO 639). */
    language: texts.language,
    institution: about?.institution ?? null,
    /** Who sold it, as a receipt names it; null: not known. */
    seller: about?.seller ? listSellerLines(about.seller).join(', ') : null,
    title: sold.title,
    when: sold.when,
    venue: sold.venue,
    entries: entries.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    barcode,
    /** Says what the code is, for people who do not see it. */
    code: said.code,
    note: said.note,
    /** The ticket's id with its name, for a door where nothing can be scanned. */
    number: `${said.number} ${id}`,
    /** ISO 8601 UTC. */
    printedAt: ticket.printedAt ?? ticket.createdAt,
  };
}

const formatName = (beneficiary: Ticket['beneficiary']): string | null =>
  [beneficiary?.firstName, beneficiary?.lastName].filter(Boolean).join(' ') || null;
