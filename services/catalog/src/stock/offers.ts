import type { Documents } from '@boxoffice/store';
import type { Context } from '../context.ts';
import { hasCategory, type ItemsRequest, type Offered, type SaleItem } from '../domain/sale.ts';
import { settle } from '../performances/capacity.ts';
import type {
  InstitutionDocument,
  PerformanceDocument,
  PlaceDocument,
  PointOfSaleDocument,
  ProductDocument,
  TariffDocument,
} from '../store.ts';

/** What a request for places refers to. */
export interface Offers extends Offered {
  readonly performances: ReadonlyMap<string, PerformanceDocument>;
  readonly products: ReadonlyMap<string, ProductDocument>;
  readonly tariffs: ReadonlyMap<string, TariffDocument>;
  readonly pointOfSale: PointOfSaleDocument | null | undefined;
  readonly institution: InstitutionDocument | undefined;
}

const byId = async <T extends { readonly id: string }>(
  ids: readonly string[],
  get: (id: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> => {
  const found = await Promise.all([...new Set(ids)].map(get));
  return new Map(found.flatMap((document) => (document ? [[document.id, document]] : [])));
};

/** Reads what the request refers to. */
export const loadOffers = async ({ collections }: Context, requested: ItemsRequest): Promise<Offers> => {
  const [performances, tariffs, pointOfSale, institution] = await Promise.all([
    byId(
      requested.items.map(({ performanceId }) => performanceId),
      collections.performances.get,
    ),
    byId(
      requested.items.map(({ tariffId }) => tariffId),
      collections.tariffs.get,
    ),
    requested.pointOfSale === undefined ? null : collections.pointsOfSale.get(requested.pointOfSale.toLowerCase()),
    collections.institutions.get(collections.institution),
  ]);
  const found = [...performances.values()];
  const products = await byId(
    found.map(({ productId }) => productId),
    collections.products.get,
  );
  // A committed change of capacity must be applied before any place is claimed.
  await Promise.all(found.map((performance) => settle(collections, performance)));
  return { performances, products, tariffs, pointOfSale, institution };
};

/** An item that names places outside its seat category, or withdrawn ones; each fault has its path in the request. */
export interface UnknownPlaces {
  readonly item: number;
  readonly faults: readonly string[];
}

/**
 * The items with unknown places; those of an unknown seat category are not checked. Queried only after a refused hold: a
 * successful claim proves that its places exist.
 */
export const unknownPlaces = async (
  places: Pick<Documents<PlaceDocument>, 'find'>,
  items: readonly SaleItem[],
  offers: Offers,
): Promise<UnknownPlaces[]> => {
  const all = await Promise.all(
    items.map(async (requested, item) => {
      const { seatCategoryId } = requested;
      const placeIds = (hasCategory(requested, offers) && requested.placeIds) || [];
      const found = placeIds.length > 0 ? await places.find({ where: { id: { in: placeIds }, seatCategoryId } }) : [];
      const known = new Set(found.flatMap(({ id, state }) => (state === 'withdrawn' ? [] : [id])));
      const faults = placeIds.flatMap((id, index) =>
        known.has(id) ? [] : [`$.items[${item}].placeIds[${index}]: there is no place ${id} in this seat category`],
      );
      return { item, faults };
    }),
  );
  return all.filter(({ faults }) => faults.length > 0);
};
