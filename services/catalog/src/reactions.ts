// Reactions to the facts of other services: they release places.

import { Fault } from '@boxoffice/envelope';
import { createCheck, id } from '@boxoffice/http';
import { type Handler, type Message, Unreadable } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { type Static, type TSchema, Type } from 'typebox';
import { type Context, contextOf } from './context.ts';
import { publishReleased, releaseAll, releaseEarlier, releaseNamed } from './stock/releases.ts';

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
export const reactTo =
  (store: Store): Handler =>
  async (message) => {
    const reaction = reactions[message.type];
    if (!reaction) throw new Unreadable(`the catalog has no reaction to events of type ${message.type}`);
    await reaction(contextOf(store, message.institution), message);
  };
