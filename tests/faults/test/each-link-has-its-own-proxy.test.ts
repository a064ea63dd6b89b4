import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { openBalancer } from '../src/deployment/balancer.ts';
import { damageKinds, damageOf } from '../src/deployment/links/damage.ts';
import { addressesOf, linkNames, moved } from '../src/deployment/links/pairs.ts';
import { linkFaults } from '../src/plan/rows/links.ts';
import { randomFrom } from '../src/round/random.ts';

const urls = {
  authorizer: 'http://127.0.0.1:1',
  catalog: 'http://127.0.0.1:2',
  contacts: 'http://127.0.0.1:3',
  orders: 'http://127.0.0.1:4',
  tickets: 'http://127.0.0.1:5',
  pos: 'http://127.0.0.1:6',
  events: 'http://127.0.0.1:9',
  store: 'mongodb://127.0.0.1:7/prefix?w=1',
  broker: 'amqp://guest:guest@127.0.0.1:8',
};

test('every caller reaches each of its targets through the proxy of that link', () => {
  expect(addressesOf('orders', urls, (link) => `proxy of ${link}`)).toEqual({
    AUTHORIZER_URL: 'http://proxy of orders → authorizer',
    CATALOG_URL: 'http://proxy of orders → catalog',
    CONTACTS_URL: 'http://proxy of orders → contacts',
    TICKETS_URL: 'http://proxy of orders → tickets',
    MONGODB_URL: 'mongodb://proxy of orders → store/prefix?w=1',
    AMQP_URL: 'amqp://guest:guest@proxy of orders → broker',
  });
  expect(Object.keys(addressesOf('authorizer', urls, (link) => link)).toSorted()).toEqual([
    'AMQP_URL',
    'CATALOG_URL',
    'CONTACTS_URL',
    'MONGODB_URL',
  ]);
  const gateway = Object.keys(addressesOf('gateway', urls, () => 'x'));
  expect(gateway).toHaveLength(8);
  expect(gateway).not.toContain('MONGODB_URL');
  expect(new Set(linkNames.map(({ name }) => name)).size).toBe(linkNames.length);
});

test('an address that is not a URL of a server is refused', () => {
  expect(() => moved('127.0.0.1:5672', 'x')).toThrow('127.0.0.1:5672');
});

test('half of the bandwidth is half of what was measured, for both directions together', () => {
  const { toxics } = damageOf('halved', 80_000, randomFrom('halved'));
  expect(toxics.map(({ stream, attributes }) => [stream, attributes.rate])).toEqual([
    ['upstream', 20],
    ['downstream', 20],
  ]);
});

test('the faults meet every link before they repeat one, and as often in every way', () => {
  const faults = linkFaults(100, randomFrom('row'));
  expect(faults).toHaveLength(100);
  expect(new Set(faults.slice(0, linkNames.length).map(({ link }) => link)).size).toBe(linkNames.length);
  const times = damageKinds.map((kind) => faults.filter((fault) => fault.kind === kind).length);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1);
});

test('a balancer counts the bytes of open and of closed connections', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const balancer = await openBalancer();
  const address = server.address();
  balancer.add(typeof address === 'object' ? (address?.port ?? 0) : 0);
  const { port, hostname } = new URL(balancer.url);
  for (const turn of [1, 2]) {
    const client = connect(Number(port), hostname);
    const echo = once(client, 'data');
    client.write('12345');
    await echo;
    expect(balancer.carried()).toBe(turn * 10);
    client.destroy();
  }
  await balancer.close();
  server.close();
});
