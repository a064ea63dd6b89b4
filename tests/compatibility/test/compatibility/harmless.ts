import { bodyOf, type Changeable, dataOf } from './changed-process.ts';

type Row = readonly [what: string, process: string, change: (its: Changeable) => void];

const ORDERS = '/svc/v3/orders';
const ORDER = `${ORDERS}/{orderId}`;
const HOLDS = '/internal/stock/holds';

/** Changes that any release may contain. */
export const harmless: readonly Row[] = [
  ['nothing', 'orders', () => undefined],
  [
    'a new path',
    'orders',
    ({ paths }) => Object.assign(paths, { '/svc/v3/orders/summary': { get: paths[ORDER].get } }),
  ],
  ['a new method', 'orders', ({ paths }) => Object.assign(paths[ORDER], { put: paths[ORDER].patch })],
  ['other words', 'orders', ({ operation }) => Object.assign(operation(`GET ${ORDER}`), { summary: 'Shows an order' })],
  [
    'another name of a path variable',
    'orders',
    ({ paths }) => {
      paths['/svc/v3/orders/{order}'] = paths[ORDER];
      delete paths[ORDER];
    },
  ],
  [
    'a new member of an answer',
    'orders',
    ({ operation }) => {
      const data = dataOf(operation(`GET ${ORDER}`));
      data.properties.seller = { type: 'string' };
      data.required.push('seller');
    },
  ],
  [
    'a member of an answer that is never null any more',
    'orders',
    ({ operation }) => Object.assign(dataOf(operation(`GET ${ORDER}`)).properties.contactNumber, { type: 'string' }),
  ],
  [
    'a state less in an answer',
    'orders',
    ({ operation }) => dataOf(operation(`GET ${ORDER}`)).properties.state.enum.pop(),
  ],
  [
    'a narrower number in an answer',
    'orders',
    ({ operation }) => Object.assign(dataOf(operation(`GET ${ORDER}`)).properties.total, { maximum: 10 }),
  ],
  [
    'a new optional member of a body',
    'orders',
    ({ operation }) => Object.assign(bodyOf(operation(`POST ${ORDERS}`)).properties, { note: { type: 'string' } }),
  ],
  [
    'a required member that is optional',
    'orders',
    ({ operation }) => Object.assign(bodyOf(operation(`POST ${ORDERS}`)), { required: [] }),
  ],
  [
    'a member that takes null as well',
    'orders',
    ({ operation }) =>
      Object.assign(bodyOf(operation(`POST ${ORDERS}`)).properties.contactNumber, { type: ['string', 'null'] }),
  ],
  [
    'a longer text is taken',
    'orders',
    ({ operation }) => Object.assign(bodyOf(operation(`POST ${ORDERS}`)).properties.contactNumber, { maxLength: 99 }),
  ],
  [
    'a filter takes another value',
    'orders',
    ({ operation }) => operation(`GET ${ORDERS}`).parameters[3].schema.enum.push('frozen'),
  ],
  [
    'a new optional parameter',
    'orders',
    ({ operation }) => operation(`GET ${ORDERS}`).parameters.push({ name: 'day', in: 'query', schema: {} }),
  ],
  [
    'a new error',
    'orders',
    ({ operation }) => {
      const { responses } = operation(`GET ${ORDER}`);
      responses[410] = responses[404];
    },
  ],
  [
    'a scope is needed no more',
    'orders',
    ({ operation }) => Object.assign(operation(`GET ${ORDER}`), { security: [] }),
  ],
  [
    'an internal operation that nobody calls answers nothing any more',
    'catalog',
    ({ internal }) => Object.assign(internal(`GET ${HOLDS}/{holder}`), { responses: {} }),
  ],
  [
    'the same schema, written otherwise',
    'orders',
    ({ operation }) => {
      const { properties } = dataOf(operation(`GET ${ORDER}`));
      properties.contactNumber = { anyOf: [{ type: 'null' }, { allOf: [{ type: 'string' }, {}] }] };
    },
  ],
  ['a new fact', 'orders', ({ facts }) => Object.assign(facts, { 'order.moved': facts['order.expired'] })],
  [
    'a new member of a fact',
    'orders',
    ({ fact }) => Object.assign(fact('order.expired').properties, { why: { type: 'string' } }),
  ],
  ['a new queue', 'orders', ({ queues }) => Object.assign(queues, { 'orders.weather.v1': ['weather.changed'] })],
  ['a queue gets another fact', 'orders', ({ queues }) => queues['orders.fulfilment.v1'].push('weather.changed')],
  ['a new index', 'orders', ({ indexes }) => indexes('orders').push({ name: 'paid', fields: ['paidAt'] })],
];
