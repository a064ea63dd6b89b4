import { expect, test } from '@jest/globals';
import type { Description } from '../src/index.ts';
import { findOperations, reduced, valuesOf } from '../src/service-client.ts';

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

const released = {
  paths: {
    '/internal/orders': {
      get: {
        operationId: 'getOrder',
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } } },
      },
    },
  },
  components: { schemas: { Order, Kind: listOf('one'), Other: Order } },
} as unknown as Description;

test('by schema and member, nullable ones and those of list items included; only of what the caller reads', () => {
  expect(Object.fromEntries(valuesOf(reduced(released, findOperations(released, ['getOrder']))))).toEqual({
    'Order.state': ['open', 'confirmed'],
    'Order.reason': ['busy'],
    'Order.places.state': ['held'],
  });
});
