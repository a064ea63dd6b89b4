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
import type { Performance, PointOfSale, Product } from '../clients/catalog.ts';
import type { OwnContact } from '../clients/contacts.ts';
import { catalogValues } from '../clients/generated/catalog.ts';
import type { Line, Order } from '../clients/orders.ts';
import type { Ticket } from '../clients/tickets.ts';
import type { Validity } from '../domain/offer.ts';
import { findSeller } from '../orders/receipt.ts';
import { describeReturnPolicy } from '../orders/return-text.ts';
import { isShownImage } from '../products/images.ts';
import type { MailDocument } from '../store.ts';
import type { Values } from './templates.ts';

/** Names of people only: a guest chooses the name, which must not advertise an address or a number through a house. */
const NAME = /^[\p{L}\p{M}\p{Nd}][\p{L}\p{M}\p{Nd}'’.,&+() -]{0,79}$/u;
const ADVERTISES = /\.[\p{L}\p{Nd}]{2}|(?:\p{Nd}[ .-]?){5}/u;
/** An initial without a space after it, which is no address of the web. */
const INITIAL = /(?<![\p{L}\p{M}\p{Nd}])(\p{Lu})\.(?=\p{L}{2})/gu;

/** Empty if no name is known. */
export function formatBuyerName({
  firstName,
  lastName,
  name,
}: Pick<OwnContact, 'firstName' | 'lastName' | 'name'>): string {
  const parts = [firstName, lastName, name].filter((part) => part !== null && part !== '');
  const whole = parts.join(' ').replaceAll(INITIAL, '$1. ');
  return NAME.test(whole) && !ADVERTISES.test(whole) ? whole : '';
}

const NO_SHOWS = catalogValues.ProductType.filter((type) => type !== 'show');

export type PerformanceOf = (
  performanceId: string,
) =>
  | (Pick<Performance, 'startDate' | 'timeZone' | 'venue' | 'durationMinutes'> &
      Pick<Product, 'image' | 'details'> & { readonly validity: Validity })
  | undefined;

/** `performance` as the catalogue says it, else as the ticket does, which follows it. */
export interface Sold {
  readonly line: Line;
  readonly startDate: string;
  readonly about: Line['about'];
  readonly durationMinutes: number | null;
  /** Null for shows and what is spoken of like them. */
  readonly productType: string | null;
  readonly validUntil: string | null;
  /** Of its product, as the catalogue says them now. */
  readonly image: Product['image'];
  readonly details: Product['details'];
}

/** Tickets are those of its lines, valid or not, or none. */
export function listSoldPlaces(
  { lines }: Pick<Order, 'lines'>,
  tickets: readonly Ticket[],
  performanceOf: PerformanceOf,
): Sold[] {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  return lines.map((line) => {
    const ticket = byId.get(line.ticketId ?? '');
    const now = performanceOf(line.performanceId);
    const validity = now?.validity;
    const known = ticket?.about ?? line.about;
    const about = known && now ? { ...known, timeZone: now.timeZone, venue: now.venue } : known;
    const type = validity?.productType ?? about?.productType;
    return {
      line,
      startDate: now?.startDate ?? ticket?.startDate ?? line.startDate,
      about,
      durationMinutes: now?.durationMinutes ?? null,
      productType: NO_SHOWS.find((known) => known === type) ?? null,
      validUntil: validity ? validity.validUntil : (about?.validUntil ?? null),
      image: now?.image ?? null,
      details: now?.details ?? null,
    };
  });
}

const isShow = ({ productType }: Sold): boolean => productType === null;

/** A mail is no programme. */
const MOST_IMAGES = 3;

/** Those that the point of sale may show, each once, with what they show. */
export function listSoldImages(sold: readonly Sold[], shop: PointOfSale, languages: readonly string[]) {
  const shown = sold.flatMap(({ image }) => (image && isShownImage(image.url, shop) ? [image] : []));
  const once = [...new Map(shown.map((image) => [image.url, image])).values()];
  return once.slice(0, MOST_IMAGES).map(({ url, alt }) => ({ url, alt: oneLine(selectText(alt, languages)) }));
}

/** Each product once, with its name where there are several. */
const formatDetails = (sold: readonly Sold[], languages: readonly string[]): string => {
  const products = [...new Map(sold.map((one) => [one.line.productId, one])).values()];
  const spoken = createSpeaker(languages);
  return products
    .flatMap(({ about, details }) => {
      const text = details ? selectText(details, languages).trim() : '';
      if (text === '') return [];
      return [products.length > 1 ? `${spoken(about?.product)}\n${text}` : text];
    })
    .join('\n\n');
};

/** Each performance once. */
export function listSoldShows(sold: readonly Sold[], languages: readonly string[]) {
  const byPerformance = new Map(sold.filter(isShow).map((one) => [one.line.performanceId, one]));
  return [...byPerformance].map(([performanceId, { startDate, durationMinutes, about }]) => ({
    performanceId,
    startDate,
    durationMinutes,
    name: createSpeaker(languages)(about?.product),
    where: formatWhere(about),
  }));
}

const createSpeaker =
  (languages: readonly string[]) => (texts: string | Readonly<Record<string, string>> | undefined) =>
    oneLine(selectText(texts ?? {}, languages));

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

const formatWhere = (about: Line['about']): string =>
  about ? joinParts([oneLine(about.venue.name), oneLine(about.venue.city ?? '')]) : '';

const joinParts = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ');

interface ValuesOptions {
  readonly mail: Pick<MailDocument, 'move' | 'refund'>;
  readonly order: Order;
  readonly shop: Pick<PointOfSale, 'name' | 'receipt'>;
  readonly contact: OwnContact;
  readonly sold: readonly Sold[];
  /** What a cancelled performance took from the order. */
  readonly returned: readonly Sold[];
  /** The first language is that of the mail. */
  readonly languages: readonly string[];
  readonly link: string;
  readonly attached: number;
}

/** Each value but `seller`, `lines`, `returned`, `fees`, `taxes` and `details` is one line. */
export function buildMailValues(its: ValuesOptions): Values {
  const { mail, order, shop, contact, sold, returned, languages, link, attached } = its;
  const [language = 'en'] = languages;
  // As the shop writes them.
  const locale = selectLocale(language.split('-', 1)[0] ?? 'en', order.currency);
  const money = (amount: number, currency = order.currency): string => formatMoney(locale, amount, currency);
  const spoken = createSpeaker(languages);
  const soldAt = Date.parse(order.confirmedAt ?? order.createdAt);

  /** Something else than a show says when it is valid; empty for goods. */
  const formatWhen = (one: Sold): string => {
    const { startDate, validUntil: until, about } = one;
    if (isShow(one)) return formatDateAndTime(locale, startDate, about?.timeZone);
    if (one.productType === 'goods') return '';
    return formatValidity(locale, { from: Date.parse(startDate) <= soldAt ? null : startDate, until }, about?.timeZone);
  };
  const formatPlace = (one: Sold): string => {
    const { line, about } = one;
    const category = spoken(about?.seatCategory);
    const { row, seat, label } = line.place;
    const unseated = isShow(one) ? oneLine(label) : '';
    return joinParts([
      category === spoken(about?.product) ? '' : category,
      row !== null && seat !== null ? oneLine(formatSeat(locale, row, seat)) : unseated,
      spoken(about?.tariff),
    ]);
  };
  const colon = language.startsWith('fr') ? '\u202f:' : ':';
  /** Equal places of what is no show are given as their number. */
  const formatPlaces = (places: readonly Sold[]): string[] =>
    [
      ...Map.groupBy(places, (one) => JSON.stringify([formatPlace(one), one.line.base, one.line.components])).values(),
    ].map((equal) => {
      const [first] = equal as [Sold, ...Sold[]];
      const what = [isShow(first) ? '' : `${equal.length} ×`, formatPlace(first)]
        .filter((part) => part !== '')
        .join(' ');
      const { base, amount, components } = first.line;
      const whole = (each: number): string => money(each * equal.length);
      const made = formatPriceParts({ base, components }, whole, spoken);
      return `- ${what}${colon} ${whole(amount)}${made === '' ? '' : ` (${made})`}`;
    });
  /** Each sentence once; of what was not sold none. */
  const formatReturns = (places: readonly Sold[]): string[] => {
    const { currency, state } = order;
    const said = places.map(({ line, about }) =>
      describeReturnPolicy(line.returnPolicy, { locale, timeZone: about?.timeZone, now: soldAt, currency }),
    );
    return state === 'confirmed' ? [...new Set(said.flatMap((text) => text ?? []))] : [];
  };
  const formatSold = (all: readonly Sold[], formatPolicies: (places: readonly Sold[]) => string[]): string =>
    [...Map.groupBy(all, ({ line }) => line.performanceId).values()]
      .map((places) => {
        const [first] = places as [Sold, ...Sold[]];
        const where = first.productType === 'goods' ? '' : formatWhere(first.about);
        return [
          spoken(first.about?.product),
          capitalise(joinParts([formatWhen(first), where])),
          ...formatPlaces(places),
          ...formatPolicies(places),
        ]
          .filter((part) => part !== '')
          .join('\n');
      })
      .join('\n\n');
  const listProducts = (all: readonly Sold[]): string =>
    joinParts([...new Set(all.map(({ about }) => spoken(about?.product)))]);
  const seller = findSeller(order, shop);
  const moved = sold.find(({ line }) => line.performanceId === mail.move?.performanceId);
  const concerned = moved ? [moved] : returned.length > 0 ? returned : sold;
  return {
    buyer: formatBuyerName(contact),
    pointOfSale: spoken(shop.name),
    number: order.number,
    products: listProducts(sold),
    lines: formatSold(sold, formatReturns),
    returned: formatSold(returned, () => []),
    fees: order.fees.map(({ name, amount }) => `${spoken(name)}${colon} ${money(amount)}`).join('\n'),
    total: money(order.total),
    taxes: listIncludedTaxes(locale, order.taxes, money).join('\n'),
    seller: seller ? listSellerLines(seller).map(oneLine).join('\n') : '',
    details: formatDetails(sold, languages),
    link,
    attached: attached === 0 ? '' : String(attached),
    tickets: concerned.every(isShow) ? 'yes' : '',
    printed: order.ticketDelivery === 'print' ? 'yes' : '',
    performance: moved ? spoken(moved.about?.product) : listProducts(returned),
    when: moved ? formatWhen(moved) : '',
    where: moved ? formatWhere(moved.about) : '',
    refund: mail.refund ? money(mail.refund.amount, mail.refund.currency) : '',
    confirmed: order.state === 'confirmed' && sold.length > 0 ? 'yes' : '',
    expired: order.state === 'expired' ? 'yes' : '',
  };
}
