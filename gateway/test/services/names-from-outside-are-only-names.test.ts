import { createFixedServices, getCalls, parseRows } from '@boxoffice/runtime/services';
import { describe, expect, test } from '@jest/globals';
import { createDocument } from '../fixtures/describe.ts';
import { waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { startUpstream } from '../fixtures/upstream.ts';

/** What every object inherits; JSON can have members of these names. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];

const NAME = 'constructor';
const PREFIX = `/svc/v3/${NAME}`;

/** An object with these names as members of its own. */
const named = (value: object): object => Object.fromEntries(INHERITED.map((name) => [name, value]));

/** As a service may send it: operations, components, their kinds, webhooks, flows and responses have these names. */
const described = (more: object = {}): object => ({
  ...createDocument(
    INHERITED.map((name) => [`GET ${PREFIX}/${name}`, `${NAME}:read`, name] as [string, string, string]),
    { type: 'object', properties: named({ type: 'string' }), ...more },
  ),
  webhooks: named({ post: { responses: {} } }),
  components: {
    ...named(named({ description: 'a component' })),
    schemas: { ...named({ type: 'string' }), Thing: { type: 'object', ...more } },
    responses: named({ description: 'a response' }),
    securitySchemes: {
      ...named({ type: 'http', scheme: 'basic' }),
      oauth2: { type: 'oauth2', flows: named({ tokenUrl: '/auth/token', scopes: named({}) }) },
    },
  },
});

const inherited = JSON.stringify(
  Object.getOwnPropertyNames(Object).concat(Object.getOwnPropertyNames(Object.prototype)).toSorted(),
);

const service = useFixture(() => startUpstream(described()));
const its = useFixture(() => {
  const row = { name: NAME, url: service.url, prefixes: [PREFIX], domains: [NAME], calls: ['contacts.toString'] };
  // Of one without an address, nothing is an address.
  const other = { name: 'loyalty', prefixes: ['/svc/v3/loyalty'], calls: [`${NAME}.toString`] };
  const serviceList = createFixedServices(parseRows(JSON.stringify([row, other])));
  return startInstallation({ serviceList });
});

describe('a service, its operations and components may be named like what every object inherits', () => {
  test('it is called at the address of its row', async () => {
    const token = its.authorizer.token([`${NAME}:read`]);
    for (const name of INHERITED) {
      await waitUntil(async () => (await its.as(token)(`${PREFIX}/${name}`)).status === 200);
      expect(its.authorizer.decisionRequests.at(-1)).toMatchObject({ audience: NAME, operation: name });
    }
    expect((await its.as(token)(`${PREFIX}/valueof`)).status).toBe(404);
  });

  test('the description of the whole has them, and nothing that objects inherit changes', async () => {
    const before = await its.call('/openapi.json');
    expect(before.status).toBe(200);
    const { paths, components } = JSON.parse(before.text);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(INHERITED.map((name) => `${PREFIX}/${name}`)));
    expect(Object.keys(components.securitySchemes.oauth2.flows.clientCredentials.scopes)).toContain(`${NAME}:read`);
    service.describe(described({ description: 'changed' }));
    await waitUntil(async () => (await its.call('/openapi.json')).text.includes('"description":"changed"'));
    const now = Object.getOwnPropertyNames(Object).concat(Object.getOwnPropertyNames(Object.prototype)).toSorted();
    expect(JSON.stringify(now)).toBe(inherited);
    expect(Object.assign({}, { a: 1 })).toEqual({ a: 1 });
  });

  test('headers and parameters of a request, too', async () => {
    const token = its.authorizer.token([`${NAME}:read`]);
    const headers = { constructor: '1', toString: '2', valueOf: '3', authorization: `Bearer ${token}` };
    const reply = await its.call(`${PREFIX}/constructor?__proto__=1&constructor=2`, { headers });
    expect(reply.status).toBe(200);
    const received = service.received.at(-1);
    expect(Object.keys(received?.headers ?? {})).not.toEqual(expect.arrayContaining(['constructor']));
    expect(received?.url).toBe(`${PREFIX}/constructor?__proto__=1&constructor=2`);
  });
});

test('the calls of a row are by service, whatever its name', () => {
  const calls = getCalls({ calls: [`${NAME}.toString`, 'orders.quote', `${NAME}.valueOf`] });
  expect(Object.entries(calls)).toEqual([
    [NAME, ['toString', 'valueOf']],
    ['orders', ['quote']],
  ]);
});
