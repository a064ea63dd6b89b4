import type { Documents } from '@boxoffice/store';
import type { SaleItem } from '../domain/sale.ts';
import type { PlaceDocument } from '../store.ts';

/** An item that names places outside its seat category, or withdrawn ones; each fault has its path in the request. */
export interface UnknownPlaces {
  readonly item: number;
  readonly faults: readonly string[];
}

/**
 * The items with unknown places. Queried only after a refused hold: a successful claim proves that its places exist.
 */
export const unknownPlaces = async (
  places: Pick<Documents<PlaceDocument>, 'find'>,
  items: readonly Pick<SaleItem, 'seatCategoryId' | 'placeIds'>[],
): Promise<UnknownPlaces[]> => {
  const all = await Promise.all(
    items.map(async ({ seatCategoryId, placeIds = [] }, item) => {
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
