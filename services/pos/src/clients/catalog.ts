import { type Peer, PeerRefusal } from '@boxoffice/service';

/** A text by language. */
export type Texts = Readonly<Record<string, string>>;

/** A point of sale, and whose it is. */
export interface PointOfSale {
  readonly institution: string;
  /** Whether its institution is of the demo data. */
  readonly demo: boolean;
  readonly serviceHost: string;
  readonly name: string;
  /** The first one is the default. */
  readonly languages: readonly string[];
  readonly currency: string;
  readonly tariffIds: readonly string[];
  readonly paymentMethods: readonly string[];
  readonly maxPlacesPerOrder: number;
  readonly holdMinutes: number;
  readonly updatedAt: string;
}

export interface SeatCategory {
  readonly id: string;
  readonly code: string;
  readonly name: Texts;
  readonly numbered: boolean;
  readonly capacity: number;
}

export interface Price {
  readonly seatCategoryId: string;
  readonly tariffId: string;
  /** In the currency's minor unit. */
  readonly amount: number;
  readonly currency: string;
}

export interface Performance {
  readonly id: string;
  readonly productId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly durationMinutes: number | null;
  readonly venue: { readonly name: string; readonly city: string | null };
  readonly timeZone: string;
  readonly salesFrom: string | null;
  readonly salesTo: string | null;
  readonly state: 'on_sale' | 'closed' | 'cancelled';
  readonly seatCategories: readonly SeatCategory[];
  readonly prices: readonly Price[];
}

export interface Product {
  readonly id: string;
  readonly code: string;
  readonly type: string;
  readonly state: string;
  readonly name: Texts;
  readonly description: Texts | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly currency: string;
  readonly performances: readonly Performance[];
}

export interface Tariff {
  readonly id: string;
  readonly code: string;
  readonly name: Texts;
  /** What a contact must have for it; null: nothing. */
  readonly criterion: string | null;
}

/** What an institution has published, and the mark that changes with it. */
export interface Published {
  readonly mark: string;
  readonly published: { readonly products: readonly Product[]; readonly tariffs: readonly Tariff[] } | null;
}

/** What is free of one performance. */
export interface Stock {
  readonly performanceId: string;
  readonly seatCategories: readonly { readonly id: string; readonly capacity: number; readonly free: number }[];
}

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
  readonly seatCategoryId: string;
  readonly free: boolean;
}

/** Most performances of one question about stock. */
const MAX_PERFORMANCES = 100;

/** What the point of sale asks the catalog; everything rejects with Fault `service_unavailable` when it does not answer. */
export interface Catalog {
  /** The point of sale of a host, whosever it is; undefined if there is none. */
  pointOfSale(serviceHost: string): Promise<PointOfSale | undefined>;
  /** All that is published; `published` is null if `mark` is still that of it. */
  published(institution: string, mark?: string): Promise<Published>;
  /** What is free now; performances that do not exist are left out. */
  stock(institution: string, performanceIds: readonly string[]): Promise<readonly Stock[]>;
  /** The places of a performance, best first; undefined if there is no such performance. */
  places(institution: string, performanceId: string): Promise<readonly Place[] | undefined>;
}

/** Answers undefined where the peer knows no such thing. */
const known = <Data>(asked: Promise<Data>): Promise<Data | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof PeerRefusal && error.http === 404) return undefined;
    throw error;
  });

/** The catalog, over HTTP. */
export const createCatalog = (catalog: Peer): Catalog => {
  const get = <Data>(institution: string, operation: string, path: string) =>
    catalog.call<Data>(institution, { operation, method: 'GET', path });
  return {
    pointOfSale: (serviceHost) =>
      known(
        get<PointOfSale>(
          '',
          'findPointOfSale',
          `/internal/points-of-sale/${encodeURIComponent(serviceHost.toWellFormed())}`,
        ),
      ),
    published: (institution, mark) =>
      get(institution, 'listShopProducts', `/internal/shop/products${mark === undefined ? '' : `?mark=${mark}`}`),
    async stock(institution, performanceIds) {
      const found: Stock[] = [];
      for (let first = 0; first < performanceIds.length; first += MAX_PERFORMANCES) {
        const ids = performanceIds
          .slice(first, first + MAX_PERFORMANCES)
          .map((id) => encodeURIComponent(id.toWellFormed()))
          .join(',');
        const path = `/internal/shop/availability?performanceIds=${ids}`;
        const { performances } = await get<{ performances: Stock[] }>(institution, 'getShopAvailability', path);
        found.push(...performances);
      }
      return found;
    },
    async places(institution, performanceId) {
      const path = `/internal/shop/performances/${encodeURIComponent(performanceId.toWellFormed())}/places`;
      return (await known(get<{ places: Place[] }>(institution, 'listShopPlaces', path)))?.places;
    },
  };
};
