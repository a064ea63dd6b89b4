// rule 4: Family A requires a bearer token, except at the token endpoint | gateway/src/authorization/bearer.ts
// rule 5: 2: each call sends `Authorization: Bearer` | gateway/src/authorization/bearer.ts
// rule 5: 6: a missing token is 401 `unauthorized`, from the gateway | gateway/src/authorization/bearer.ts
// rule 7: 401 `unauthorized`: missing or expired token | gateway/src/authorization/bearer.ts

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { claimsOf, signToken } from '../fixtures/jws.ts';

const PATH = '/svc/v3/contacts/individuals';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
});
afterAll(() => its.close());

const challenge = async (authorization: string | undefined, path = PATH) => {
  const before = its.contacts.received.length;
  const reply = await its.call(path, authorization === undefined ? {} : { headers: { authorization } });
  expect(its.contacts.received.length).toBe(before);
  expect([reply.status, reply.body]).toEqual([
    401,
    { status: 'unauthorized', details: expect.any(String), data: null },
  ]);
  return reply.headers['www-authenticate'];
};

test('no token, or another scheme: the bare challenge', async () => {
  expect(await challenge(undefined)).toBe('Bearer');
  expect(await challenge('Basic YTpi')).toBe('Bearer');
  expect(await challenge('Bearer')).toBe('Bearer');
  expect(await challenge('Bearerx abc')).toBe('Bearer');
});

test('a token in the query is ignored', async () => {
  const token = its.authorizer.token(['contacts:read']);
  expect(await challenge(undefined, `${PATH}?access_token=${token}`)).toBe('Bearer');
});

test('a token that does not verify: invalid_token', async () => {
  const invalid = 'Bearer error="invalid_token"';
  const good = its.authorizer.token(['contacts:read']);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const claims = claimsOf<object>(good);
  const tokens = {
    malformed: 'abc',
    withSpaces: `${good} x`,
    foreignKey: signToken(privateKey, { alg: 'ES256', typ: 'at+jwt', kid: 'unknown' }, claims),
    unsigned: signToken(privateKey, { alg: 'none', typ: 'at+jwt' }, claims),
    expired: its.authorizer.token(['contacts:read'], { exp: Math.floor(Date.now() / 1000) - 1 }),
    foreignIssuer: its.authorizer.token(['contacts:read'], { iss: 'https://other.example' }),
    foreignAudience: its.authorizer.token(['contacts:read'], { aud: 'https://other.example' }),
    anotherKind: its.authorizer.token(['contacts:read'], {}, { typ: 'identity+jwt' }),
    changed: good.replace(/\.[^.]*$/, (signature) => `${signature.slice(0, -6)}AAAAAA`),
  };
  for (const [name, token] of Object.entries(tokens)) {
    expect([name, await challenge(`Bearer ${token}`)]).toEqual([name, invalid]);
  }
});

test('the scheme’s case does not matter', async () => {
  const token = its.authorizer.token(['contacts:read']);
  expect((await its.call(PATH, { headers: { authorization: `bEARER ${token}` } })).status).toBe(200);
});

test('a verified token is refused once it has expired', async () => {
  const exp = Math.floor(Date.now() / 1000) + 2;
  const call = its.as(its.authorizer.token(['contacts:read'], { exp }));
  expect((await call(PATH)).status).toBe(200);
  while (Date.now() < exp * 1000) await call(PATH);
  const reply = await call(PATH);
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
});

test('without the authorizer’s keys every token is 503, never 401 or accepted', async () => {
  const services = { contacts: its.contacts.url, authorizer: 'http://127.0.0.1:9' };
  const alone = await startInstallation({ services }, { ready: false });
  try {
    const reply = await alone.as(its.authorizer.token(['contacts:read']))(PATH);
    expect([reply.status, reply.body.status]).toEqual([503, 'service_unavailable']);
    expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect((await alone.call(PATH)).status).toBe(401);
  } finally {
    await alone.close();
  }
});
