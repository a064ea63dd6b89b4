import assert from 'node:assert/strict';
import type { Message, Scenario } from './scenario.ts';

const toCatalog = (scenario: Scenario, message: Message & { to: 'catalog' }): void => {
  const { fact, version } = message;
  if (fact.type === 'order.confirmed' || (fact.type === 'order.cancelled' && fact.data.hadTickets)) return;
  const ids = fact.type === 'tickets.cancelled' ? fact.placeIds : fact.data.placeIds;
  const placesReleased = scenario.stock.follow(fact.type, ids, version);
  scenario.messages.push({ to: 'orders', fact: { type: 'places.released', cause: fact.type, placesReleased } });
};

const toTickets = (scenario: Scenario, { fact }: Message & { to: 'tickets' }): void => {
  if (fact.type === 'order.confirmed') scenario.tickets.issue(fact.data);
  if (fact.type !== 'order.cancelled' || !fact.data.hadTickets) return;
  const outcome = { type: 'tickets.cancelled', ...scenario.tickets.cancel(fact.data) } as const;
  scenario.messages.push({ to: 'catalog', version: 1, fact: outcome }, { to: 'orders', version: 1, fact: outcome });
};

const toOrders = (scenario: Scenario, { fact }: Message & { to: 'orders' }): void => {
  const { rules } = scenario;
  const now = scenario.now();
  const outcome = scenario.write((order) => {
    switch (fact.type) {
      case 'tickets.cancelled':
        return rules.recordTicketsCancelled(order, { ...fact, version: 1 }, now);
      case 'places.released':
        return rules.recordPlacesReleased(order, { ...fact, version: 1 }, now);
      case 'ticket.replaced':
        return rules.recordReplacement(order, fact, now);
      case 'ticket.controlled':
        return rules.recordControl(order, fact);
      case 'ticket.control_reverted':
        return rules.recordControlReverted(order, fact);
    }
  });
  assert.deepEqual(outcome, {});
};

/** Delivers an event to its consumer, which may publish events of its own. */
export const deliver = (scenario: Scenario, message: Message | undefined): void => {
  if (message?.to === 'catalog') toCatalog(scenario, message as Message & { to: 'catalog' });
  if (message?.to === 'tickets') toTickets(scenario, message as Message & { to: 'tickets' });
  if (message?.to === 'orders') toOrders(scenario, message as Message & { to: 'orders' });
};
