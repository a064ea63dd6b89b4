import { PosFault } from '@boxoffice/envelope';
import { formatLocalDay } from '@boxoffice/http/local-time';
import { createCache, type Dated } from '../clients/cache.ts';
import type { Offer, Performance, Product } from '../clients/catalog.ts';
import { compareByStartThenId, findIn, type Wanted } from '../domain/offer.ts';
import { mapById, type Part } from '../request/pagination.ts';
import { createNotFoundFault } from '../request/visit.ts';
import { type Offers, SECOND } from './offers.ts';
import { type Audience, computePeriod, createViews, listShownPerformances, listShownProducts } from './views.ts';

/** Answers of each kind, over all audiences. */
const ANSWERS = 400;

/** Loads at most about every half second for each audience and request. */
export function cacheAnswers<What extends readonly unknown[], Value>(
  load: (audience: Audience, ...what: What) => Promise<Dated<Value>>,
  max = ANSWERS,
) {
  const answers = createCache<Value>({ ...SECOND, max });
  return async (audience: Audience, ...what: What): Promise<Value> =>
    (await answers.get(formatKey(audience, ...what), () => load(audience, ...what))).value;
}

const formatKey = ({ pointOfSale, languages, criteria, codes }: Audience, ...what: readonly unknown[]): string =>
  JSON.stringify([pointOfSale.serviceHost, pointOfSale.updatedAt, languages, criteria, codes, ...what]);

export function formatVenueDay({ startDate, timeZone }: Pick<Performance, 'startDate' | 'timeZone'>): string {
  return formatLocalDay(startDate, timeZone);
}

/** @throws {PosFault} not_found */
export async function findShownPerformance(
  offers: Offers,
  audience: Audience,
  { productId, performanceId }: { readonly productId: string; readonly performanceId: string },
  now: number,
): Promise<Performance> {
  const product = await findShown(offers, audience, productId);
  return listShownPerformances(product, now).find(({ id }) => id === performanceId) ?? absent();
}

/** @throws {PosFault} not_found */
const findShown = async (offers: Offers, { pointOfSale }: Audience, productId: string): Promise<Product> => {
  const findRunning = ({ products }: Offer) =>
    products.find(({ id, state }) => id === productId && state === 'running');
  const { institution } = pointOfSale;
  return (
    findRunning(await offers.published(institution)) ?? findRunning(await offers.publishedNow(institution)) ?? absent()
  );
};

const absent = (): never => {
  throw createNotFoundFault();
};

/** Answers are shared by all visitors of an audience, and at most a second old. */
export function createShowcase(offers: Offers, now: () => number = Date.now) {
  const findShownProduct = (audience: Audience, productId: string) => findShown(offers, audience, productId);

  /** The answer is dated as of the availability of the products. */
  const about = async <Value>(
    audience: Audience,
    products: readonly Product[],
    say: (views: ReturnType<typeof createViews>) => Value,
  ): Promise<Dated<Value>> => {
    const { institution } = audience.pointOfSale;
    const ids = products.flatMap((product) => listShownPerformances(product, now()).map(({ id }) => id));
    const [offer, { value: stockOf, asOf }] = await Promise.all([
      offers.published(institution, audience.codes),
      offers.stock(institution, ids),
    ]);
    return { value: say(createViews(audience, offer, stockOf, now())), asOf };
  };

  return {
    list: cacheAnswers(async (audience, as: 'entry' | 'listed', type: string | undefined, { offset, limit }: Part) => {
      const all = listShownProducts(await offers.published(audience.pointOfSale.institution), type);
      const products = all.slice(offset, offset + limit);
      return about(audience, products, (views) => ({ data: mapById(products.map(views[as])), total: all.length }));
    }),

    programme: cacheAnswers(
      async (audience, wanted: Wanted & { readonly type?: string | undefined }, { offset, limit }: Part) => {
        const offer = await offers.published(audience.pointOfSale.institution);
        const { listed, ...choices } = listProgramme(offer, wanted, now());
        const shown = listed.slice(offset, offset + limit);
        return about(
          audience,
          shown.map(({ product }) => product),
          (views) => ({
            data: { products: mapById(shown.map(views.programmeEntry)), ...choices },
            total: listed.length,
          }),
        );
      },
    ),

    /** Rejects with PosFault `not_found` for a product that is not shown; so do the others. */
    detail: cacheAnswers(async (audience, productId: string) => {
      const product = await findShownProduct(audience, productId);
      return about(audience, [product], ({ detail }) => detail(product));
    }),

    page: cacheAnswers(async (audience, productId: string) => {
      const product = await findShownProduct(audience, productId);
      return about(audience, [product], ({ page }) => page(product));
    }),

    availabilities: cacheAnswers(async (audience, productId: string) => {
      const product = await findShownProduct(audience, productId);
      return about(audience, [product], ({ availabilities }) => availabilities(product));
    }),

    /** @throws {PosFault} `not_found` for a performance that is not shown, `invalid_parameter` for a category */
    async places(audience: Audience, productId: string, performanceId: string, wanted?: string) {
      const performance = await findShownPerformance(offers, audience, { productId, performanceId }, now());
      if (wanted !== undefined && !performance.seatCategories.some(({ id }) => id === wanted))
        throw new PosFault('invalid_parameter', 'query seatCategoryId: the performance has no such seat category.');
      const { value: places = absent() } = await offers.places(audience.pointOfSale.institution, performanceId);
      const chosen = places.filter((place) => wanted === undefined || place.seatCategoryId === wanted);
      return chosen.map(({ id, label, row, seat, seatCategoryId, free }) => ({
        id,
        label,
        ...(row === null ? {} : { row }),
        ...(seat === null ? {} : { seat }),
        seatCategoryId,
        free,
      }));
    },
  };
}

/** Sorted by the start of their first matching performance. */
const listProgramme = (
  offer: Offer,
  { type, ...wanted }: Wanted & { readonly type?: string | undefined },
  now: number,
) => {
  const all = listShownProducts(offer);
  const items = all
    .filter((product) => type === undefined || product.type === type)
    .map((product) => ({
      product,
      titles: Object.values(product.name),
      // Only shows have dates; what anything else has is a period of validity.
      performances: product.type === 'show' ? listShownPerformances(product, now) : [],
    }));
  const { found, days, venues } = findIn<Performance, (typeof items)[number]>(items, wanted, formatVenueDay);
  const listed = found
    .map(({ item: { product }, performances }) => ({
      product,
      performances,
      id: product.id,
      startDate: performances[0]?.startDate ?? computePeriod(product).startDate,
    }))
    .sort(compareByStartThenId);
  return { listed, days, venues, types: [...new Set(all.map((product) => product.type))] };
};
