import type { Broadcast, Queue } from './port.ts';

/**
 * Every queue of the installation, with the facts that it receives: the events table of the interface, as data. All of
 * them are declared before any process publishes, so that no fact is unroutable because its consumer has not started
 * yet: by whichever process may, or by the operator.
 *
 * A fact enters this table together with its publisher, and with all of its consumers, also those whose service is not
 * deployed: their queues store the facts until the service is deployed, without a time limit. A queue accepts up to
 * `maxQueueLength` messages; then it refuses more, the fact stays in the publisher's outbox, and the relay reports the
 * age of its backlog. An installation without a service passes the engine a topology without its queues. The arguments
 * of an existing queue cannot change: a queue with other arguments gets the next version in its name.
 */
export const topology = {
  authorizerContactErased: { name: 'authorizer.contact-erased.v1', types: ['contact.erased'] },
  /** Names and languages for the pages of sign-in. */
  authorizerInstitutions: { name: 'authorizer.institutions.v1', types: ['institution.changed'] },
  /** The contacts that exist for a client with `ownOrders`, since its orders name them. */
  contactsOrders: { name: 'contacts.orders.v1', types: ['order.contact_named'] },
  ordersContactErased: { name: 'orders.contact-erased.v1', types: ['contact.erased'] },
  ticketsContactErased: { name: 'tickets.contact-erased.v1', types: ['contact.erased'] },
  posContactErased: { name: 'pos.contact-erased.v1', types: ['contact.erased'] },
  ordersPerformanceCancelled: { name: 'orders.performance-cancelled.v1', types: ['performance.cancelled'] },
  /** Facts about an order's tickets and places; one queue, so that the facts of an order stay in order. */
  ordersFulfilment: {
    name: 'orders.fulfilment.v1',
    types: ['tickets.cancelled', 'places.released', 'ticket.controlled', 'ticket.control_reverted', 'ticket.replaced'],
  },
  ticketsOrders: { name: 'tickets.orders.v1', types: ['order.confirmed', 'order.cancelled'] },
  /** Beside the orders: a moved performance may have many tickets. */
  ticketsPerformances: { name: 'tickets.performances.v1', types: ['performance.moved'] },
  catalogReleases: { name: 'catalog.releases.v1', types: ['order.cancelled', 'order.expired', 'tickets.cancelled'] },
  /**
   * Everything that partners hear of, for the event feed and webhooks. Events have one sequence, so two processes that
   * append to it would be in each other's way; what is in hand at once shares an insert.
   */
  eventsFacts: {
    name: 'events.facts.v1',
    types: ['contact.recorded', 'product.recorded', 'performance.recorded', 'order.recorded', 'ticket.recorded'],
    singleActiveConsumer: true,
    atOnce: 200,
  },
} as const satisfies Record<string, Queue>;

/** The facts broadcast to every process of a kind; processes that are down miss them. */
export const broadcasts = {
  /** Gateways discard cached decisions. */
  access: { types: ['client.changed', 'token.revoked'] },
} as const satisfies Record<string, Broadcast>;

/**
 * The facts each process publishes and the broadcasts it receives. The first word of a queue's name is its owner. Each
 * exchange has one publisher, so that a permission for the exchange is one for its facts.
 */
export const processes: Readonly<Record<string, { publishes: readonly string[]; receives?: readonly Broadcast[] }>> = {
  gateway: { publishes: [], receives: [broadcasts.access] },
  authorizer: { publishes: broadcasts.access.types },
  catalog: {
    publishes: [
      'institution.changed',
      'performance.cancelled',
      'performance.moved',
      'places.released',
      'product.recorded',
      'performance.recorded',
    ],
  },
  contacts: { publishes: ['contact.erased', 'contact.recorded'] },
  orders: {
    publishes: ['order.contact_named', 'order.confirmed', 'order.cancelled', 'order.expired', 'order.recorded'],
  },
  tickets: {
    publishes: [
      'tickets.cancelled',
      'ticket.controlled',
      'ticket.control_reverted',
      'ticket.replaced',
      'ticket.recorded',
    ],
  },
  pos: { publishes: [] },
  events: { publishes: [] },
};

/** The number of messages that a queue holds before it refuses more: about 1 GB of disk. */
export const maxQueueLength = 1_000_000;

/** The facts of the installation as an engine uses them. */
export interface Declared {
  readonly queues: readonly Queue[];
  readonly broadcasts: readonly Broadcast[];
}

/** The installation's own facts: the engines' default. */
export const declared: Declared = { queues: Object.values(topology), broadcasts: Object.values(broadcasts) };

/** Whether facts of this type are broadcast. */
export const isBroadcast = (type: string, { broadcasts: all }: Declared): boolean =>
  all.some(({ types }) => types.includes(type));
