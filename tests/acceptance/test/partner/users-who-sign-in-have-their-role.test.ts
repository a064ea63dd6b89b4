import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Role } from '@boxoffice/identity';
import { type Client, type Json, openClient, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findAuthlibPython } from '../../src/engines.ts';
import { type DemoApiUser, findDemoClient, type SignedIn, signIn } from '../../src/product.ts';
import { usePartner, useSharedProduct } from '../product.ts';
import { type CallOptions, type Described, listScopedOperations, type Shown } from '../roles/composition.ts';
import { type Sold, sell } from '../roles/sold.ts';

// A whole installation: the gateway, and tokens that users get by signing in. Every operation with a user of each role
// is walked in ../roles, with identities that the test signs.

const product = useSharedProduct();
const full = usePartner(product);
let operations: readonly Described[];
let own: Sold;
let other: Sold;
const signedIn = new Map<Role, SignedIn>();

const ROLES: readonly Role[] = ['admin', 'manager', 'box_office', 'door', 'customer'];

/** Calls an operation through the gateway. */
const callAs =
  (client: Client) =>
  async (id: string, { params = {}, query = {}, headers = {}, ...given }: CallOptions = {}): Promise<Shown> => {
    const operation = operations.find((one) => one.id === id);
    if (!operation) throw new Error(`nobody describes ${id}`);
    const { method, path, body: example } = operation;
    const body = 'body' in given ? given.body : example;
    const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'none'));
    const search = new URLSearchParams(query).toString();
    const reply = await client(`${filled}${search && `?${search}`}`, { method, headers, body });
    const { status, text } = reply;
    return { status, text, headers: JSON.stringify(reply.headers), data: reply.body?.data ?? null };
  };

const as = (role: Role) => callAs(signedIn.get(role)?.client ?? full);
const userOf = (role: Role): DemoApiUser => {
  const found = product.demo.apiUsers.find((user) => user.institution === 'opera' && user.role === role);
  if (!found) throw new Error(`demo.json has no ${role}`);
  return found;
};
const userIdOf = async (role: Role): Promise<string> => {
  const { data } = await callAs(full)('listUsers', { query: { role } });
  return data.items.find(({ login }: Json) => login === userOf(role).login).userId;
};
const patch = async (role: Role, body: object): Promise<void> => {
  const { status, text } = await callAs(full)('updateUser', { params: { userId: await userIdOf(role) }, body });
  if (status !== 200) throw new Error(text);
};

beforeAll(async () => {
  const { body: description } = await openClient(product.address)('/openapi.json');
  operations = listScopedOperations(description, 'authorizer');
  [own, other] = [await sell({ call: callAs(full) }, 'north'), await sell({ call: callAs(full) }, 'south')];
  await patch('box_office', { pointsOfSale: [own.pointOfSale] });
  await patch('customer', { contactNumber: own.contactNumber });
  const web = findDemoClient(product, 'opera', 'web');
  for (const role of ROLES) signedIn.set(role, await signIn(product, web, userOf(role)));
});

describe.each(ROLES)('%s, signed in', (role) => {
  test('the token says the role, and has no scope beyond it', async () => {
    const token = signedIn.get(role)?.tokens.access_token;
    const claims = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ role, institution: 'opera', sub: await userIdOf(role) });
    if (role === 'customer') expect(claims.contact).toBe(own.contactNumber);
    if (role === 'box_office') expect(claims.points_of_sale).toEqual([own.pointOfSale]);
  });

  const reads: Readonly<Record<Role, readonly [string, number, number][]>> = {
    admin: [['getOrder', 200, 200]],
    manager: [['getOrder', 200, 200]],
    box_office: [
      ['getOrder', 200, 404],
      ['getTicket', 200, 404],
    ],
    door: [
      ['getTicket', 200, 200],
      ['getOrder', 403, 403],
    ],
    customer: [
      ['getOrder', 200, 404],
      ['getTicket', 200, 404],
      ['getIndividual', 200, 404],
    ],
  };
  test('one record inside is shown, one outside is like one that never existed', async () => {
    for (const [id, inside, outside] of reads[role]) {
      const call = as(role);
      const [first, second] = [await call(id, { params: own.params }), await call(id, { params: other.params })];
      expect([id, first.status, second.status]).toEqual([id, inside, outside]);
      if (outside !== 404) continue;
      const unknown = await call(id, { params: own.unknown.params });
      expect([unknown.status, unknown.text]).toEqual([404, second.text]);
    }
  });
});

test('a contact or a point of sale that the institution does not have is refused for a user', async () => {
  const params = { userId: await userIdOf('manager') };
  const change = async (body: object) => {
    const { status, text } = await callAs(full)('updateUser', { params, body });
    return [status, status === 200 ? null : JSON.parse(text).details];
  };
  const foreign = product.demo.pointsOfSale.find(({ institution }) => institution === 'museum')?.serviceHost;
  expect(await change({ contactNumber: own.contactNumber, pointsOfSale: [own.pointOfSale] })).toEqual([200, null]);
  expect(await change({ contactNumber: 'C0UNKNOWN', pointsOfSale: [own.pointOfSale, foreign] })).toEqual([
    422,
    `$.contactNumber: there is no contact C0UNKNOWN; $.pointsOfSale[1]: there is no point of sale ${foreign}.`,
  ]);
});

test('a lock ends access and refresh tokens, although the gateway caches decisions for seconds', async () => {
  const web = findDemoClient(product, 'opera', 'web');
  const { tokens, client } = await signIn(product, web, userOf('door'), 'catalog:read tickets:read offline_access');
  const status = async () => (await callAs(client)('getTicket', { params: own.params })).status;
  // The gateway has the decision now.
  expect(await status()).toBe(200);
  await patch('door', { state: 'locked' });
  await waitUntil(async () => (await status()) === 401, { what: 'the token to end' });
  const fields = { grant_type: 'refresh_token', client_id: web.clientId, refresh_token: tokens.refresh_token };
  const refreshed = await openClient(product.address)('/auth/token', {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  expect(refreshed.body.error).toBe('invalid_grant');
  await patch('door', { state: 'active' });
  expect(await status()).toBe(401);
});

(findAuthlibPython() ? test : test.skip)(
  'Authlib signs users in, refreshes, reads userinfo, revokes, and gets tokens of a client',
  async () => {
    const [web, confidential] = [
      findDemoClient(product, 'opera', 'web'),
      findDemoClient(product, 'opera', 'web-confidential'),
    ];
    const { login, password } = userOf('manager');
    const python = spawn(String(findAuthlibPython()), [new URL('authlib-client.py', import.meta.url).pathname], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // It precedes whatever a session of requests is told.
      env: { ...process.env, REQUESTS_CA_BUNDLE: product.demo.caFile },
    });
    const printed: string[] = [];
    const complaints: string[] = [];
    python.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    // Newer releases warn that a module of theirs will go.
    python.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
    python.stdin.end(
      JSON.stringify({
        baseUrl: product.address.baseUrl,
        redirectUri: `${product.address.baseUrl}/callback`,
        login,
        password,
        publicId: web.clientId,
        clientId: confidential.clientId,
        clientSecret: confidential.clientSecret,
      }),
    );
    const [status] = await once(python, 'close');
    expect([printed.join(''), status === 0 ? '' : complaints.join('')]).toEqual(['ok\n', '']);
  },
);
