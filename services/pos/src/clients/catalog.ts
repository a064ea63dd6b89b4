import type { AnswerOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/catalog.ts';

type Answer<Id extends keyof operations> = AnswerOf<operations, Id>;

export type PointOfSale = Answer<'findPointOfSale'>;

export type Shop = Answer<'listShops'>['shops'][number];

/** `published` is null if `mark` is still current. */
type Published = Answer<'listShopProducts'>;
/** Its languages serve texts that lack those of the point of sale; an earlier release does not say them. */
export type Offer = NonNullable<Published['published']> & Pick<Published, 'pricing'>;
export type Product = Offer['products'][number];
export type Performance = Product['performances'][number];
export type Tariff = Offer['tariffs'][number];

export type Stock = Answer<'getShopAvailability'>['performances'][number];
export type Place = Answer<'listShopPlaces'>['places'][number];

/** The plan of a hall: areas, and where each seat is, by the ids of places. */
export type Plan = Answer<'getShopSeatMap'>;

const MAX_PERFORMANCES = 100;

/** Rejects with Fault `service_unavailable` if the catalog does not answer. */
export function createCatalog(catalog: ServiceClient<operations>) {
  return {
    /** Searches all institutions; undefined if there is no such host. */
    pointOfSale: (serviceHost: string): Promise<PointOfSale | undefined> =>
      catalog.find('', 'findPointOfSale', { path: { serviceHost } }),

    shops: async (): Promise<readonly Shop[]> => (await catalog.call('', 'listShops', {})).shops,

    published: (institution: string, mark?: string): Promise<Published> =>
      catalog.call(institution, 'listShopProducts', { query: { mark } }),

    /** What prices are made of now, also by these codes. */
    pricing: async (institution: string, codes: readonly string[]): Promise<Published['pricing']> =>
      (await catalog.call(institution, 'readPricing', { body: { codes: [...codes] } })).pricing,

    /** Unknown performances are left out. */
    async stock(institution: string, performanceIds: readonly string[]): Promise<readonly Stock[]> {
      const found: Stock[] = [];
      for (let first = 0; first < performanceIds.length; first += MAX_PERFORMANCES) {
        const query = { performanceIds: performanceIds.slice(first, first + MAX_PERFORMANCES).join(',') };
        const { performances } = await catalog.call(institution, 'getShopAvailability', { query });
        found.push(...performances);
      }
      return found;
    },

    /** The best places come first; undefined for an unknown performance. */
    async places(institution: string, performanceId: string): Promise<readonly Place[] | undefined> {
      return (await catalog.find(institution, 'listShopPlaces', { path: { performanceId } }))?.places;
    },

    plan: (institution: string, performanceId: string): Promise<Plan | undefined> =>
      catalog.find(institution, 'getShopSeatMap', { path: { performanceId } }),
  };
}

export type Catalog = ReturnType<typeof createCatalog>;
