import { freed } from '../domain/place.ts';
import type { Collections } from '../store.ts';
import { type Change, type ChangeOutcome, idsOf, sellHold } from './changes.ts';

/** Whether one of these performances is cancelled. Those of a cancelled product are, one after the other, each with its fact. */
const isCancelled = async ({ performances }: Collections, ids: readonly string[]): Promise<boolean> => {
  const found = await Promise.all([...new Set(ids)].map((id) => performances.get(id)));
  return found.some((performance) => performance?.state === 'cancelled');
};

/**
 * {@link sellHold}, but nothing of a cancelled performance: then all places are released and missing. An order that is
 * inserted after the event of the cancellation has gone through the orders is never cancelled by it.
 */
export const sell = async (
  collections: Collections,
  change: Change & { readonly placeIds: readonly string[] },
): Promise<ChangeOutcome> => {
  const { places } = collections;
  const outcome = await sellHold(places, change);
  if (!('places' in outcome)) return outcome;
  const performanceIds = outcome.places.map(({ performanceId }) => performanceId);
  if (!(await isCancelled(collections, performanceIds))) return outcome;
  const ids = idsOf(outcome.places);
  await places.claim({ where: { id: { in: ids }, holder: change.holder }, set: freed });
  return { missing: ids };
};
