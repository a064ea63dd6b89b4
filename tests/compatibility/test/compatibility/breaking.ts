import { type BreakingChange, bodyOf, dataOf, without } from './changed-process.ts';

const PARTNERS = 'partners (institution API)';
const ORDERS = '/svc/v3/orders';
const ORDER = `${ORDERS}/{orderId}`;
const HOLDS = '/internal/stock/holds';

/** Changes of operations that break their callers: partners, web shops, and services for internal ones. */
export const breakingOperations: readonly BreakingChange[] = [
  ['a path is gone', 'orders', ({ paths }) => delete paths[ORDER], PARTNERS, `GET ${ORDER}: is gone`],
  [
    'another method',
    'orders',
    ({ paths }) => {
      paths[ORDER].put = paths[ORDER].patch;
      delete paths[ORDER].patch;
    },
    PARTNERS,
    `PATCH ${ORDER}: is gone`,
  ],
  [
    'a success is another',
    'orders',
    ({ operation }) => {
      const { responses } = operation(`POST ${ORDERS}`);
      responses[202] = responses[201];
      delete responses[201];
    },
    PARTNERS,
    'answer 202: is new',
  ],
  [
    'a code is gone',
    'orders',
    ({ operation }) =>
      delete operation(`POST ${ORDERS}`).responses[409].content['application/json'].examples.order_hold_limit,
    PARTNERS,
    'answer 409: code order_hold_limit is gone',
  ],
  [
    'a member of an answer is gone',
    'orders',
    ({ operation }) => delete dataOf(operation(`GET ${ORDER}`)).properties.total,
    PARTNERS,
    'answer 200: $.data.total is gone',
  ],
  [
    'a member of an answer may be absent',
    'orders',
    ({ operation }) => without(dataOf(operation(`GET ${ORDER}`)).required, 'total'),
    PARTNERS,
    '$.data.total may be absent now',
  ],
  [
    'a member of an answer may be null',
    'orders',
    ({ operation }) => {
      dataOf(operation(`GET ${ORDER}`)).properties.currency.type = ['string', 'null'];
    },
    PARTNERS,
    '$.data.currency null is new',
  ],
  [
    'an amount is a text',
    'orders',
    ({ operation }) => {
      dataOf(operation(`GET ${ORDER}`)).properties.lines.items.properties.amount = { type: 'string' };
    },
    PARTNERS,
    '$.data.lines[].amount was of type integer and is of type string',
  ],
  [
    'an answer has a new state',
    'orders',
    ({ operation }) => dataOf(operation(`GET ${ORDER}`)).properties.state.enum.push('frozen'),
    PARTNERS,
    '$.data.state "frozen" is new',
  ],
  [
    'a header of an answer is gone',
    'orders',
    ({ operation }) => delete operation(`POST ${ORDERS}`).responses[201].headers.Location,
    PARTNERS,
    'answer 201: header Location is gone',
  ],
  [
    'a body has a new required member',
    'orders',
    ({ operation }) => bodyOf(operation(`POST ${ORDERS}`)).required.push('contactNumber'),
    PARTNERS,
    'body: $.contactNumber is required now',
  ],
  [
    'a member of a body is gone',
    'orders',
    ({ operation }) => delete bodyOf(operation(`POST ${ORDERS}`)).properties.externalReference,
    PARTNERS,
    'body: $.externalReference is gone',
  ],
  [
    'a number has a lower limit',
    'orders',
    ({ operation }) => {
      bodyOf(operation(`POST ${ORDERS}`)).properties.items.items.properties.quantity.maximum = 20;
    },
    PARTNERS,
    '$.items[].quantity maximum was 50 and is 20',
  ],
  [
    'a map takes other names',
    'catalog',
    ({ operation }) => {
      bodyOf(operation('POST /svc/v3/catalog/tariffs')).properties.name.propertyNames.pattern = '^[a-z]{2}$';
    },
    PARTNERS,
    'body: $.name has a different pattern of field names',
  ],
  [
    'a value of a map is shorter',
    'catalog',
    ({ operation }) => {
      bodyOf(operation('POST /svc/v3/catalog/tariffs')).properties.name.additionalProperties.maxLength = 3;
    },
    PARTNERS,
    'body: $.name.* maxLength was',
  ],
  [
    'a filter takes a value no more',
    'orders',
    ({ operation }) =>
      without(
        operation(`GET ${ORDERS}`).parameters.find((one: { name: string }) => one.name === 'state').schema.enum,
        'expired',
      ),
    PARTNERS,
    'query parameter state: $ "expired" is no longer accepted',
  ],
  [
    'a parameter is gone',
    'orders',
    ({ operation }) => operation(`GET ${ORDERS}`).parameters.shift(),
    PARTNERS,
    'query parameter limit: is gone',
  ],
  [
    'a parameter is new and required',
    'pos',
    ({ operation }) =>
      operation('GET /tnwr/v1/products').parameters.push({
        name: 'day',
        in: 'query',
        required: true,
        schema: { type: 'string' },
      }),
    'web shops (point-of-sale API)',
    'query parameter day: is new and required',
  ],
  [
    'another scope',
    'orders',
    ({ operation }) => {
      operation(`GET ${ORDER}`).security = [{ oauth2: ['orders.sensitive:read'] }];
    },
    PARTNERS,
    'access: needed orders:read and needs orders.sensitive:read',
  ],
  [
    'another name of the operation, which tokens carry',
    'catalog',
    ({ internal }) => {
      internal(`POST ${HOLDS}`).operationId = 'takePlaces';
    },
    'orders',
    `POST ${HOLDS}: was operation holdPlaces and is takePlaces`,
  ],
  [
    'an internal answer lacks a member',
    'catalog',
    ({ internal }) => delete dataOf(internal(`POST ${HOLDS}`)).properties.lines.items.properties.startDate,
    'orders',
    '$.data.lines[].startDate is gone',
  ],
  [
    'an internal body is narrower',
    'catalog',
    ({ internal }) => delete bodyOf(internal(`POST ${HOLDS}`)).properties.placesInOrder,
    'orders',
    'body: $.placesInOrder is gone',
  ],
  [
    'an internal operation of several callers',
    'contacts',
    ({ internal }) => delete dataOf(internal('GET /internal/contacts/{contactNumber}')).properties.criteria,
    'authorizer, orders, pos',
    '$.data.criteria is gone',
  ],
  [
    'what the gateway asks the authorizer',
    'authorizer',
    ({ internal }) => bodyOf(internal('POST /internal/decisions')).required.push('address'),
    'gateway',
    'body: $.address is required now',
  ],
];

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
