import { selectText } from '@boxoffice/http';
import { formatLocalTime, formatRepeatedOffset } from '@boxoffice/http/local-time';
import { resolveReturnTerms } from '@boxoffice/prices';
import type { Static } from 'typebox';
import type { Offer, Performance, PointOfSale, Product, Stock } from '../clients/catalog.ts';
import type * as schemas from '../description/products.ts';
import { createPriceList } from '../domain/list-price.ts';
import { compareByStartThenId, computeAvailability, isOnSale, isShown, selectTariffs } from '../domain/offer.ts';
import { describeReturnPolicy, toWording } from '../orders/return-text.ts';

export interface Audience {
  readonly pointOfSale: PointOfSale;
  /** The first is that of the answer, the others are for texts that lack it. */
  readonly languages: readonly string[];
  /** Those of the contact whose prices are requested; empty without one. */
  readonly criteria: readonly string[];
  /** Of the visitor's cart; empty where they change nothing. */
  readonly codes: readonly string[];
}

interface Listed {
  readonly product: Product;
  readonly performances: readonly Performance[];
}

/** Undefined if unknown. */
export type StockOf = (performanceId: string) => Stock | undefined;

export function listShownPerformances(product: Product, now: number): Performance[] {
  return product.performances.filter((performance) => isShown(performance, product, now)).sort(compareByStartThenId);
}

/**
 * Its own dates, else those of its performances, which take precedence after a cancellation: the product's own may be
 * those of the cancelled one.
 */
export function computePeriod({
  startDate,
  endDate,
  performances,
}: Pick<Product, 'startDate' | 'endDate'> & {
  readonly performances: readonly Pick<Performance, 'state' | 'startDate'>[];
}) {
  const live = performances.filter(({ state }) => state !== 'cancelled');
  const starts = live.map((performance) => performance.startDate).sort();
  const [first, last] = [starts[0] ?? null, starts.at(-1) ?? null];
  return live.length < performances.length
    ? { startDate: first ?? startDate, endDate: last ?? endDate }
    : { startDate: startDate ?? first, endDate: endDate ?? last };
}

export function listShownProducts({ products }: Offer, type?: string): Product[] {
  return products
    .filter((product) => product.state === 'running' && (type === undefined || product.type === type))
    .map((product) => ({ product, id: product.id, startDate: computePeriod(product).startDate }))
    .sort(compareByStartThenId)
    .map(({ product }) => product);
}

/** The name of the offset is in the language. */
const formatLocalStart = ({ startDate, timeZone }: Performance, language: string) => ({
  localStartDate: formatLocalTime(startDate, timeZone),
  startOffset: formatRepeatedOffset(language, startDate, timeZone),
});

export function createViews(audience: Audience, offer: Offer, stockOf: StockOf, now: number) {
  const { pointOfSale, criteria } = audience;
  const languages = [...audience.languages, ...(offer.languages ?? [])];
  const [language = 'en'] = languages;
  const timeZone = offer.products.flatMap(({ performances }) => performances)[0]?.timeZone ?? 'UTC';
  const tariffs = selectTariffs(offer.tariffs, pointOfSale.tariffIds, criteria);
  const { currency } = pointOfSale;
  const buyer = { pointOfSale: pointOfSale.serviceHost, clientId: null };
  const priceAlone = createPriceList(offer.pricing, { ...buyer, criteria, now });

  /** What is sold to the visitor, at what he pays. */
  const listPrices = (performance: Performance) => {
    return performance.prices.flatMap(({ seatCategoryId, tariffId, amount: base }) => {
      const tariff = tariffs.get(tariffId);
      const amount = tariff && priceAlone(performance, tariff, base);
      return tariff === undefined || amount === undefined ? [] : [{ seatCategoryId, tariff, amount }];
    });
  };

  const entry = (product: Product): Static<typeof schemas.ProductEntry> => {
    const shown = listShownPerformances(product, now);
    const amounts = shown.flatMap(listPrices).map(({ amount }) => amount);
    return {
      id: product.id,
      code: product.code,
      type: product.type as Static<typeof schemas.ProductEntry>['type'],
      name: selectText(product.name, languages),
      description: product.description && selectText(product.description, languages),
      ...computePeriod(product),
      priceFrom: amounts.length > 0 ? Math.min(...amounts) : null,
      currency,
      availability: computeLevel(shown, stockOf),
      onSale: shown.some((performance) => isOnSale(performance, product, now)),
    };
  };

  // Absent until every instance of the catalog is of this release.
  const toEntries = (product: Product) => ({ entries: product.entries ?? null });
  const toImage = ({ image }: Product) => ({
    image: image ? { url: image.url, alt: selectText(image.alt, languages) } : null,
  });
  const toMore = (product: Product) => ({
    ...toEntries(product),
    ...toImage(product),
    details: product.details ? selectText(product.details, languages) : null,
  });

  const wording = { ...toWording({ languages, pointOfSale }), now };

  /** Of a place at this price; null: it stays sold. Absent members: until every instance of the catalog is of this release. */
  const toReturnMembers = (performance: Performance, tariffId: string, amount: number) => {
    const { startDate, timeZone } = performance;
    const terms = tariffs.get(tariffId)?.returnPolicy ?? performance.returnPolicy;
    const policy = terms && resolveReturnTerms(terms, { startDate, amount });
    const returnPolicy = policy
      ? {
          ...{ returnableUntil: toInstant(policy.returnableUntil), returnFee: policy.returnFee },
          ...{ exchangeableUntil: toInstant(policy.exchangeableUntil), exchangeFee: policy.exchangeFee },
        }
      : null;
    return { returnPolicy, returnText: describeReturnPolicy(returnPolicy, { ...wording, timeZone }) };
  };

  const performanceEntry = (product: Product) => (performance: Performance) => {
    const free = mapFree(performance, stockOf);
    const prices = listPrices(performance);
    return {
      id: performance.id,
      startDate: performance.startDate,
      durationMinutes: performance.durationMinutes,
      venue: { name: performance.venue.name, city: performance.venue.city },
      timeZone: performance.timeZone,
      salesFrom: performance.salesFrom,
      salesTo: performance.salesTo,
      availability: computeLevel([performance], stockOf),
      onSale: isOnSale(performance, product, now),
      seatCategories: performance.seatCategories.map(({ id, name, numbered }) => ({
        id,
        name: selectText(name, languages),
        numbered,
        free: free.get(id) ?? 0,
        prices: prices
          .filter(({ seatCategoryId }) => seatCategoryId === id)
          .map(({ tariff, amount }) => ({ tariffId: tariff.id, tariff: selectText(tariff.name, languages), amount })),
      })),
    };
  };

  return {
    entry,
    listed: (product: Product): Static<typeof schemas.ListedProduct> => ({ ...entry(product), ...toMore(product) }),
    programmeEntry: ({ product, performances }: Listed): Static<typeof schemas.ProgrammeEntry> => {
      const [next] = performances;
      return {
        ...entry(product),
        ...formatLocalPeriod(product, timeZone),
        performance: next
          ? {
              ...{ id: next.id, startDate: next.startDate, timeZone: next.timeZone },
              ...formatLocalStart(next, language),
              venue: { name: next.venue.name, city: next.venue.city },
            }
          : null,
        performances: performances.length,
        ...toEntries(product),
        ...toImage(product),
      };
    },
    detail: (product: Product): Static<typeof schemas.ProductDetail> => ({
      ...entry(product),
      performances: listShownPerformances(product, now).map(performanceEntry(product)),
    }),
    page: (product: Product): Static<typeof schemas.ProductPage> => ({
      ...entry(product),
      ...formatLocalPeriod(product, timeZone),
      ...toMore(product),
      performances: listShownPerformances(product, now).map((performance) => {
        const { seatCategories, ...entry } = performanceEntry(product)(performance);
        return {
          ...entry,
          ...formatLocalStart(performance, language),
          seatCategories: seatCategories.map(({ prices, ...category }) => ({
            ...category,
            prices: prices.map((price) => ({
              ...price,
              ...toReturnMembers(performance, price.tariffId, price.amount),
            })),
          })),
        };
      }),
    }),
    availabilities: (product: Product): Record<string, Static<typeof schemas.AvailabilityEntry>> =>
      Object.fromEntries(
        listShownPerformances(product, now).map((performance) => {
          const free = mapFree(performance, stockOf);
          const seatCategories = performance.seatCategories.map(({ id, name }) => ({
            id,
            name: selectText(name, languages),
            free: free.get(id) ?? 0,
          }));
          const availability = computeLevel([performance], stockOf);
          return [performance.id, { startDate: performance.startDate, availability, seatCategories }];
        }),
      ),
  };
}

const toInstant = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs).toISOString());

const computeLevel = (performances: readonly Performance[], stockOf: StockOf) => {
  const categories = performances.flatMap(({ id }) => stockOf(id)?.seatCategories ?? []);
  const sum = (of: 'free' | 'capacity') => categories.reduce((total, category) => total + category[of], 0);
  return computeAvailability(sum('free'), sum('capacity'));
};

const mapFree = (performance: Performance, stockOf: StockOf): ReadonlyMap<string, number> =>
  new Map(stockOf(performance.id)?.seatCategories.map(({ id, free }) => [id, free]) ?? []);

/** The dates are by the clocks of its first and its last venue; without any by those of `otherwise`. */
const formatLocalPeriod = (product: Product, otherwise: string) => {
  const { startDate, endDate } = computePeriod(product);
  const live = product.performances.filter(({ state }) => state !== 'cancelled');
  const dated = (live.length > 0 ? live : product.performances).toSorted(compareByStartThenId);
  const local = (date: string | null, performance: Performance | undefined) =>
    date === null ? null : formatLocalTime(date, performance?.timeZone ?? otherwise);
  return { localStartDate: local(startDate, dated[0]), localEndDate: local(endDate, dated.at(-1)) };
};
