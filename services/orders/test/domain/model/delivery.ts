import assert from 'node:assert/strict';
import type { Message, World } from './scenario.ts';

const toCatalog = (world: World, message: Message & { to: 'catalog' }): void => {
  const { fact, version } = message;
  if (fact.type === 'order.confirmed' || (fact.type === 'order.cancelled' && fact.data.hadTickets)) return;
  const ids = fact.type === 'tickets.cancelled' ? fact.placeIds : fact.data.placeIds;
  const placesReleased = world.stock.follow(fact.type, ids, version);
  world.messages.push({ to: 'orders', fact: { type: 'places.released', cause: fact.type, placesReleased } });
};

const toTickets = (world: World, { fact }: Message & { to: 'tickets' }): void => {
  if (fact.type === 'order.confirmed') world.tickets.issue(fact.data);
  if (fact.type !== 'order.cancelled' || !fact.data.hadTickets) return;
  const outcome = { type: 'tickets.cancelled', ...world.tickets.cancel(fact.data) } as const;
  world.messages.push({ to: 'catalog', version: 1, fact: outcome }, { to: 'orders', version: 1, fact: outcome });
};

const toOrders = (world: World, { fact }: Message & { to: 'orders' }): void => {
  const { rules } = world;
  const now = world.now();
  const outcome = world.write((order) => {
    switch (fact.type) {
      case 'tickets.cancelled':
        return rules.noteTicketsCancelled(order, { ...fact, version: 1 }, now);
      case 'places.released':
        return rules.notePlacesReleased(order, { ...fact, version: 1 }, now);
      case 'ticket.replaced':
        return rules.noteReplaced(order, fact, now);
      case 'ticket.controlled':
        return rules.noteControlled(order, fact);
      case 'ticket.control_reverted':
        return rules.noteReverted(order, fact);
    }
  });
  assert.deepEqual(outcome, {});
};

/** Hands a fact to the service that it is for, which may tell facts of its own. */
export const deliver = (world: World, message: Message | undefined): void => {
  if (message?.to === 'catalog') toCatalog(world, message as Message & { to: 'catalog' });
  if (message?.to === 'tickets') toTickets(world, message as Message & { to: 'tickets' });
  if (message?.to === 'orders') toOrders(world, message as Message & { to: 'orders' });
};
