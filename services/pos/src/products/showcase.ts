import { PosFault } from '@boxoffice/envelope';
import type { Static } from 'typebox';
import { createCache, type Dated } from '../clients/cache.ts';
import type { Product } from '../clients/catalog.ts';
import type * as schemas from '../description/schemas.ts';
import { notFound } from '../request/faults.ts';
import type { Part } from '../request/pagination.ts';
import { mapById } from '../request/pagination.ts';
import { type Offers, SECOND } from './offers.ts';
import { type Audience, type Offer, shownPerformances, shownProducts, viewsFor } from './views.ts';

type Entries = Record<string, Static<typeof schemas.ProductEntry>>;

/** Maximum cached answers of each kind, over all audiences. */
const ANSWERS = 400;

const absent = (): never => {
  throw notFound();
};

const keyOf = ({ pointOfSale, languages, criteria }: Audience, ...what: readonly unknown[]): string =>
  JSON.stringify([pointOfSale.serviceHost, pointOfSale.updatedAt, languages, criteria, ...what]);

/** Creates cached answers about products, shared by all visitors of an audience and at most a second old. */
export const createShowcase = (offers: Offers, now: () => number = Date.now) => {
  const lists = createCache<{ readonly data: Entries; readonly total: number }>({ ...SECOND, max: ANSWERS });
  const details = createCache<Static<typeof schemas.ProductDetail>>({ ...SECOND, max: ANSWERS });
  const stocks = createCache<Record<string, Static<typeof schemas.AvailabilityEntry>>>({ ...SECOND, max: ANSWERS });

  const shown = async ({ pointOfSale }: Audience, productId: string): Promise<Product> => {
    const named = ({ products }: Offer) => products.find(({ id, state }) => id === productId && state === 'running');
    const { institution } = pointOfSale;
    return named(await offers.published(institution)) ?? named(await offers.publishedNow(institution)) ?? absent();
  };

  /** An answer about the products, dated as of their availability. */
  const about = async <Value>(
    audience: Audience,
    products: readonly Product[],
    say: (views: ReturnType<typeof viewsFor>) => Value,
  ): Promise<Dated<Value>> => {
    const { institution } = audience.pointOfSale;
    const ids = products.flatMap((product) => shownPerformances(product, now()).map(({ id }) => id));
    const [offer, { value: stockOf, asOf }] = await Promise.all([
      offers.published(institution),
      offers.stock(institution, ids),
    ]);
    return { value: say(viewsFor(audience, offer, stockOf, now())), asOf };
  };

  return {
    async list(audience: Audience, type: string | undefined, { offset, limit }: Part) {
      const load = async () => {
        const all = shownProducts(await offers.published(audience.pointOfSale.institution), type);
        const products = all.slice(offset, offset + limit);
        return about(audience, products, ({ entry }) => ({ data: mapById(products.map(entry)), total: all.length }));
      };
      return (await lists.get(keyOf(audience, type, offset, limit), load)).value;
    },

    /** Rejects with PosFault `not_found` for a product that is not shown; so do the others. */
    async detail(audience: Audience, productId: string) {
      const load = async () => {
        const product = await shown(audience, productId);
        return about(audience, [product], ({ detail }) => detail(product));
      };
      return (await details.get(keyOf(audience, productId), load)).value;
    },

    async availabilities(audience: Audience, productId: string) {
      const load = async () => {
        const product = await shown(audience, productId);
        return about(audience, [product], ({ availabilities }) => availabilities(product));
      };
      return (await stocks.get(keyOf(audience, productId), load)).value;
    },

    /**
     * The places of one seat category, or of all. Rejects with PosFault `not_found` for a performance that the product
     * does not show, and `invalid_parameter` for a category that the performance does not have.
     */
    async places(audience: Audience, productId: string, performanceId: string, wanted?: string) {
      const product = await shown(audience, productId);
      const performance = shownPerformances(product, now()).find(({ id }) => id === performanceId) ?? absent();
      if (wanted !== undefined && !performance.seatCategories.some(({ id }) => id === wanted))
        throw new PosFault('invalid_parameter', 'query seatCategoryId: the performance has no such seat category.');
      const places = (await offers.places(audience.pointOfSale.institution, performanceId)) ?? absent();
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
};
