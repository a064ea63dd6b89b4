import { type BreakingChange, without } from '../changed-process.ts';

/** Changes of facts, queues, indexes and token or message formats that break their readers. */
export const breakingFactsAndFormats: readonly BreakingChange[] = [
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
    ({ queues }) => queues.shift(),
    'tickets 0.0.9 on the same data',
    'is no longer served',
  ],
  [
    'a queue gets a fact no more',
    'catalog',
    ({ queues }) => without(queues[0].types, 'order.expired'),
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
  [
    'identity tokens lack a claim',
    'authorizer',
    ({ writes }) => {
      delete writes('identity token').properties.claims.properties.operation;
      without(writes('identity token').properties.claims.required, 'operation');
    },
    'authorizer, catalog, contacts, events, orders, pos, tickets',
    'identity token: $.claims.operation is gone',
  ],
  [
    'identity tokens are of another type',
    'authorizer',
    ({ writes }) => {
      writes('identity token').properties.header.properties.typ.const = 'id+jwt';
    },
    'authorizer, catalog, contacts, events, orders, pos, tickets',
    'identity token: $.header.typ',
  ],
  [
    'access tokens may lack a claim',
    'authorizer',
    ({ writes }) => without(writes('access token').properties.claims.required, 'jti'),
    'authorizer, gateway',
    'access token: $.claims.jti may be absent now',
  ],
  [
    'a claim of access tokens is of another type',
    'authorizer',
    ({ writes }) => {
      writes('access token').properties.claims.properties.scope.type = 'array';
    },
    'authorizer, gateway',
    '$.claims.scope',
  ],
  [
    'messages lack what their readers need',
    'orders',
    ({ writes }) => {
      delete writes('message').properties.body.properties.key;
      without(writes('message').properties.body.required, 'key');
    },
    'authorizer, catalog, events, gateway, orders, pos, tickets',
    'message: $.body.key is gone',
  ],
  [
    'a service demands a claim that nobody writes yet',
    'orders',
    ({ reads }) => {
      reads('identity token').properties.claims.properties.tenant = { type: 'string' };
      reads('identity token').properties.claims.required.push('tenant');
    },
    'what authorizer 0.0.9 writes',
    'identity token, as it is read: $.claims.tenant',
  ],
  [
    'a consumer demands of messages what is not always there',
    'tickets',
    ({ reads }) => reads('message').properties.body.required.push('traceparent'),
    'what authorizer 0.0.9 writes, what catalog 0.0.9 writes, what contacts 0.0.9 writes, ' +
      'what orders 0.0.9 writes, what tickets 0.0.9 writes',
    'message, as it is read: $.body.traceparent',
  ],
];
