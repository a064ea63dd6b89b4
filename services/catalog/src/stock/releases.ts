import { UniqueViolation } from '@boxoffice/store';
import { type Context, timestampOf } from '../context.ts';
import { freed } from '../domain/place.ts';
import { type PlacesReleased, placesReleased } from '../events.ts';
import type { Collections } from '../store.ts';
import { idsOf } from './changes.ts';

// Releases an order's places when the order ends. Each step is idempotent and may run late: its condition names the
// order as the holder, so places taken by others since are never touched.

/** Releases all places of an order, held or sold. */
export const releaseAll = async ({ places }: Collections, orderId: string): Promise<void> => {
  await places.claim({ where: { holder: orderId }, set: freed });
};

/** Releases the places that an order has as of a version before `before`; those of a later version stay. */
export const releaseEarlier = async ({ places }: Collections, orderId: string, before: number): Promise<void> => {
  await places.claim({ where: { holder: orderId, asOf: { lt: before } }, set: freed });
};

/** Releases these places of an order, and all that it holds unsold; never those of `kept`. */
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
 * Publishes, once per order and cause, which of these places the order no longer has; call it after their release. If
 * the process dies before, the message is redelivered; the release is idempotent, so the event is the same.
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
