import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Environment, readSettings, SettingsFault } from '../../src/index.ts';
import { checkRows } from '../../src/services/check.ts';
import { builtInRows, parseRows, type RowsFault, servicesFile, servicesFileOrData } from '../../src/services/index.ts';

let directory: string;
let path: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'services-'));
  path = join(directory, 'rows.json');
});
afterAll(() => rmSync(directory, { recursive: true }));

const faultsOf = (text: string, env?: Environment): readonly string[] => {
  writeFileSync(path, text);
  try {
    readSettings({ file: servicesFile }, env ?? { SERVICES_FILE: path });
    return [];
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    return error.faults;
  }
};

const loyalty = (more: object) => ({ name: 'loyalty', prefixes: ['/svc/v3/loyalty'], domains: ['loyalty'], ...more });

test.each([
  [
    'a prefix of a built-in row',
    { prefixes: ['/svc/v3/orders'] },
    'prefixes: /svc/v3/orders is a prefix of the row "orders"',
  ],
  ['one below it', { prefixes: ['/svc/v3/orders/x'] }, 'prefixes: /svc/v3/orders/x is a prefix of the row "orders"'],
  ['one above others', { prefixes: ['/svc'] }, 'prefixes: /svc is a prefix of the row "authorizer"'],
  ['a path in another case', { prefixes: ['/TNWR/v1'] }, 'prefixes: /TNWR/v1 is a prefix of the row "pos"'],
  ['a path of the gateway', { prefixes: ['/docs/loyalty'] }, 'prefixes: /docs/loyalty is a path of the specification'],
  ['another version', { prefixes: ['/svc/v4/loyalty'] }, 'prefixes: /svc/v4/loyalty is a path of the specification'],
  ['family B', { prefixes: ['/tnwr/v2'] }, 'prefixes: /tnwr/v2 is a path of the specification'],
  ['no path', { prefixes: ['svc/../x'] }, 'prefixes has "svc/../x"; expected a path like /svc/v3/loyalty'],
  ['a domain of a row above', { domains: ['orders'] }, 'domains: orders belongs to the row "orders" above'],
  ['no domain', { domains: ['Loyalty:read'] }, 'domains has "Loyalty:read"; expected a domain like loyalty'],
  ['an open operation elsewhere', { open: ['GET /svc/v3/x'] }, 'open: GET /svc/v3/x is below no prefix of the row'],
  ['pages elsewhere', { pages: ['POST /y'] }, 'pages: POST /y is below no prefix of the row'],
  [
    'calls of nobody',
    { calls: ['catalogue.find'] },
    'calls: catalogue.find names no other service; there are gateway,',
  ],
  ['calls without a service', { calls: ['find'] }, 'calls has "find"; expected an operation of another service like'],
  [
    'a fact of another',
    { publishes: ['order.made'] },
    'publishes: order.made would go to the exchange of the row "orders"',
  ],
  ['a fact of nobody', { consumes: ['order.made'] }, 'consumes: no row publishes order.made'],
  [
    'a foreign queue',
    { consumes: [{ queue: 'orders.x.v1', facts: ['order.confirmed'] }] },
    'consumes has the queue "orders.x.v1"',
  ],
  ['a url with a path', { url: 'http://loyalty:8081/x' }, 'url is "http://loyalty:8081/x"; expected an origin'],
  ...['Authorization', 'cookie', 'X-auth-token', 'X-ORDER-LINK', 'X-API-Key'].map((name): [string, object, string] => [
    `the credential ${name}`,
    { headers: ['X-Loyalty-Level', name] },
    `headers: ${name} is a credential of the caller, which no service of a team gets; remove it`,
  ]),
  ...[
    'Set-Cookie',
    'Access-Control-Allow-Origin',
    'Clear-Site-Data',
    'Service-Worker-Allowed',
    'X-Internal-Identity',
  ].map((name): [string, object, string] => [
    `the header ${name}`,
    { headers: [name] },
    `headers: ${name} belongs to the gateway or its whole origin; remove it`,
  ]),
  ['no header', { headers: ['X_Loyalty'] }, 'headers has "X_Loyalty"; expected the name of a header like'],
  ['credentials of a team', { credentials: ['Cookie'] }, 'has an unknown member credentials; there are name, url,'],
  ['cookies of a team', { cookies: ['a'] }, 'has an unknown member cookies; there are name, url, prefixes'],
  ['an unknown member', { prefix: '/x' }, 'has an unknown member prefix; there are name, url, prefixes'],
])('%s is refused', (_what, more, fault) => {
  const faults = faultsOf(JSON.stringify([loyalty(more)]));
  expect(faults).toEqual([expect.stringContaining(`SERVICES_FILE: ${path}: row 1 "loyalty": ${fault}`)]);
});

test('every wrong row is named; of two teams’ rows the one below is', () => {
  const faults = faultsOf(
    JSON.stringify([
      loyalty({}),
      { name: 'cards', prefixes: ['/svc/v3/loyalty/cards'], domains: ['loyalty'] },
      loyalty({}),
      7,
    ]),
  );
  expect(faults.map((fault) => fault.slice(`SERVICES_FILE: ${path}: `.length))).toEqual([
    expect.stringMatching(
      /^row 2 "cards": prefixes: .* of the row "loyalty"; choose one of your own, like \/svc\/v3\/cards$/,
    ),
    expect.stringMatching(/^row 2 "cards": domains: loyalty belongs to the row "loyalty" above/),
    'row 3 "loyalty": the name is that of a row above; choose another',
    expect.stringMatching(/^row 4: is no object/),
  ]);
});

test('of a built-in service only the url can be set, and some names are reserved', () => {
  expect(faultsOf('[{"name": "orders", "url": "http://orders:1"}]')).toEqual([]);
  expect(faultsOf('[{"name": "orders", "open": []}]')[0]).toMatch(
    /row 1 "orders": is a built-in service: of it only url/,
  );
  expect(faultsOf('[{"name": "operator"}]')[0]).toMatch(/name: operator is reserved/);
  expect(parseRows('[{"name": "orders", "url": "http://orders:1"}]')).toHaveLength(builtInRows.length);
});

test('what is no list, no JSON or not there is refused; without the setting the data directory may have a file', () => {
  expect(faultsOf('{}')[0]).toMatch(/holds no list/);
  expect(faultsOf('[')[0]).toMatch(/is not JSON/);
  expect(faultsOf('', { SERVICES_FILE: '/nowhere' })).toEqual([
    'SERVICES_FILE: /nowhere cannot be read: it does not exist',
  ]);
  const env = { BOXOFFICE_DATA_DIR: directory };
  expect(readSettings({ file: servicesFileOrData }, env).file.rows).toEqual(builtInRows);
  writeFileSync(join(directory, 'services.json'), JSON.stringify([loyalty({})]));
  expect(readSettings({ file: servicesFileOrData }, env).file.rows.at(-1)?.name).toBe('loyalty');
});

test('a file has at most 256 KiB and 200 rows, and the first of many faults are named', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `team-${index}` }));
  const kibibytes256 = JSON.stringify(rows(200)).padEnd(256 * 1_024);
  expect(faultsOf(kibibytes256)).toEqual([]);
  expect(faultsOf(`${kibibytes256} `)).toEqual([
    `SERVICES_FILE: ${path}: is larger than 256 KiB, the most that is read; remove rows, or correct the path`,
  ]);
  expect(faultsOf(JSON.stringify(rows(201)))).toEqual([`SERVICES_FILE: ${path}: holds 201 rows; at most 200 are read`]);
  const faults = faultsOf(JSON.stringify([loyalty({ calls: rows(10_000).map(({ name }) => `${name}.find`) })]));
  expect(faults).toHaveLength(51);
  expect(faults.at(-1)).toBe(`SERVICES_FILE: ${path}: and 9950 faults more`);
});

test('a byte order mark before the list is ignored', () => {
  expect(faultsOf(`\uFEFF${JSON.stringify([loyalty({})])}`)).toEqual([]);
});

test('the built-in rows obey the same rules, but that they have the paths of the specification and credentials', () => {
  const faults = (): readonly string[] => {
    try {
      checkRows(JSON.stringify(builtInRows.map(({ credentials: _, cookies: __, ...row }) => row)), []);
      return [];
    } catch (error) {
      return (error as RowsFault).faults;
    }
  };
  expect(faults().filter((fault) => !fault.includes('a path of the specification'))).toEqual([]);
});
