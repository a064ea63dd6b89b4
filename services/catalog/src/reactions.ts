// Reactions to the facts of other services: they release an order's places when the order ends. Each step is idempotent
// and may run late: its condition names the order as the holder, so places taken by others since are never touched.

import { Fault } from '@boxoffice/envelope';
import { createCheck, id } from '@boxoffice/http';
import { findReaction, type Handler, type Message, Unreadable } from '@boxoffice/messaging';
import { type Store, UniqueViolation } from '@boxoffice/store';
import { type Static, type TSchema, Type } from 'typebox';
import { type Context, createContext, readTimestamp } from './context.ts';
import { freed } from './domain/place.ts';
import { createPlacesReleasedFact, type PlacesReleased } from './events.ts';
import { getPlaceIds } from './stock/changes.ts';
import type { Collections } from './store.ts';

/** Releases all places of an order, held or sold. */
export async function releaseAll({ places }: Collections, orderId: string): Promise<void> {
  await places.claim({ where: { holder: orderId }, set: freed });
}

/** Releases the places that an order has as of a version before `before`; those of a later version stay. */
const releaseEarlier = async ({ places }: Collections, orderId: string, before: number): Promise<void> => {
  await places.claim({ where: { holder: orderId, asOf: { lt: before } }, set: freed });
};

/** Releases these places of an order, and all that it holds unsold; never those of `kept`. */
export async function releaseNamed(
  { places }: Collections,
  orderId: string,
  placeIds: readonly string[],
  kept: readonly string[],
): Promise<void> {
  const named = new Set(placeIds);
  const keptIds = new Set(kept);
  const own = await places.find({ where: { holder: orderId } });
  const ending = own.filter(({ id, state }) => !keptIds.has(id) && (named.has(id) || state === 'held'));
  if (ending.length === 0) return;
  await places.claim({ where: { id: { in: getPlaceIds(ending) }, holder: orderId }, set: freed });
}

/**
 * Publishes, once per order and cause, which of these places the order no longer has; call it after their release. If
 * the process dies before, the message is redelivered; the release is idempotent, so the event is the same.
 */
const publishReleased = async (
  context: Context,
  { orderId, cause, placeIds }: Omit<PlacesReleased, 'placesReleased'>,
): Promise<void> => {
  const { places, releases } = context.collections;
  const had = new Set(getPlaceIds(await places.find({ where: { holder: orderId } })));
  const released = [...new Set(placeIds)].filter((id) => !had.has(id));
  const release: PlacesReleased = { orderId, cause, placeIds: released, placesReleased: released.length };
  const document = { id: `${orderId}:${cause}`, ...release, createdAt: readTimestamp(context) };
  await releases.insert(document, { events: [createPlacesReleasedFact(release)] }).catch((error: unknown) => {
    if (!(error instanceof UniqueViolation)) throw error;
  });
};

/**
 * Makes a reader of the members that a reaction uses; others are ignored. The reader throws Unreadable if one is
 * absent or invalid.
 */
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
   * Without tickets, all places of the order are released, also those that the event does not name. With tickets,
   * nothing is released yet: `tickets.cancelled` says which places stay with controlled tickets.
   */
  async 'order.cancelled'(context, message) {
    const { orderId, hadTickets, placeIds } = readCancelled(message);
    if (hadTickets) return;
    await releaseAll(context.collections, orderId);
    await publishReleased(context, { orderId, cause: 'order.cancelled', placeIds });
  },

  /**
   * The places of earlier versions of the order are released, also those of a sale in progress. Places that a late
   * payment has held again since then stay. No service needs the result, so no event is published.
   */
  async 'order.expired'({ collections }, message) {
    await releaseEarlier(collections, readExpired(message).orderId, message.version);
  },

  /** Releases the places of the tickets of a cancelled order, but not those of controlled tickets. */
  async 'tickets.cancelled'(context, message) {
    const { orderId, placeIds, keptPlaceIds } = readTickets(message);
    await releaseNamed(context.collections, orderId, placeIds, keptPlaceIds);
    await publishReleased(context, { orderId, cause: 'tickets.cancelled', placeIds });
  },
};

/** Reactions to the events of the catalog's queue. */
export function reactTo(store: Store): Handler {
  return async (message) => {
    await findReaction(reactions, message)(createContext(store, message.institution), message);
  };
}
