import { type BreakingChange, without } from '../changed-process.ts';

/** Changes of facts, queues and indexes that break their readers. */
export const breakingFacts: readonly BreakingChange[] = [
  [
    'a fact is gone',
    'orders',
    ({ facts }) => delete facts['order.expired'],
    'catalog (catalog.releases.v1)',
    'is no longer published',
  ],
  [
    'a fact lacks what its consumer reads',
    'orders',
    ({ fact }) => delete fact('order.confirmed').properties.tickets.items.properties.place.properties.label,
    'tickets (tickets.orders.v1)',
    'fact order.confirmed: $.tickets[].place.label is gone',
  ],
  [
    'a fact lacks what two read',
    'orders',
    ({ fact }) => delete fact('order.cancelled').properties.hadTickets,
    'tickets (tickets.orders.v1), catalog (catalog.releases.v1)',
    '$.hadTickets is gone',
  ],
  [
    'a broadcast lacks what the gateway reads',
    'authorizer',
    ({ fact }) => delete fact('token.revoked').properties.jti,
    'gateway (broadcast)',
    '$.jti is gone',
  ],
  [
    'a queue is gone',
    'tickets',
    ({ queues }) => delete queues['tickets.orders.v1'],
    'tickets 0.0.9 on the same data',
    'is no longer served',
  ],
  [
    'a queue gets a fact no more',
    'catalog',
    ({ queues }) => without(queues['catalog.releases.v1'], 'order.expired'),
    'catalog 0.0.9 on the same data',
    'gets order.expired no more',
  ],
  [
    'a unique index is new',
    'orders',
    ({ indexes }) => indexes('orders').push({ name: 'sole', fields: ['externalReference'], unique: true }),
    'orders 0.0.9 on the same data',
    'unique index sole is new',
  ],
  [
    'an index is gone',
    'orders',
    ({ indexes }) => indexes('orders').shift(),
    'orders 0.0.9 on the same data',
    'index listed is missing or different',
  ],
];
