import { authorizer } from '@boxoffice/authorizer';
import { catalog as catalogService } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import { createHealth, listen } from '@boxoffice/runtime';
import { openSqliteStores } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import { expect, test } from '@jest/globals';
import { probe } from '../../src/status/probe.ts';
import { operatorOf, temporaryDirectory } from '../program.ts';

const describing = (version: string) => (_request: unknown, response: { end(text: string): unknown }) =>
  void response.end(JSON.stringify({ openapi: '3.1.0', info: { version } }));

const lastLine = (out: string) => out.trimEnd().split('\n').at(-1);

test('each instance has a row with version and readiness, or the reason why it cannot be reached', async () => {
  const health = createHealth(() => ['store', 'broker', 'start']);
  const one = await listen(describing('1.2.3'), { host: '127.0.0.1', port: 0, health });
  const other = await listen(describing('1.3.0'), { host: '127.0.0.1', port: 0, health: createHealth() });
  try {
    const url = `http://127.0.0.1:${one.port}`;
    expect(await probe({ service: 'orders', url })).toEqual([
      { service: 'orders', at: `127.0.0.1:${one.port}`, version: '1.2.3', state: 'starting: store, broker, start' },
    ]);
    health.ready({ broker: () => Promise.reject(new Error('it is away')) });
    expect(await probe({ service: 'orders', url })).toMatchObject([{ state: 'not ready: broker' }]);
    health.ready();
    expect(await probe({ service: 'orders', url })).toMatchObject([{ state: 'ready' }]);
    expect(await probe({ service: 'orders', url: `http://localhost:${one.port}` })).toMatchObject([
      { version: '1.2.3' },
    ]);
    expect(await probe({ service: 'orders', url: other.url })).toMatchObject([{ version: '1.3.0' }]);
    const apart = { service: 'gateway', url, versionUrl: other.url };
    expect(await probe(apart)).toMatchObject([{ version: '1.3.0', state: 'ready' }]);
  } finally {
    await one.close();
    await other.close();
  }
  expect(await probe({ service: 'orders', url: 'http://127.0.0.1:1' })).toEqual([
    { service: 'orders', at: '127.0.0.1:1', version: null, state: 'unreachable: ECONNREFUSED' },
  ]);
  expect(await probe({ service: 'orders', url: 'http://orders.invalid' })).toMatchObject([
    { at: 'orders.invalid', state: expect.stringMatching(/^unreachable: E/) },
  ]);
});

test('the addresses come from the services’ settings, and unreachable ones are reported', async () => {
  const catalog = await listen(describing('2.0.0'), { host: '127.0.0.1', port: 0, health: createHealth() });
  try {
    const operator = operatorOf(temporaryDirectory(), {
      CATALOG_URL: catalog.url,
      ORDERS_URL: 'http://127.0.0.1:1',
      MONGODB_URL: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100',
    });
    const { status, out } = await operator('status');
    expect(status).toBe(1);
    expect(out).toMatch(/catalog\s+127\.0\.0\.1:\d+\s+2\.0\.0\s+starting/);
    expect(out).toMatch(/queues: unreachable: MONGODB_URL: .*\n/);
    expect(out).toMatch(/orders: unreachable: MONGODB_URL: .*\n/);
    expect(lastLine(out)).toMatch(
      /^WRONG: .*orders at 127\.0\.0\.1:1 is unreachable.*; not asked: gateway \(GATEWAY_URL\), authorizer \(AUTHORIZER_URL\), contacts/,
    );
  } finally {
    await catalog.close();
  }
});

test('a process without a known address has a row that names its setting, and the last line names it as well', async () => {
  const directory = temporaryDirectory();
  const stores = openSqliteStores({ directory });
  for (const service of [authorizer, catalogService, contacts, orders, tickets, pos])
    await stores.open(service.name, service.collections);
  await stores.close();
  const health = createHealth();
  health.ready();
  const ready = await listen(describing('2.0.0'), { host: '127.0.0.1', port: 0, health });
  try {
    const some = { AUTHORIZER_URL: ready.url, CONTACTS_URL: ready.url };
    const { status, out } = await operatorOf(directory, some)('status');
    for (const name of ['GATEWAY', 'CATALOG', 'ORDERS', 'TICKETS', 'EVENTS', 'POS'])
      expect(out).toMatch(new RegExp(`^${name.toLowerCase()} +not asked: ${name}_URL is not set$`, 'm'));
    expect(out).not.toContain('all is well');
    expect([status, lastLine(out)]).toEqual([
      0,
      'no problem in the processes that were reached; not asked: gateway (GATEWAY_URL), catalog (CATALOG_URL), orders (ORDERS_URL), tickets (TICKETS_URL), events (EVENTS_URL), pos (POS_URL)',
    ]);
    const every = { GATEWAY_URL: ready.url, CATALOG_URL: ready.url, ORDERS_URL: ready.url, TICKETS_URL: ready.url };
    const asked = await operatorOf(directory, { ...some, ...every, EVENTS_URL: ready.url, POS_URL: ready.url })(
      'status',
    );
    expect([asked.status, lastLine(asked.out)]).toEqual([0, 'all is well']);
  } finally {
    await ready.close();
  }
});

test('without any address the result is bad and names the settings', async () => {
  const url = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100';
  const operator = operatorOf(temporaryDirectory(), { MONGODB_URL: url });
  const { status, out } = await operator('status');
  expect(status).toBe(1);
  expect(out).toMatch(/^processes\n.*\ngateway +not asked: GATEWAY_URL is not set$/m);
  expect(lastLine(out)).toMatch(/^WRONG: no process could be reached: none of GATEWAY_URL, .*, POS_URL is set; /);
  expect((await operator('status', '--help')).out).toContain('GATEWAY_URL');
});
