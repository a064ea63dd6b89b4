import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalog } from '@boxoffice/catalog';
import { orders, ordersCollection } from '@boxoffice/orders';
import { openSqliteStores } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import type { Overview } from '../../src/status/overview.ts';
import { problemsOf, verdictOf } from '../../src/status/problems.ts';
import { orderWith } from '../check/institution-fixture.ts';
import { operatorOf, temporaryDirectory } from '../program.ts';

const directory = temporaryDirectory();

const lastLine = (out: string) => out.trimEnd().split('\n').at(-1);

const well: Overview = {
  at: new Date().toISOString(),
  data: '/data',
  engines: { store: 'SQLite', bus: 'in-process bus' },
  servicesFile: null,
  addresses: 'npm start',
  processes: [{ service: 'orders', at: '127.0.0.1:1', version: '0.1.0', state: 'ready' }],
  notAsked: [],
  queues: [{ queue: 'orders.fulfilment.v1', waiting: 3, retrying: 1, dead: 0 }],
  outboxes: [{ service: 'orders', events: 5, oldestSeconds: 2 }],
  orders: { openCancellations: 4, oldestCancellationSeconds: 20, expiredUnswept: 0, stuckSteps: 0 },
};
const none = { openCancellations: 0, oldestCancellationSeconds: 0, expiredUnswept: 0, stuckSteps: 0 };
const [orderService] = well.processes;

test('pending work is no problem', () => {
  expect(problemsOf(well)).toEqual([]);
  expect(verdictOf(well, [])).toBe('all is well');
});

test.each<[string, Partial<Overview>]>([
  ['boxoffice is not running on /data', { addresses: 'nowhere', processes: [] }],
  [
    'no process could be reached: none of GATEWAY_URL, POS_URL is set',
    {
      addresses: 'nowhere',
      processes: ['gateway', 'pos'].map((service) => ({ service, at: null, version: null, state: 'not asked' })),
      notAsked: [
        { service: 'gateway', setting: 'GATEWAY_URL' },
        { service: 'pos', setting: 'POS_URL' },
      ],
    },
  ],
  ['boxoffice is still starting', { processes: [] }],
  [
    'orders at 127.0.0.1:1 is not ready: broker',
    { processes: orderService ? [{ ...orderService, state: 'not ready: broker' }] : [] },
  ],
  ['queues: AMQP_URL: no answer', { queues: { unreachable: 'AMQP_URL: no answer' } }],
  ['outboxes: MONGODB_URL: no answer', { outboxes: { unreachable: 'MONGODB_URL: no answer' } }],
  ['2 dead letters (dead-letters list)', { queues: [{ queue: 'q', waiting: 0, retrying: 0, dead: 2 }] }],
  [
    '5 events of orders not published, the oldest for 61 s',
    { outboxes: [{ service: 'orders', events: 5, oldestSeconds: 61 }] },
  ],
  [
    '1 cancellation open, the oldest for 301 s',
    { orders: { ...none, openCancellations: 1, oldestCancellationSeconds: 301 } },
  ],
  ['at least 1000 orders expired over 60 s ago and not swept', { orders: { ...none, expiredUnswept: 1_000 } }],
  ['2 orders paid in full and not confirmed for over 60 s', { orders: { ...none, stuckSteps: 2 } }],
])('a problem: %s', (problem, change) => {
  const overview = { ...well, ...change };
  expect(problemsOf(overview)).toEqual([problem]);
  expect(verdictOf(overview, [problem])).toBe(`WRONG: ${problem}`);
});

const HOUR = 3_600_000;

test('a stopped installation is reported, with its backlog', async () => {
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
  await store
    .collection(ordersCollection)
    .of('club')
    .insertMany([
      orderWith({ id: randomUUID(), deadline: past }),
      orderWith({ id: randomUUID(), deadline: Date.now() + HOUR }),
      orderWith({ id: randomUUID(), state: 'cancelled', cancellation }),
      orderWith({ id: randomUUID(), state: 'cancelled', cancellation: { ...cancellation, settledAt: past } }),
      orderWith({ id: randomUUID(), saleDue: { since: past, paymentId: 'pay' } }),
    ]);
  await stores.close();
  const { status, out } = await operatorOf(directory)('status');
  expect(status).toBe(1);
  expect(out).toContain('processes: none');
  expect(lastLine(out)).toMatch(
    /^WRONG: boxoffice is not running on .*; 1 cancellation open, the oldest for 36\d\d s; 1 order expired .*; 1 order paid in full/,
  );
  const report = JSON.parse((await operatorOf(directory)('status', '--json')).out);
  expect(report).toMatchObject({
    addresses: 'nowhere',
    orders: { openCancellations: 1, expiredUnswept: 1, stuckSteps: 1 },
  });
  expect(report.problems).toHaveLength(4);

  // A wrong row of a team hides nothing of the product.
  const servicesFile = join(directory, 'wrong.json');
  writeFileSync(servicesFile, JSON.stringify([{ name: 'loyalty', domains: ['orders'] }]));
  const beside = await operatorOf(directory, { SERVICES_FILE: servicesFile })('status');
  const fault = `SERVICES_FILE: ${servicesFile}: row 1 "loyalty": domains: orders belongs to`;
  expect(beside.status).toBe(1);
  expect(beside.out).toContain(`\nservices of teams: not looked at: ${fault}`);
  expect(beside.out).toContain('orders.fulfilment.v1');
  expect(lastLine(beside.out)).toContain(`WRONG: ${fault}`);
  expect(lastLine(beside.out)).toContain('1 cancellation open');

  // Reading creates nothing: a service without a file has none afterwards.
  const checked = await operatorOf(directory)('check');
  expect([checked.status, checked.err]).toEqual([
    1,
    expect.stringContaining('lacks authorizer.sqlite, contacts.sqlite, tickets.sqlite, events.sqlite, pos.sqlite'),
  ]);
});
