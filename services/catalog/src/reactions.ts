// Each step is idempotent and may run late: its condition names the order as the holder, so places taken by others
// since are never touched.

import { Fault } from '@boxoffice/envelope';
import { createCheck, id } from '@boxoffice/http';
import { findReaction, type Handler, type Message, Unreadable } from '@boxoffice/messaging';
import { insertUnlessTaken, type Store } from '@boxoffice/store';
import { type Static, type TSchema, Type } from 'typebox';
import { type Context, createContext, readTimestamp } from './context.ts';
import { freed, isUse, isUseId } from './domain/place.ts';
import { createPlacesReleasedFact, type PlacesReleased } from './events.ts';
import { getPlaceIds } from './stock/changes.ts';
import type { Collections } from './store.ts';

export async function releaseAll({ places }: Collections, orderId: string): Promise<void> {
  await places.claim({ where: { holder: orderId }, set: freed });
}

/** Places of a later version stay. */
const releaseEarlier = async ({ places }: Collections, orderId: string, before: number): Promise<void> => {
  await places.claim({ where: { holder: orderId, asOf: { lt: before } }, set: freed });
};

/** Releases also all that the order holds unsold, and uses of discounts; never those of `kept`. */
export async function releasePlaces(
  { places }: Collections,
  orderId: string,
  placeIds: readonly string[],
  kept: readonly string[],
): Promise<void> {
  const named = new Set(placeIds);
  const keptIds = new Set(kept);
  const own = await places.find({ where: { holder: orderId } });
  const ending = own.filter(
    (place) => !keptIds.has(place.id) && (named.has(place.id) || place.state === 'held' || isUse(place)),
  );
  if (ending.length === 0) return;
  await places.claim({ where: { id: { in: getPlaceIds(ending) }, holder: orderId }, set: freed });
}

/**
 * Publishes once per order and cause, after the release, and once more when tickets that had stayed controlled are
 * cancelled. If the process dies before, the message is redelivered, and the event is the same.
 */
const publishReleased = async (
  context: Context,
  { orderId, cause, placeIds }: Omit<PlacesReleased, 'placesReleased'>,
): Promise<void> => {
  const { places, releases } = context.collections;
  const had = new Set(getPlaceIds(await places.find({ where: { holder: orderId } })));
  const released = [...new Set(placeIds)].filter((id) => !had.has(id) && !isUseId(id));
  const release: PlacesReleased = { orderId, cause, placeIds: released, placesReleased: released.length };
  const document = { id: `${orderId}:${cause}`, ...release, createdAt: readTimestamp(context) };
  const events = [createPlacesReleasedFact(release)];
  if (await insertUnlessTaken(releases, document, { events })) return;
  await releases.update(document.id, (known) =>
    known.placesReleased < released.length ? { next: { ...known, ...release }, events } : undefined,
  );
};

/** Other members are ignored. The reader throws Unreadable if one is absent or invalid. */
const reading = <Schema extends TSchema>(schema: Schema): ((message: Message) => Static<Schema>) => {
  const check = createCheck(schema);
  return ({ type, data }) => {
    try {
      return check(data);
    } catch (error) {
      throw error instanceof Fault ? new Unreadable(`${type}: ${error.details}`) : error;
    }
  };
};

const someIds = Type.Array(Type.String());
const readCancelled = reading(Type.Object({ orderId: id, hadTickets: Type.Boolean(), placeIds: someIds }));
const readExpired = reading(Type.Object({ orderId: id }));
const readTickets = reading(Type.Object({ orderId: id, placeIds: someIds, keptPlaceIds: someIds }));

const reactions: Readonly<Record<string, (context: Context, message: Message) => Promise<void>>> = {
  /**
   * Without tickets all places are released, also those that the event does not name; with tickets none yet:
   * `tickets.cancelled` says which places stay with controlled tickets.
   */
  async 'order.cancelled'(context, message) {
    const { orderId, hadTickets, placeIds } = readCancelled(message);
    if (hadTickets) return;
    await releaseAll(context.collections, orderId);
    await publishReleased(context, { orderId, cause: 'order.cancelled', placeIds });
  },

  /** Releases also places of a sale in progress; those that a late payment has held again since then stay. */
  async 'order.expired'({ collections }, message) {
    await releaseEarlier(collections, readExpired(message).orderId, message.version);
  },

  /** Places of controlled tickets are kept. */
  async 'tickets.cancelled'(context, message) {
    const { orderId, placeIds, keptPlaceIds } = readTickets(message);
    await releasePlaces(context.collections, orderId, placeIds, keptPlaceIds);
    await publishReleased(context, { orderId, cause: 'tickets.cancelled', placeIds });
  },
};

export function reactTo(store: Store): Handler {
  return async (message) => {
    await findReaction(reactions, message)(createContext(store, message.institution), message);
  };
}
