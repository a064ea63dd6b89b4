import assert from 'node:assert/strict';
import { lapseControlledChange as lapse } from '../../../src/domain/changes/follow.ts';
import type { Accepted } from '../../../src/domain/decisions.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import type { Message, World } from './world.ts';

/** Delivers a fact to its consumer, which may publish facts of its own. */
export function deliver(world: World, message: Message | undefined): void {
  if (message?.to === 'catalog') toCatalog(world, message as Message & { to: 'catalog' });
  if (message?.to === 'tickets') toTickets(world, message as Message & { to: 'tickets' });
  if (message?.to === 'orders') toOrders(world, message as Message & { to: 'orders' });
}

const toCatalog = (world: World, message: Message & { to: 'catalog' }): void => {
  const { fact, version, id } = message;
  const { stock } = world;
  if (fact.type === 'order.expired') stock.releaseEarlier(id, version);
  if (fact.type === 'order.expired' || fact.type === 'order.confirmed' || fact.type === 'order.contact_named') return;
  if (fact.type === 'order.mail_requested' || fact.type === 'order.refund_requested') return;
  if (fact.type === 'order.cancelled' && fact.data.hadTickets) return;
  const ids = fact.type === 'tickets.cancelled' ? fact.placeIds : fact.data.placeIds;
  if (fact.type === 'tickets.cancelled') stock.releasePlaces(id, fact.placeIds, fact.keptPlaceIds);
  else stock.releaseAll(id);
  const had = stock.ownOf(id).map(({ place }) => place.id);
  const placesReleased = ids.filter((placeId) => !had.includes(placeId) && !placeId.startsWith('use_')).length;
  const released = { type: 'places.released', cause: fact.type, placesReleased } as const;
  world.messages.push({ to: 'orders', id, version: fact.type === 'tickets.cancelled' ? version : 1, fact: released });
};

const toTickets = (world: World, { id, fact }: Message & { to: 'tickets' }): void => {
  const tickets = world.ticketsOf(id);
  if (fact.type !== 'order.cancelled' || !fact.data.hadTickets) return;
  const outcome = { type: 'tickets.cancelled', ...tickets.cancel(fact.data) } as const;
  const { version } = outcome;
  world.messages.push({ to: 'catalog', id, version, fact: outcome }, { to: 'orders', id, version, fact: outcome });
};

/** A change that would be refused now lapses. */
const lapseControlledChange = (noted: Accepted<Order>, now: number): Accepted<Order> => ({
  ...noted,
  next: lapse(noted.next, now),
});

const toOrders = (world: World, { id, fact, version }: Message & { to: 'orders' }): void => {
  const { rules } = world;
  const now = world.now();
  const doc = world.get(id);
  if (!doc) return;
  const outcome = world.write(doc, (order) => {
    switch (fact.type) {
      case 'tickets.cancelled':
        return rules.recordTicketsCancelled(order, fact, now);
      case 'places.released':
        return rules.recordPlacesReleased(order, { ...fact, version }, now);
      case 'ticket.replaced':
        return lapseControlledChange(rules.recordReplacement(order, fact, now), now);
      case 'ticket.controlled':
        return lapseControlledChange(rules.recordControl(order, { ...fact, controlled: true }), now);
      case 'ticket.control_reverted':
        return rules.recordControl(order, { ...fact, controlled: false });
    }
  });
  assert.equal(outcome.refused ?? outcome.answer, undefined);
};
