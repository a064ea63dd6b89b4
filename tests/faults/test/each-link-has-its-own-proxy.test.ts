import { expect, test } from '@jest/globals';
import { buildLinkSettings, damages, linkNames } from '../src/deployment/links.ts';
import { createRandom } from '../src/round/random.ts';

const urls = {
  authorizer: 'http://127.0.0.1:1',
  catalog: 'http://127.0.0.1:2',
  contacts: 'http://127.0.0.1:3',
  orders: 'http://127.0.0.1:4',
  tickets: 'http://127.0.0.1:5',
  pos: 'http://127.0.0.1:6',
  events: 'http://127.0.0.1:9',
  payments: 'http://127.0.0.1:10',
  store: 'mongodb://127.0.0.1:7/prefix?w=1',
  broker: 'amqp://guest:guest@127.0.0.1:8',
};

test('every caller reaches each of its targets through the proxy of that link', () => {
  expect(buildLinkSettings('orders', urls, (link) => `proxy of ${link}`)).toEqual({
    AUTHORIZER_URL: 'http://proxy of orders → authorizer',
    CATALOG_URL: 'http://proxy of orders → catalog',
    CONTACTS_URL: 'http://proxy of orders → contacts',
    TICKETS_URL: 'http://proxy of orders → tickets',
    MONGODB_URL: 'mongodb://proxy of orders → store/prefix?w=1',
    AMQP_URL: 'amqp://guest:guest@proxy of orders → broker',
  });
  expect(Object.keys(buildLinkSettings('authorizer', urls, (link) => link)).toSorted()).toEqual([
    'AMQP_URL',
    'CATALOG_URL',
    'CONTACTS_URL',
    'MONGODB_URL',
  ]);
  const gateway = Object.keys(buildLinkSettings('gateway', urls, () => 'x'));
  expect(gateway).toHaveLength(8);
  expect(gateway.filter((name) => /^(MONGODB|AMQP)_URL$/.test(name))).toEqual([]);
  expect(new Set(linkNames.map(({ name }) => name)).size).toBe(linkNames.length);
  expect(() => buildLinkSettings('orders', { ...urls, store: '127.0.0.1:5672' }, () => 'x')).toThrow('127.0.0.1:5672');
});

test('each way to damage a link has other words', () => {
  const words = damages.map((damage) => damage(createRandom('link')).words);
  expect(new Set(words).size).toBe(damages.length);
});
