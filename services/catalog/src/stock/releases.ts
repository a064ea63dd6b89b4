import { UniqueViolation } from '@boxoffice/store';
import { type Context, timestampOf } from '../context.ts';
import { freed } from '../domain/place.ts';
import { type PlacesReleased, placesReleased } from '../events.ts';
import type { Collections } from '../store.ts';
import { idsOf } from './changes.ts';

// What happens to an order's places when it ends. Each step may be repeated and may come late: it names the order as the
// holder, so what others have taken since is never touched.

/** Gives back everything that an order has, held or sold. */
export const releaseAll = async ({ places }: Collections, orderId: string): Promise<void> => {
  await places.claim({ where: { holder: orderId }, set: freed });
};

/** Gives back what an order has had since before its version `before`; what it got again in a later one stays. */
export const releaseEarlier = async ({ places }: Collections, orderId: string, before: number): Promise<void> => {
  await places.claim({ where: { holder: orderId, asOf: { lt: before } }, set: freed });
};

/** Gives back these places of an order, and whatever it still holds without having bought it; never those of `kept`. */
export const releaseNamed = async (
  { places }: Collections,
  orderId: string,
  placeIds: readonly string[],
  kept: readonly string[],
): Promise<void> => {
  const named = new Set(placeIds);
  const keptIds = new Set(kept);
  const own = await places.find({ where: { holder: orderId } });
  const ending = own.filter(({ id, state }) => !keptIds.has(id) && (named.has(id) || state === 'held'));
  if (ending.length === 0) return;
  await places.claim({ where: { id: { in: idsOf(ending) }, holder: orderId }, set: freed });
};

/**
 * Tells, once per order and cause, which of these places the order no longer has; to be called after they were freed. A process that
 * dies before leaves the message to be delivered again, and freeing again changes nothing, so the numbers are the same. One look at
 * the places, then one write with the fact.
 */
export const publishReleased = async (
  context: Context,
  { orderId, cause, placeIds }: Omit<PlacesReleased, 'placesReleased'>,
): Promise<void> => {
  const { places, releases } = context.collections;
  const had = new Set(idsOf(await places.find({ where: { holder: orderId } })));
  const released = [...new Set(placeIds)].filter((id) => !had.has(id));
  const release: PlacesReleased = { orderId, cause, placeIds: released, placesReleased: released.length };
  const document = { id: `${orderId}:${cause}`, ...release, createdAt: timestampOf(context) };
  await releases.insert(document, { events: [placesReleased(release)] }).catch((error: unknown) => {
    if (!(error instanceof UniqueViolation)) throw error;
  });
};
