import type { Documents } from '@boxoffice/store';
import { addedSpots, newPlace, type Place } from '../domain/place.ts';
import type { SeatCategory } from '../domain/seat-category.ts';
import type { PlaceDocument } from '../store.ts';

/** The number of places per write. */
const BATCH = 1_000;

/** Splits a list into batches of at most `size`. */
export const inBatches = <Item>(items: readonly Item[], size = BATCH): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Inserts the places that do not exist yet. Idempotent, since the id of a place is derived from its position. */
export const insertPlaces = async (places: Documents<PlaceDocument>, made: readonly Place[]): Promise<void> => {
  for (const batch of inBatches(made)) await places.insertMany(batch);
};

/** Creates all places of a new performance. No query finds them before the performance is written. */
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
