import { generateKeyPairSync, sign } from 'node:crypto';
import { accessClaims, signAccessToken } from '@boxoffice/authorizer';
import { processes } from '@boxoffice/contracts';
import { createCheck } from '@boxoffice/http';
import { createIdentityVerifier, signIdentity, verifyAccessToken } from '@boxoffice/identity';
import { declared, decodeMessage, encodeMessage } from '@boxoffice/messaging';
import { builtInRows } from '@boxoffice/runtime/services';
import { expect, test } from '@jest/globals';

// Tokens and messages pass between processes of two releases. These are their members since 0.2.0, those of a client with
// bounds since 0.3.0: a release adds members only, and reads what has no others.

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys = { key: async () => publicKey, refresh: async () => undefined };
const now = Math.floor(Date.now() / 1_000);

const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

/** A token of exactly this header and these claims. */
const tokenOf = (...parts: readonly object[]): string => {
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
};

const times = { iat: now, exp: now + 60 };
const user = { id: 'usr_1', role: 'customer', contact: '000123', pointsOfSale: ['pos_1'] } as const;

test('an identity token', async () => {
  const header = { alg: 'ES256', typ: 'identity+jwt', kid: 'one' };
  const claims = { iss: 'boxoffice-authorizer', aud: 'orders', institution: 'opera', operation: 'getOrder', ...times };
  const caller = {
    institution: 'opera',
    client: 'cli_1',
    service: null,
    scopes: ['orders:read'],
    operation: 'getOrder',
    user,
    bounds: null,
    isPublic: false,
  };
  const ofUser = { id: 'usr_1', client: 'cli_1', role: 'customer', contact: '000123', points_of_sale: ['pos_1'] };
  const written = { ...claims, scope: 'orders:read', user: ofUser };
  const token = signIdentity({ kid: 'one', privateKey }, { audience: 'orders', caller, issuedAt: now, lifetime: 60 });
  expect(partsOf(token)).toMatchObject([header, written]);
  const verify = createIdentityVerifier({ keys, audience: 'orders' });
  expect(await verify(tokenOf(header, written))).toEqual(caller);
  const byClient = tokenOf(header, { ...claims, client: 'cli_1', scope: '' });
  expect(await verify(byClient)).toMatchObject({ service: null, client: 'cli_1', user: null });
  const byService = tokenOf(header, { ...claims, service: 'pos', scope: '' });
  expect(await verify(byService)).toMatchObject({ service: 'pos', client: null, scopes: [], user: null });
  expect(await verify(tokenOf(header, { ...claims, public: true, scope: '' }))).toMatchObject({ isPublic: true });
  const bounds = { ownOrders: true, pointsOfSale: ['tickets.opera.example'] };
  const bounded = { user: ofUser, own_orders: true, points_of_sale: ['tickets.opera.example'] };
  const narrow = { audience: 'orders', caller: { ...caller, bounds }, issuedAt: now, lifetime: 60 };
  expect(partsOf(signIdentity({ kid: 'one', privateKey }, narrow))[1]).toMatchObject({ ...claims, bounded });
  expect(await verify(tokenOf(header, { ...claims, scope: 'orders:read', bounded }))).toEqual({ ...caller, bounds });
});

test('an access token', async () => {
  const issuer = 'https://tickets.example';
  const header = { alg: 'ES256', typ: 'at+jwt', kid: 'one' };
  const written = {
    iss: issuer,
    aud: issuer,
    sub: 'usr_1',
    client_id: 'cli_1',
    institution: 'opera',
    scope: 'orders:read',
    role: 'customer',
    contact: '000123',
    points_of_sale: ['pos_1'],
    auth_time: now,
    ...times,
  };
  const claims = accessClaims({
    client: { id: 'cli_1', institution: 'opera' },
    origin: { grantId: 'gnt_1', secretId: 'sec_1' },
    scopes: ['orders:read'],
    user: { ...user, authTime: now },
    issuer,
    lifetime: 60,
    now: now * 1_000,
  });
  const token = await signAccessToken(JSON.stringify(claims), 'one', privateKey);
  expect(partsOf(token)).toMatchObject([header, { ...written, jti: expect.any(String) }]);
  const verify = verifyAccessToken({ keys, issuer });
  expect(await verify(tokenOf(header, { ...written, jti: 'gnt_1.1' }))).toEqual(
    await verify(tokenOf(header, { ...claims, jti: 'gnt_1.1' })),
  );
});

test('a message', async () => {
  const message = {
    id: 'a',
    type: 'order.cancelled',
    key: 'ord_1',
    version: 3,
    institution: 'opera',
    occurredAt: '2027-03-14T19:02:11.000Z',
    data: { orderId: 'ord_1' },
    traceparent: '00-1',
  };
  expect(JSON.parse(encodeMessage(message).content.toString())).toMatchObject(message);
  expect(await decodeMessage({ content: Buffer.from(JSON.stringify(message)) })).toEqual(message);
  const { traceparent: _, ...untraced } = message;
  expect(await decodeMessage({ content: Buffer.from(JSON.stringify(untraced)) })).toEqual(untraced);
});

const facts = processes.flatMap(({ name, publishes }) =>
  Object.entries(publishes).map(([type, { schema, example }]) => ({ name, type, schema, example })),
);

test.each(facts)('$type of $name: the example fits the declared schema', ({ schema, example }) => {
  expect(() => createCheck(schema as never)(example)).not.toThrow();
});

test('the topology has exactly the published facts, each once', () => {
  const named = [...declared.queues, ...declared.broadcasts].flatMap(({ types }) => types);
  expect(facts.map(({ type }) => type).toSorted()).toEqual([...new Set(named)].toSorted());
});

test('only the broker user of the publishing process may publish a fact', () => {
  const named = builtInRows.flatMap(({ name, publishes }) => publishes.map((type) => `${name} ${type}`));
  expect(facts.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(named.toSorted());
});

test('the queues of a process begin with its name', () => {
  const names = processes.flatMap(({ name, consumes }) =>
    Object.keys(consumes).filter((queue) => queue.startsWith(`${name}.`)),
  );
  expect(names.toSorted()).toEqual(declared.queues.map(({ name }) => name).toSorted());
});
