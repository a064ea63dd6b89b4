import { expect, test } from '@jest/globals';
import { type Change, findBreaksAfter, removeElement } from './changed-process.ts';

const ORDERS = '/svc/v3/orders';
const ORDER = `${ORDERS}/{orderId}`;
const LIST = `GET ${ORDERS}`;
const CREATE = `POST ${ORDERS}`;
const GET = `GET ${ORDER}`;
const HOLD = 'POST /internal/stock/holds';
const TARIFF = 'POST /svc/v3/catalog/tariffs';
const PARTNERS = 'partners (institution API)';

/** Changes of the operations of orders that break partners, and a part of the finding. */
const ofOrders: readonly (readonly [what: string, change: Change, said: string])[] = [
  ['a path is gone', ({ paths }) => delete paths[ORDER], `${GET}: is gone`],
  [
    'another method',
    ({ paths }) => {
      paths[ORDER].put = paths[ORDER].patch;
      delete paths[ORDER].patch;
    },
    `PATCH ${ORDER}: is gone`,
  ],
  [
    'a success is another',
    ({ operation }) => {
      const { responses } = operation(CREATE);
      responses[202] = responses[201];
      delete responses[201];
    },
    'answer 202: is new',
  ],
  [
    'a code is gone',
    ({ operation }) => delete operation(CREATE).responses[409].content['application/json'].examples.order_hold_limit,
    'answer 409: code order_hold_limit is gone',
  ],
  [
    'a member of an answer is gone',
    ({ data }) => delete data(GET).properties.total,
    'answer 200: $.data.total is gone',
  ],
  [
    'a member of an answer may be absent',
    ({ data }) => removeElement(data(GET).required, 'total'),
    '$.data.total may be absent now',
  ],
  [
    'a member of an answer may be null',
    ({ data }) => Object.assign(data(GET).properties.currency, { type: ['string', 'null'] }),
    '$.data.currency null is new',
  ],
  [
    'an amount is a text',
    ({ data }) => Object.assign(data(GET).properties.lines.items.properties, { amount: { type: 'string' } }),
    '$.data.lines[].amount was of type integer and is of type string',
  ],
  ['an answer has a new state', ({ data }) => data(GET).properties.state.enum.push('frozen'), '"frozen" is new'],
  [
    'a header of an answer is gone',
    ({ operation }) => delete operation(CREATE).responses[201].headers.Location,
    'answer 201: header Location is gone',
  ],
  [
    'a body has a new required member',
    ({ body }) => body(CREATE).required.push('contactNumber'),
    'body: $.contactNumber is required now',
  ],
  [
    'a member of a body is gone',
    ({ body }) => delete body(CREATE).properties.externalReference,
    'body: $.externalReference is gone',
  ],
  [
    'a number has a lower limit',
    ({ body }) => Object.assign(body(CREATE).properties.items.items.properties.quantity, { maximum: 20 }),
    '$.items[].quantity maximum was 50 and is 20',
  ],
  [
    'a filter takes a value no more',
    ({ operation }) =>
      removeElement(
        operation(LIST).parameters.find(({ name }: { name: string }) => name === 'state').schema.enum,
        'expired',
      ),
    'query parameter state: $ "expired" is no longer accepted',
  ],
  ['a parameter is gone', ({ operation }) => operation(LIST).parameters.shift(), 'query parameter limit: is gone'],
  [
    'another scope',
    ({ operation }) => Object.assign(operation(GET), { security: [{ oauth2: ['orders.sensitive:read'] }] }),
    'access: needed orders:read and needs orders.sensitive:read',
  ],
];

type Breaking = readonly [what: string, process: string, change: Change, hurts: string, said: string];

const breaking: readonly Breaking[] = [
  ...ofOrders.map(([what, change, said]): Breaking => [what, 'orders', change, PARTNERS, said]),
  [
    'a map takes other names',
    'catalog',
    ({ body }) => Object.assign(body(TARIFF).properties.name.propertyNames, { pattern: '^[a-z]{2}$' }),
    PARTNERS,
    'body: $.name has a different pattern of field names',
  ],
  [
    'a value of a map is shorter',
    'catalog',
    ({ body }) => Object.assign(body(TARIFF).properties.name.additionalProperties, { maxLength: 3 }),
    PARTNERS,
    'body: $.name.* maxLength was',
  ],
  [
    'a parameter is new and required',
    'pos',
    ({ operation }) =>
      operation('GET /tnwr/v1/products').parameters.push({ name: 'day', in: 'query', required: true, schema: {} }),
    'web shops (point-of-sale API)',
    'query parameter day: is new and required',
  ],
  [
    'another name of the operation, which tokens carry',
    'catalog',
    ({ internal }) => Object.assign(internal.operation(HOLD), { operationId: 'takePlaces' }),
    'orders',
    `${HOLD}: was operation holdPlaces and is takePlaces`,
  ],
  [
    'an internal answer lacks a member',
    'catalog',
    ({ internal }) => delete internal.data(HOLD).properties.lines.items.properties.startDate,
    'orders',
    '$.data.lines[].startDate is gone',
  ],
  [
    'an internal body is narrower',
    'catalog',
    ({ internal }) => delete internal.body(HOLD).properties.placesInOrder,
    'orders',
    'body: $.placesInOrder is gone',
  ],
  [
    'an internal operation of several callers',
    'contacts',
    ({ internal }) => delete internal.data('GET /internal/contacts/{contactNumber}').properties.criteria,
    'authorizer, orders, pos',
    '$.data.criteria is gone',
  ],
  [
    'what the gateway asks the authorizer',
    'authorizer',
    ({ internal }) => internal.body('POST /internal/decisions').required.push('address'),
    'gateway',
    'body: $.address is required now',
  ],
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
    ({ fact }) => delete fact('order.expired').properties.placeIds,
    'catalog (catalog.releases.v1)',
    'fact order.expired: $.placeIds is gone',
  ],
  [
    'a fact lacks what two read',
    'orders',
    ({ fact }) => delete fact('order.cancelled').properties.hadTickets,
    'catalog (catalog.releases.v1), tickets (tickets.orders.v1)',
    '$.hadTickets is gone',
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
    ({ queues }) => removeElement(queues['catalog.releases.v1'], 'order.expired'),
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

test.each(breaking)('%s: is reported with those that it breaks', (_what, process, change, hurts, said) => {
  const found = findBreaksAfter(process, change).map((one) => ({
    said: `${one.where}: ${one.what}`,
    hurts: one.hurts.toSorted().join(', '),
  }));
  expect(found).toContainEqual({ said: expect.stringContaining(said), hurts });
});

/** Changes that any release may contain. */
const harmless: readonly (readonly [what: string, change: Change, process?: string])[] = [
  ['nothing', () => undefined],
  ['a new path', ({ paths }) => Object.assign(paths, { '/svc/v3/orders/summary': { get: paths[ORDER].get } })],
  ['a new method', ({ paths }) => Object.assign(paths[ORDER], { put: paths[ORDER].patch })],
  ['other words', ({ operation }) => Object.assign(operation(GET), { summary: 'Shows an order' })],
  [
    'another name of a path variable',
    ({ paths }) => {
      paths['/svc/v3/orders/{order}'] = paths[ORDER];
      delete paths[ORDER];
    },
  ],
  [
    'a new member of an answer',
    ({ data }) => {
      data(GET).properties.seller = { type: 'string' };
      data(GET).required.push('seller');
    },
  ],
  [
    'a member of an answer that is never null any more',
    ({ data }) => Object.assign(data(GET).properties.contactNumber, { type: 'string' }),
  ],
  ['a state less in an answer', ({ data }) => data(GET).properties.state.enum.pop()],
  ['a narrower number in an answer', ({ data }) => Object.assign(data(GET).properties.total, { maximum: 10 })],
  ['a new optional member of a body', ({ body }) => Object.assign(body(CREATE).properties, { note: {} })],
  ['a required member that is optional', ({ body }) => Object.assign(body(CREATE), { required: [] })],
  [
    'a member that takes null as well',
    ({ body }) => Object.assign(body(CREATE).properties.contactNumber, { type: ['string', 'null'] }),
  ],
  ['a longer text is taken', ({ body }) => Object.assign(body(CREATE).properties.contactNumber, { maxLength: 99 })],
  ['a filter takes another value', ({ operation }) => operation(LIST).parameters[3].schema.enum.push('frozen')],
  [
    'a new optional parameter',
    ({ operation }) => operation(LIST).parameters.push({ name: 'day', in: 'query', schema: {} }),
  ],
  ['a new error', ({ operation }) => Object.assign(operation(GET).responses, { 410: operation(GET).responses[404] })],
  ['a scope is needed no more', ({ operation }) => Object.assign(operation(GET), { security: [] })],
  [
    'an internal operation that nobody calls answers nothing any more',
    ({ internal }) => Object.assign(internal.operation('GET /internal/stock/holds/{holder}'), { responses: {} }),
    'catalog',
  ],
  [
    'the same schema, written otherwise',
    ({ data }) =>
      Object.assign(data(GET).properties, {
        contactNumber: { anyOf: [{ type: 'null' }, { allOf: [{ type: 'string' }, {}] }] },
      }),
  ],
  ['a new fact', ({ facts }) => Object.assign(facts, { 'order.moved': facts['order.expired'] })],
  ['a new member of a fact', ({ fact }) => Object.assign(fact('order.expired').properties, { why: {} })],
  ['a new queue', ({ queues }) => Object.assign(queues, { 'orders.weather.v1': ['weather.changed'] })],
  ['a queue gets another fact', ({ queues }) => queues['orders.fulfilment.v1'].push('weather.changed')],
  ['a new index', ({ indexes }) => indexes('orders').push({ name: 'paid', fields: ['paidAt'] })],
];

test.each(harmless)('%s: breaks nothing', (_what, change, process = 'orders') => {
  expect(findBreaksAfter(process, change)).toEqual([]);
});

test('a schema with a keyword unknown to the comparison is refused', () => {
  const change: Change = ({ data }) => Object.assign(data(GET).properties.total, { not: { const: 13 } });
  expect(() => findBreaksAfter('orders', change)).toThrow('does not know not');
});
