import type { AnswerOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/catalog.ts';

type Answer<Id extends keyof operations> = AnswerOf<operations, Id>;

/** A point of sale, and the institution that it belongs to. */
export type PointOfSale = Answer<'findPointOfSale'>;

/** What an institution has published (null if the caller's mark is still right), and the mark that changes with it. */
export type Published = Answer<'listShopProducts'>;
type Publication = NonNullable<Published['published']>;
export type Product = Publication['products'][number];
export type Performance = Product['performances'][number];
export type Tariff = Publication['tariffs'][number];

/** What is free of one performance. */
export type Stock = Answer<'getShopAvailability'>['performances'][number];
export type Place = Answer<'listShopPlaces'>['places'][number];

/** The most performances of one `getShopAvailability`. */
const MAX_PERFORMANCES = 100;

/** What the point of sale reads of the catalog. Everything rejects with Fault `service_unavailable` when it does not answer. */
export const createCatalog = (catalog: ServiceClient<operations>) => ({
  /** The point of sale of a host, of whichever institution; undefined if there is none. */
  pointOfSale: (serviceHost: string): Promise<PointOfSale | undefined> =>
    catalog.find('', 'findPointOfSale', { path: { serviceHost } }),

  /** All that is published; `published` is null if `mark` is still that of it. */
  published: (institution: string, mark?: string): Promise<Published> =>
    catalog.call(institution, 'listShopProducts', { query: { mark } }),

  /** What is free now; performances that do not exist are left out. */
  async stock(institution: string, performanceIds: readonly string[]): Promise<readonly Stock[]> {
    const found: Stock[] = [];
    for (let first = 0; first < performanceIds.length; first += MAX_PERFORMANCES) {
      const query = { performanceIds: performanceIds.slice(first, first + MAX_PERFORMANCES).join(',') };
      const { performances } = await catalog.call(institution, 'getShopAvailability', { query });
      found.push(...performances);
    }
    return found;
  },

  /** The places of a performance, best first; undefined if there is no such performance. */
  async places(institution: string, performanceId: string): Promise<readonly Place[] | undefined> {
    return (await catalog.find(institution, 'listShopPlaces', { path: { performanceId } }))?.places;
  },
});

export type Catalog = ReturnType<typeof createCatalog>;
