import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { dereference } from '@boxoffice/http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOperator, createTemporaryDirectory, sharedDirectory as directory, getSharedProduct } from './program.ts';

type Json = ReturnType<typeof JSON.parse>;

const HOLD = '/internal/stock/holds';
const CONTACT = '/internal/contacts/{contactNumber}';
const servers: Server[] = [];
let urls: Record<string, string>;

beforeAll(async () => {
  await getSharedProduct();
  ({ urls } = JSON.parse(readFileSync(join(directory, 'running.json'), 'utf8')));
});

afterAll(() => {
  for (const server of servers) server.close();
});

/** Another release of a running service, which describes itself with these changes; returns its address. */
const otherRelease = async (service: string, change: (internal: Json) => void): Promise<string> => {
  const documents = await Promise.all(
    ['/openapi.json', '/internal/openapi.json'].map(async (path): Promise<[string, Json]> => {
      const served = await fetch(new URL(path, urls[service]));
      return [path, dereference((await served.json()) as object)];
    }),
  );
  const served = new Map(documents);
  for (const document of served.values()) document.info.version = '9.9.9';
  change(served.get('/internal/openapi.json'));
  const server = createServer({ keepAliveTimeout: 600_000 }, ({ url = '' }, response) => {
    const found = served.get(url);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const dataOf = (operation: Json): Json => operation.responses[200].content['application/json'].schema.properties.data;

const withMore = (schema: Json): void => {
  schema.properties.inventory = { type: 'string' };
  schema.required.push('inventory');
};

const canDeploy = async (settings: Readonly<Record<string, string>>, ...words: string[]) => {
  const { status, out } = await createOperator(directory, settings)('can-deploy', ...words);
  return { status, lines: out.trimEnd().split('\n') };
};

test.each(['orders', 'catalog', 'gateway'])('%s of the release that runs can be deployed', async (service) => {
  const { status, lines } = await canDeploy({}, service);
  expect([status, lines.slice(1)]).toEqual([0, [expect.stringMatching(`^${service} [0-9.]+ can be deployed$`)]]);
});

test('callers and consumers that run now and lose a member or an operation are named, with exit status 1', async () => {
  const running = await otherRelease('catalog', (internal) => {
    withMore(dataOf(internal.paths[HOLD].post));
    withMore(internal['x-publishes']['performance.cancelled'].schema);
  });
  const { status, lines } = await canDeploy({ CATALOG_URL: running }, 'catalog');
  expect(status).toBe(1);
  expect(lines).toEqual([
    expect.stringContaining('catalog 9.9.9'),
    expect.stringMatching(
      /^orders \S+: POST \/internal\/stock\/holds, answer 200: \$\.data\.inventory is gone .*; first run/,
    ),
    expect.stringMatching(
      /^orders \S+ \(orders\.performance-cancelled\.v1\): fact performance\.cancelled: \$\.inventory is gone/,
    ),
    expect.stringMatching(/^catalog \S+ cannot be deployed: 2 breaks$/),
  ]);

  const next = await otherRelease('catalog', (internal) => {
    delete internal.paths[HOLD];
  });
  const served = await canDeploy({}, 'catalog', '--from', next);
  expect(served).toMatchObject({
    status: 1,
    lines: expect.arrayContaining([expect.stringMatching(/^orders \S+: POST \/internal\/stock\/holds: is gone/)]),
  });
});

test('what the new release calls or consumes and nobody that runs gives is named, with the service to deploy first', async () => {
  const running = await otherRelease('catalog', (internal) => {
    delete internal.paths[HOLD];
    delete internal['x-publishes']['performance.cancelled'];
  });
  const { status, lines } = await canDeploy({ CATALOG_URL: running }, 'orders');
  expect([status, lines.slice(1, -1)]).toEqual([
    1,
    [
      expect.stringMatching(
        /^orders \S+: POST \/internal\/stock\/holds: is missing \(catalog 9\.9\.9\); first deploy catalog$/,
      ),
      expect.stringMatching(
        /^orders \S+: fact performance\.cancelled: is not published \(catalog 9\.9\.9\); first deploy/,
      ),
    ],
  ]);
});

test('a call that the running authorizer does not permit is named', async () => {
  const running = await otherRelease('authorizer', (internal) => {
    internal['x-permits'].orders.catalog.shift();
  });
  const { status, lines } = await canDeploy({ AUTHORIZER_URL: running }, 'orders');
  expect([status, lines.slice(1, -1)]).toEqual([
    1,
    [
      expect.stringMatching(
        /^orders \S+: call catalog\.\w+: is not permitted \(authorizer 9\.9\.9\); first deploy authorizer$/,
      ),
    ],
  ]);
});

test('a process of the product that cannot be reached is named, with exit status 2', async () => {
  const { status, lines } = await canDeploy({ TICKETS_URL: 'http://127.0.0.1:1' }, 'orders');
  expect([status, lines.at(-2), lines.at(-1)]).toEqual([
    2,
    'not reached: tickets at 127.0.0.1:1: ECONNREFUSED',
    expect.stringMatching(/^orders \S+: not known/),
  ]);
});

/** A services file with these rows, as a setting. */
const listed = (...rows: readonly object[]) => {
  const file = join(createTemporaryDirectory(), 'own-services.json');
  writeFileSync(file, JSON.stringify(rows));
  return { SERVICES_FILE: file };
};

const AWAY = 'http://127.0.0.1:1';

test('the first release of a service of a team is compared with what others need of it by their rows', async () => {
  const loyalty = { name: 'loyalty', url: AWAY, publishes: ['card.issued'] };
  const mailing = { name: 'mailing', calls: ['loyalty.getCard'], consumes: ['card.issued'] };
  const next = await otherRelease('contacts', (internal) => {
    for (const member of Object.keys(internal)) delete internal[member];
  });
  const missed = await canDeploy(listed(loyalty, mailing), 'loyalty', '--from', next);
  expect([missed.status, missed.lines.slice(1)]).toEqual([
    1,
    [
      expect.stringMatching(/^mailing: operation getCard: is missing \(loyalty 9\.9\.9\); add it, or first run/),
      expect.stringMatching(/^mailing: fact card\.issued: is not published \(loyalty 9\.9\.9\); add it/),
      'loyalty does not run yet: 127.0.0.1:1: ECONNREFUSED',
      'loyalty 9.9.9 cannot be deployed: 2 breaks',
    ],
  ]);
  expect(await canDeploy(listed(loyalty), 'loyalty', '--from', next)).toMatchObject({ status: 0 });
});

test('a service of a team that cannot be reached is named, counts by its row, and blocks no other', async () => {
  const settings = listed({ name: 'loyalty', url: AWAY, calls: ['contacts.getContactInternally'] });
  const { status, lines } = await canDeploy(settings, 'orders');
  expect([status, lines.slice(1)]).toEqual([
    0,
    [
      'not reached: loyalty at 127.0.0.1:1: ECONNREFUSED; it counts by its row',
      expect.stringMatching(/^orders \S+ can be deployed$/),
    ],
  ]);
  const running = await otherRelease('contacts', (internal) => withMore(dataOf(internal.paths[CONTACT].get)));
  const broken = await canDeploy({ ...settings, CONTACTS_URL: running }, 'contacts');
  expect(broken.status).toBe(1);
  expect(broken.lines).toContainEqual(expect.stringMatching(/^loyalty: GET .*\$\.data\.inventory is gone/));
});

test('services of a team’s own are callers by their row; a release that describes no facts is not compared', async () => {
  const loyalty = await otherRelease('contacts', (internal) => {
    for (const member of Object.keys(internal)) delete internal[member];
  });
  const row = {
    name: 'loyalty',
    url: loyalty,
    calls: ['contacts.getContactInternally'],
    consumes: ['order.confirmed'],
  };
  const running = await otherRelease('contacts', (internal) => withMore(dataOf(internal.paths[CONTACT].get)));
  const settings = { ...listed(row), CONTACTS_URL: running };
  const { status, lines } = await canDeploy(settings, 'contacts');
  expect(status).toBe(1);
  expect(lines).toContainEqual(expect.stringMatching(/^loyalty 9\.9\.9: GET .*\$\.data\.inventory is gone/));
  expect(await canDeploy(listed(row), 'loyalty')).toMatchObject({ status: 0 });
  const refused = await canDeploy(listed({ ...row, calls: ['contacts.getNobody'] }), 'loyalty');
  expect(refused.lines).toContainEqual(expect.stringMatching(/^loyalty .*: operation getNobody: is missing/));
});

test('a fact that the release no longer has breaks all its consumers, and is no fault of their rows', async () => {
  const rows = listed({ name: 'loyalty', url: AWAY, consumes: ['order.dispatched'] });
  const running = {
    ORDERS_URL: await otherRelease('orders', (internal) => {
      internal['x-publishes']['order.dispatched'] = internal['x-publishes']['order.confirmed'];
    }),
    TICKETS_URL: await otherRelease('tickets', (internal) => {
      internal['x-consumes']['tickets.orders.v1'].push('order.dispatched');
    }),
  };
  const { status, lines } = await canDeploy({ ...rows, ...running }, 'orders');
  expect([status, lines.slice(1, 3)]).toEqual([
    1,
    [
      expect.stringMatching(/^tickets 9\.9\.9 \(.*\): fact order\.dispatched: is no longer published \(orders .*\);/),
      expect.stringMatching(/^loyalty \(.*\): fact order\.dispatched: is no longer published \(orders .*\);/),
    ],
  ]);
  // Where no process publishes it either, it is a wrong word of the row.
  const wrong = await canDeploy(rows, 'orders');
  expect([wrong.status, wrong.lines[1]]).toEqual([
    1,
    expect.stringMatching(/^loyalty: fact order\.dispatched: no service publishes it; correct consumes of the row/),
  ]);
});
