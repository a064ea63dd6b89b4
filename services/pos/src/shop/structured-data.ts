import { EXPONENTS } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { ProductDetail } from '../description/schemas.ts';

type Product = Static<typeof ProductDetail>;
type Performance = Product['performances'][number];

const SCHEMA = 'https://schema.org';

const AVAILABILITY = { available: 'InStock', few: 'LimitedAvailability', sold_out: 'SoldOut' } as const;

/** What a product is sold at, as search engines read it. */
export interface Seller {
  readonly name: string;
  readonly language: string;
  /** The address of the product's page. */
  readonly url: string;
}

/** Minor units as a decimal number, without a currency. */
export const decimal = (amount: number, currency: string): string => {
  const digits = EXPONENTS[currency] ?? 2;
  return (amount / 10 ** digits).toFixed(digits);
};

const lowest = ({ seatCategories }: Performance): number | undefined =>
  seatCategories.flatMap(({ prices }) => prices.map(({ amount }) => amount)).toSorted((a, b) => a - b)[0];

const offer = (
  { url }: Seller,
  currency: string,
  price: number | null | undefined,
  availability: keyof typeof AVAILABILITY,
) => ({
  '@type': 'Offer',
  url,
  availability: `${SCHEMA}/${AVAILABILITY[availability]}`,
  ...(price === null || price === undefined ? {} : { price: decimal(price, currency), priceCurrency: currency }),
});

const event = (product: Product, performance: Performance, seller: Seller) => {
  const { startDate, durationMinutes, venue, salesFrom } = performance;
  const end = Date.parse(startDate) + (durationMinutes ?? 0) * 60_000;
  return {
    '@type': 'Event',
    name: product.name,
    ...(product.description ? { description: product.description } : {}),
    startDate,
    ...(durationMinutes === null ? {} : { endDate: new Date(end).toISOString() }),
    eventStatus: `${SCHEMA}/EventScheduled`,
    eventAttendanceMode: `${SCHEMA}/OfflineEventAttendanceMode`,
    inLanguage: seller.language,
    location: {
      '@type': 'Place',
      name: venue.name,
      ...(venue.city && { address: { '@type': 'PostalAddress', addressLocality: venue.city } }),
    },
    organizer: { '@type': 'Organization', name: seller.name },
    offers: {
      ...offer(seller, product.currency, lowest(performance), performance.availability),
      ...(salesFrom === null ? {} : { validFrom: salesFrom }),
    },
  };
};

/** Maximum events of a page, the next ones: a search engine reads no more dates than visitors do. */
const EVENTS = 50;

/** A show as an `Event` for each performance, anything else as a `Product` (https://schema.org). */
export const structuredData = (product: Product, seller: Seller): object => {
  if (product.type === 'show') {
    const events = product.performances.slice(0, EVENTS).map((performance) => event(product, performance, seller));
    return { '@context': SCHEMA, '@graph': events };
  }
  return {
    '@context': SCHEMA,
    '@type': 'Product',
    name: product.name,
    ...(product.description ? { description: product.description } : {}),
    sku: product.code,
    brand: { '@type': 'Organization', name: seller.name },
    offers: offer(seller, product.currency, product.priceFrom, product.availability),
  };
};
