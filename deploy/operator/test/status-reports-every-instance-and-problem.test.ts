import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { orders, ordersCollection } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import { createHealth, listen } from '@boxoffice/runtime';
import { openSqliteStores } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import { expect, test } from '@jest/globals';
import { probe } from '../src/processes.ts';
import { formatVerdict, listProblems, type Overview } from '../src/status.ts';
import { createOrder } from './check/institution-fixture.ts';
import { createOperator, createTemporaryDirectory } from './program.ts';

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

test('the gateway, whose plain listener describes nothing, names its version in its health check', async () => {
  const health = createHealth(undefined, '1.4.0');
  const notFound = (_request: unknown, response: ServerResponse) => void response.writeHead(404).end('{}');
  const gateway = await listen(notFound, { host: '127.0.0.1', port: 0, health });
  try {
    expect(await probe({ service: 'gateway', url: gateway.url })).toMatchObject([{ version: '1.4.0' }]);
  } finally {
    await gateway.close();
  }
});

test('the addresses come from the services’ settings, and unreachable ones are reported', async () => {
  const catalog = await listen(describing('2.0.0'), { host: '127.0.0.1', port: 0, health: createHealth() });
  try {
    const operator = createOperator(createTemporaryDirectory(), {
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
  const directory = createTemporaryDirectory();
  const stores = openSqliteStores({ directory });
  for (const service of [authorizer, catalog, contacts, orders, tickets, pos])
    await stores.open(service.name, service.collections);
  await stores.close();
  const health = createHealth();
  health.ready();
  const ready = await listen(describing('2.0.0'), { host: '127.0.0.1', port: 0, health });
  try {
    const some = { AUTHORIZER_URL: ready.url, CONTACTS_URL: ready.url };
    const { status, out } = await createOperator(directory, some)('status');
    for (const name of ['GATEWAY', 'CATALOG', 'ORDERS', 'TICKETS', 'EVENTS', 'PAYMENTS', 'POS'])
      expect(out).toMatch(new RegExp(`^${name.toLowerCase()} +not asked: ${name}_URL is not set$`, 'm'));
    expect(out).not.toContain('all is well');
    expect([status, lastLine(out)]).toEqual([
      0,
      'no problem in the processes that were reached; not asked: gateway (GATEWAY_URL), catalog (CATALOG_URL), orders (ORDERS_URL), tickets (TICKETS_URL), events (EVENTS_URL), payments (PAYMENTS_URL), pos (POS_URL)',
    ]);
    const every = { GATEWAY_URL: ready.url, CATALOG_URL: ready.url, ORDERS_URL: ready.url, TICKETS_URL: ready.url };
    const others = { EVENTS_URL: ready.url, PAYMENTS_URL: ready.url, POS_URL: ready.url };
    const asked = await createOperator(directory, { ...some, ...every, ...others })('status');
    expect([asked.status, lastLine(asked.out)]).toEqual([0, 'all is well']);
  } finally {
    await ready.close();
  }
});

test('without any address the result is bad and names the settings', async () => {
  const url = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100';
  const operator = createOperator(createTemporaryDirectory(), { MONGODB_URL: url });
  const { status, out } = await operator('status');
  expect(status).toBe(1);
  expect(out).toMatch(/^processes\n.*\ngateway +not asked: GATEWAY_URL is not set$/m);
  expect(lastLine(out)).toMatch(/^WRONG: no process could be reached: none of GATEWAY_URL, .*, POS_URL is set; /);
  expect((await operator('status', '--help')).out).toContain('GATEWAY_URL');
});

const well: Overview = {
  at: new Date().toISOString(),
  data: '/data',
  engines: { store: 'SQLite', bus: 'in-process bus' },
  timeZones: '2026f',
  servicesFile: null,
  addresses: 'npm start',
  processes: [{ service: 'orders', at: '127.0.0.1:1', version: '0.1.0', state: 'ready' }],
  notAsked: [],
  queues: [{ queue: 'orders.fulfilment.v1', waiting: 3, retrying: 1, dead: 0 }],
  outboxes: [{ service: 'orders', events: 5, oldestSeconds: 2 }],
  orders: { openCancellations: 4, oldestCancellationSeconds: 20, expiredUnswept: 0, stuckSteps: 0 },
};
const none = { openCancellations: 0, oldestCancellationSeconds: 0, expiredUnswept: 0, stuckSteps: 0 };

test('pending work is no problem', () => {
  expect(listProblems(well)).toEqual([]);
  expect(formatVerdict(well, [])).toBe('all is well');
});

const problems: Readonly<Record<string, Partial<Overview>>> = {
  'boxoffice is not running on /data': { addresses: 'nowhere', processes: [] },
  'no process could be reached: none of GATEWAY_URL, POS_URL is set': {
    addresses: 'nowhere',
    processes: ['gateway', 'pos'].map((service) => ({ service, at: null, version: null, state: 'not asked' })),
    notAsked: ['gateway', 'pos'].map((service) => ({ service, setting: `${service.toUpperCase()}_URL` })),
  },
  'boxoffice is still starting': { processes: [] },
  'orders at 127.0.0.1:1 is not ready: broker': {
    processes: well.processes.map((process) => ({ ...process, state: 'not ready: broker' })),
  },
  'queues: AMQP_URL: no answer': { queues: { unreachable: 'AMQP_URL: no answer' } },
  'outboxes: MONGODB_URL: no answer': { outboxes: { unreachable: 'MONGODB_URL: no answer' } },
  '2 dead letters (dead-letters list)': { queues: [{ queue: 'q', waiting: 0, retrying: 0, dead: 2 }] },
  '5 events of orders not published, the oldest for 61 s': {
    outboxes: [{ service: 'orders', events: 5, oldestSeconds: 61 }],
  },
  '1 cancellation open, the oldest for 301 s': {
    orders: { ...none, openCancellations: 1, oldestCancellationSeconds: 301 },
  },
  'at least 1000 orders expired over 60 s ago and not swept': { orders: { ...none, expiredUnswept: 1_000 } },
  '2 orders paid in full and not confirmed for over 60 s': { orders: { ...none, stuckSteps: 2 } },
};
test.each(Object.entries(problems))('a problem: %s', (problem, change) => {
  const overview = { ...well, ...change };
  expect(listProblems(overview)).toEqual([problem]);
  expect(formatVerdict(overview, [problem])).toBe(`WRONG: ${problem}`);
});

const HOUR = 3_600_000;

test('a stopped installation is reported, with its backlog', async () => {
  const directory = createTemporaryDirectory();
  const stores = openSqliteStores({ directory });
  await stores.open(catalog.name, catalog.collections);
  const store = await stores.open(orders.name, orders.collections);
  const past = Date.now() - HOUR;
  const cancellation = {
    reason: null,
    requestedAt: past,
    hadTickets: false,
    ticketsCancelled: 0,
    controlled: 0,
    placesReleased: null,
    settledAt: null,
    ticketsVersion: 0,
    placesVersion: 0,
  };
  const stored = store.collection(ordersCollection).of('club');
  await stored.insert(createOrder({ id: randomUUID(), deadline: past }), { due: { expire: past } });
  await stored.insert(createOrder({ id: randomUUID(), saleDue: { since: past, paymentId: 'pay' } }), {
    due: { sell: past },
  });
  await stored.insertMany([
    createOrder({ id: randomUUID(), deadline: Date.now() + HOUR }),
    createOrder({ id: randomUUID(), state: 'cancelled', cancellation }),
    createOrder({ id: randomUUID(), state: 'cancelled', cancellation: { ...cancellation, settledAt: past } }),
  ]);
  await stores.close();
  const { status, out } = await createOperator(directory)('status');
  expect(status).toBe(1);
  expect(out).toContain('processes: none');
  expect(lastLine(out)).toMatch(
    /^WRONG: boxoffice is not running on .*; 1 cancellation open, the oldest for 36\d\d s; 1 order expired .*; 1 order paid in full/,
  );
  const report = JSON.parse((await createOperator(directory)('status', '--json')).out);
  expect(report).toMatchObject({
    addresses: 'nowhere',
    orders: { openCancellations: 1, expiredUnswept: 1, stuckSteps: 1 },
  });
  expect(report.problems).toHaveLength(4);

  // A wrong row of a team hides nothing of the product.
  const servicesFile = join(directory, 'wrong.json');
  writeFileSync(servicesFile, JSON.stringify([{ name: 'loyalty', domains: ['orders'] }]));
  const beside = await createOperator(directory, { SERVICES_FILE: servicesFile })('status');
  const fault = `SERVICES_FILE: ${servicesFile}: row 1 "loyalty": domains: orders belongs to`;
  expect(beside.status).toBe(1);
  expect(beside.out).toContain(`\nservices of teams: not looked at: ${fault}`);
  expect(beside.out).toContain('orders.fulfilment.v1');
  expect(lastLine(beside.out)).toContain(`WRONG: ${fault}`);
  expect(lastLine(beside.out)).toContain('1 cancellation open');

  // Reading creates nothing: a service without a file has none afterwards.
  const checked = await createOperator(directory)('check');
  expect([checked.status, checked.err]).toEqual([
    1,
    expect.stringContaining('lacks authorizer.sqlite, contacts.sqlite, tickets.sqlite, events.sqlite, payments.sqlite'),
  ]);
});
