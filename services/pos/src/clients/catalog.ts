// The services that the point of sale calls, and caches of what they answer.

import type { AnswerOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/catalog.ts';

type Answer<Id extends keyof operations> = AnswerOf<operations, Id>;

/** A point of sale, and the institution that it belongs to. */
export type PointOfSale = Answer<'findPointOfSale'>;

/** What is public of a point of sale that sells. */
export type Shop = Answer<'listShops'>['shops'][number];

/** The published products and tariffs (null if `mark` is still current), and the mark that changes with them. */
export type Published = Answer<'listShopProducts'>;
type Publication = NonNullable<Published['published']>;
export type Product = Publication['products'][number];
export type Performance = Product['performances'][number];
export type Tariff = Publication['tariffs'][number];

/** The free places of a performance, by seat category. */
export type Stock = Answer<'getShopAvailability'>['performances'][number];
export type Place = Answer<'listShopPlaces'>['places'][number];

/** The plan of a hall: areas, and where each seat is, by the ids of places. */
export type Plan = Answer<'getShopSeatMap'>;

/** Maximum performances of one `getShopAvailability`. */
const MAX_PERFORMANCES = 100;

/** The catalog, as pos reads it. Rejects with Fault `service_unavailable` if the catalog does not answer. */
export function createCatalog(catalog: ServiceClient<operations>) {
  return {
    /** The point of sale with this service host, of any institution; undefined if there is none. */
    pointOfSale: (serviceHost: string): Promise<PointOfSale | undefined> =>
      catalog.find('', 'findPointOfSale', { path: { serviceHost } }),

    /** The shops of all institutions. */
    shops: async (): Promise<readonly Shop[]> => (await catalog.call('', 'listShops', {})).shops,

    /** All published products and tariffs; `published` is null if `mark` is still current. */
    published: (institution: string, mark?: string): Promise<Published> =>
      catalog.call(institution, 'listShopProducts', { query: { mark } }),

    /** The free places of performances now; unknown performances are left out. */
    async stock(institution: string, performanceIds: readonly string[]): Promise<readonly Stock[]> {
      const found: Stock[] = [];
      for (let first = 0; first < performanceIds.length; first += MAX_PERFORMANCES) {
        const query = { performanceIds: performanceIds.slice(first, first + MAX_PERFORMANCES).join(',') };
        const { performances } = await catalog.call(institution, 'getShopAvailability', { query });
        found.push(...performances);
      }
      return found;
    },

    /** The places of a performance, best first; undefined for an unknown performance. */
    async places(institution: string, performanceId: string): Promise<readonly Place[] | undefined> {
      return (await catalog.find(institution, 'listShopPlaces', { path: { performanceId } }))?.places;
    },

    /** Where the seats of a performance are; undefined for an unknown performance. */
    plan: (institution: string, performanceId: string): Promise<Plan | undefined> =>
      catalog.find(institution, 'getShopSeatMap', { path: { performanceId } }),
  };
}

export type Catalog = ReturnType<typeof createCatalog>;
