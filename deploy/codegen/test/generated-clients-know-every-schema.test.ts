import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { listValues } from '../src/clients.ts';

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

test('lists of values are found by schema and member, nullable ones and those of list items included', () => {
  expect(Object.fromEntries(listValues({ ...released, info: { version: '1' } }))).toEqual({
    'Order.state': ['open', 'confirmed'],
    'Order.reason': ['busy'],
    'Order.places.state': ['held'],
    Kind: ['one'],
  });
});

test('the types of the partners’ package have two unknowns: any OpenAPI document, and the webhook of a provider', () => {
  const cwd = new URL('../../../libs/client/src/generated/', import.meta.url);
  const sources = globSync('*.ts', { cwd }).map((name) => readFileSync(new URL(name, cwd), 'utf8'));
  const found = sources.flatMap((source) => source.match(/.*\b(unknown|any)\b;.*/g) ?? []);
  expect(found.map((line) => line.trim())).toEqual(Array(2).fill('[key: string]: unknown;'));
});
