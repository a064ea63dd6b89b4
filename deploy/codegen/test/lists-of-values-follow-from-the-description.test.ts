import { expect, test } from '@jest/globals';
import { valuesOf } from '../src/service-client.ts';

const listOf = (...values: readonly string[]) => ({ type: 'string', enum: values });

const Order = {
  type: 'object',
  properties: {
    state: listOf('open', 'confirmed'),
    reason: { anyOf: [listOf('busy'), { type: 'null' }] },
    places: { type: 'array', items: { type: 'object', properties: { state: listOf('held') } } },
    id: { type: 'string' },
  },
};

const released = { paths: {}, components: { schemas: { Order, OrderAnswer: Order, Kind: listOf('one') } } };

test('by schema and member, nullable ones and those of list items included', () => {
  expect(Object.fromEntries(valuesOf({ ...released, info: { version: '1' } }))).toEqual({
    'Order.state': ['open', 'confirmed'],
    'Order.reason': ['busy'],
    'Order.places.state': ['held'],
    Kind: ['one'],
  });
});
