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

/** Changes, each by how it is reported. */
type Changes = Readonly<Record<string, Change>>;

/** Of the operations of orders that partners call. */
const ofOrders: Changes = {
  [`${GET}: is gone`]: ({ paths }) => delete paths[ORDER],
  [`PATCH ${ORDER}: is gone`]: ({ paths }) => {
    paths[ORDER].put = paths[ORDER].patch;
    delete paths[ORDER].patch;
  },
  'answer 202: is new': ({ operation }) => {
    const { responses } = operation(CREATE);
    responses[202] = responses[201];
    delete responses[201];
  },
  'answer 409: code order_hold_limit is gone': ({ operation }) =>
    delete operation(CREATE).responses[409].content['application/json'].examples.order_hold_limit,
  'answer 200: $.data.total is gone': ({ data }) => delete data(GET).properties.total,
  '$.data.total may be absent now': ({ data }) => removeElement(data(GET).required, 'total'),
  '$.data.currency null is new': ({ data }) =>
    Object.assign(data(GET).properties.currency, { type: ['string', 'null'] }),
  'answer 201: header Location is gone': ({ operation }) => delete operation(CREATE).responses[201].headers.Location,
  'body: $.contactNumber is required now': ({ body }) => body(CREATE).required.push('contactNumber'),
  'body: $.externalReference is gone': ({ body }) => delete body(CREATE).properties.externalReference,
  'query parameter state: $ "expired" is no longer accepted': ({ operation }) =>
    removeElement(
      operation(LIST).parameters.find(({ name }: { name: string }) => name === 'state').schema.enum,
      'expired',
    ),
  'query parameter limit: is gone': ({ operation }) => operation(LIST).parameters.shift(),
  'access: needed orders:read and needs orders.sensitive:read': ({ operation }) =>
    Object.assign(operation(GET), { security: [{ oauth2: ['orders.sensitive:read'] }] }),
};

const breaking: readonly (readonly [process: string, said: string, hurts: string, change: Change])[] = [
  ...Object.entries(ofOrders).map(([said, change]) => ['orders', said, PARTNERS, change] as const),
  [
    'catalog',
    'body: $.name has a different pattern of field names',
    PARTNERS,
    ({ body }) => Object.assign(body(TARIFF).properties.name.propertyNames, { pattern: '^[a-z]{2}$' }),
  ],
  [
    'catalog',
    'body: $.name.* maxLength was',
    PARTNERS,
    ({ body }) => Object.assign(body(TARIFF).properties.name.additionalProperties, { maxLength: 3 }),
  ],
  [
    'pos',
    'query parameter day: is new and required',
    'web shops (point-of-sale API)',
    ({ operation }) =>
      operation('GET /tnwr/v1/products').parameters.push({ name: 'day', in: 'query', required: true, schema: {} }),
  ],
  [
    'catalog',
    `${HOLD}: was operation holdPlaces and is takePlaces`,
    'orders',
    ({ internal }) => Object.assign(internal.operation(HOLD), { operationId: 'takePlaces' }),
  ],
  [
    'catalog',
    '$.data.lines[].startDate is gone',
    'orders',
    ({ internal }) => delete internal.data(HOLD).properties.lines.items.properties.startDate,
  ],
  [
    'catalog',
    'body: $.placesInOrder is gone',
    'orders',
    ({ internal }) => delete internal.body(HOLD).properties.placesInOrder,
  ],
  [
    'contacts',
    '$.data.criteria is gone',
    'authorizer, orders, pos',
    ({ internal }) => delete internal.data('GET /internal/contacts/{contactNumber}').properties.criteria,
  ],
  [
    'authorizer',
    'body: $.address is required now',
    'gateway',
    ({ internal }) => internal.body('POST /internal/decisions').required.push('address'),
  ],
  [
    'orders',
    'is no longer published',
    'catalog (catalog.releases.v1), payments (payments.orders.v1)',
    ({ facts }) => delete facts['order.expired'],
  ],
  [
    'orders',
    'fact order.expired: $.placeIds is gone',
    'catalog (catalog.releases.v1), payments (payments.orders.v1)',
    ({ fact }) => delete fact('order.expired').properties.placeIds,
  ],
  [
    'orders',
    '$.hadTickets is gone',
    'catalog (catalog.releases.v1), payments (payments.orders.v1), tickets (tickets.orders.v1)',
    ({ fact }) => delete fact('order.cancelled').properties.hadTickets,
  ],
  [
    'tickets',
    'is no longer served',
    'tickets 0.0.9 on the same data',
    ({ queues }) => delete queues['tickets.orders.v1'],
  ],
  [
    'catalog',
    'gets order.expired no more',
    'catalog 0.0.9 on the same data',
    ({ queues }) => removeElement(queues['catalog.releases.v1'], 'order.expired'),
  ],
  [
    'orders',
    'unique index sole is new',
    'orders 0.0.9 on the same data',
    ({ indexes }) => indexes('orders').push({ name: 'sole', fields: ['externalReference'], unique: true }),
  ],
  [
    'orders',
    'index listed is missing or different',
    'orders 0.0.9 on the same data',
    ({ indexes }) => indexes('orders').shift(),
  ],
];

test.each(breaking)('%s: %s, which breaks %s', (process, said, hurts, change) => {
  const found = findBreaksAfter(process, change).map((one) => ({
    said: `${one.where}: ${one.what}`,
    hurts: one.hurts.toSorted().join(', '),
  }));
  expect(found).toContainEqual({ said: expect.stringContaining(said), hurts });
});

/** Changes that any release may contain. */
const harmless: Readonly<Record<string, Change>> = {
  nothing: () => undefined,
  'a new path': ({ paths }) => Object.assign(paths, { '/svc/v3/orders/summary': { get: paths[ORDER].get } }),
  'a new method': ({ paths }) => Object.assign(paths[ORDER], { put: paths[ORDER].patch }),
  'other words': ({ operation }) => Object.assign(operation(GET), { summary: 'Shows an order' }),
  'another name of a path variable': ({ paths }) => {
    paths['/svc/v3/orders/{order}'] = paths[ORDER];
    delete paths[ORDER];
  },
  'a new member of an answer': ({ data }) => {
    data(GET).properties.seller = { type: 'string' };
    data(GET).required.push('seller');
  },
  'a member of an answer that is never null any more': ({ data }) =>
    Object.assign(data(GET).properties.contactNumber, { type: 'string' }),
  'a state less in an answer': ({ data }) => data(GET).properties.state.enum.pop(),
  'a narrower number in an answer': ({ data }) => Object.assign(data(GET).properties.total, { maximum: 10 }),
  'a new optional member of a body': ({ body }) => Object.assign(body(CREATE).properties, { note: {} }),
  'a required member that is optional': ({ body }) => Object.assign(body(CREATE), { required: [] }),
  'a member that takes null as well': ({ body }) =>
    Object.assign(body(CREATE).properties.contactNumber, { type: ['string', 'null'] }),
  'a longer text is taken': ({ body }) => Object.assign(body(CREATE).properties.contactNumber, { maxLength: 99 }),
  'a filter takes another value': ({ operation }) => operation(LIST).parameters[3].schema.enum.push('frozen'),
  'a new optional parameter': ({ operation }) =>
    operation(LIST).parameters.push({ name: 'day', in: 'query', schema: {} }),
  'a new error': ({ operation }) => Object.assign(operation(GET).responses, { 410: operation(GET).responses[404] }),
  'a scope is needed no more': ({ operation }) => Object.assign(operation(GET), { security: [] }),
  'the same schema, written otherwise': ({ data }) =>
    Object.assign(data(GET).properties, {
      contactNumber: { anyOf: [{ type: 'null' }, { allOf: [{ type: 'string' }, {}] }] },
    }),
  'a new fact': ({ facts }) => Object.assign(facts, { 'order.moved': facts['order.expired'] }),
  'a new member of a fact': ({ fact }) => Object.assign(fact('order.expired').properties, { why: {} }),
  'a new queue': ({ queues }) => Object.assign(queues, { 'orders.weather.v1': ['weather.changed'] }),
  'a queue gets another fact': ({ queues }) => queues['orders.fulfilment.v1'].push('weather.changed'),
  'a new index': ({ indexes }) => indexes('orders').push({ name: 'paid', fields: ['paidAt'] }),
};

test.each(Object.entries(harmless))('%s: breaks nothing', (_what, change) => {
  expect(findBreaksAfter('orders', change)).toEqual([]);
});

test('an internal operation that nobody calls may answer nothing any more', () => {
  const change: Change = ({ internal }) =>
    Object.assign(internal.operation('GET /internal/stock/holds/{holder}'), { responses: {} });
  expect(findBreaksAfter('catalog', change)).toEqual([]);
});

test('a schema with a keyword unknown to the comparison is refused', () => {
  const change: Change = ({ data }) => Object.assign(data(GET).properties.total, { not: { const: 13 } });
  expect(() => findBreaksAfter('orders', change)).toThrow('does not know not');
});
