import type { Documents } from '@boxoffice/store';
import { addedSpots, newPlace, type Place } from '../domain/place.ts';
import type { SeatCategory } from '../domain/seat-category.ts';
import type { PlaceDocument } from '../store.ts';

/** How many places go into one write. */
const BATCH = 1_000;

/** A list in pieces of at most `size`. */
export const inBatches = <Item>(items: readonly Item[], size = BATCH): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Inserts places that do not exist yet; repeating it is harmless, since their ids follow from where they stand. */
export const insertPlaces = async (places: Documents<PlaceDocument>, made: readonly Place[]): Promise<void> => {
  for (const batch of inBatches(made)) await places.insertMany(batch);
};

/** Makes all places of a new performance. They cannot be reached before the performance itself is written. */
export const makePlaces = (
  places: Documents<PlaceDocument>,
  performanceId: string,
  categories: readonly SeatCategory[],
  random: () => number,
): Promise<void> =>
  insertPlaces(
    places,
    categories.flatMap((category, index) =>
      addedSpots(index, category).map((spot) => newPlace(performanceId, category, spot, random())),
    ),
  );
