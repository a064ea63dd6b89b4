import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createKeySet, signIdentity, userOfToken, verifyAccessToken } from '../../src/index.ts';
import { newKey, serveKeys, signAs } from '../authority.ts';

const issuer = 'https://tickets.example';
const key = newKey('k1');
const seconds = Math.floor(Date.now() / 1000);
const claims = {
  iss: issuer,
  aud: issuer,
  sub: 'cli_1',
  client_id: 'cli_1',
  institution: 'opera',
  scope: 'catalog:read',
  iat: seconds,
  exp: seconds + 900,
  jti: 'j1',
};
const at = { typ: 'at+jwt' };
let document: Awaited<ReturnType<typeof serveKeys>>;
let verify: ReturnType<typeof verifyAccessToken>;

beforeAll(async () => {
  document = await serveKeys([key.jwk]);
  verify = verifyAccessToken({ keys: createKeySet({ url: document.jwksUrl }), issuer });
});
afterAll(() => document.close());

const refused = {
  code: 'unauthorized',
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
};

describe('type, issuer, audience and algorithm of an access token are pinned', () => {
  test('a token of the authorizer yields its claims', async () => {
    expect(await verify(signAs(key, claims, at))).toMatchObject(claims);
  });

  const otherKind = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${encoded({ alg: 'none', typ: 'at+jwt', kid: 'k1' })}.${encoded(claims)}.`;
  const publicPem = key.publicKey.export({ type: 'spki', format: 'pem' });
  const hmacInput = `${encoded({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' })}.${encoded(claims)}`;
  const identity = signIdentity(key, {
    audience: issuer,
    caller: { institution: 'opera', client: 'cli_1', service: null, scopes: [], operation: 'x' },
    issuedAt: seconds,
  });
  const bad: Record<string, string> = {
    'no token': '',
    'no JWT': 'abc.def.ghi',
    'too long': `${signAs(key, claims, at)}${'a'.repeat(9000)}`,
    'typ JWT': signAs(key, claims, { typ: 'JWT' }),
    'no typ': signAs(key, claims, { typ: undefined }),
    'an identity token': identity,
    'another issuer': signAs(key, { ...claims, iss: 'https://other.example' }, at),
    'another audience': signAs(key, { ...claims, aud: 'https://other.example' }, at),
    expired: signAs(key, { ...claims, exp: seconds - 1 }, at),
    'no expiry': signAs(key, { ...claims, exp: undefined }, at),
    'no institution': signAs(key, { ...claims, institution: undefined }, at),
    'no jti': signAs(key, { ...claims, jti: undefined }, at),
    'an unknown critical extension': signAs(key, claims, { ...at, crit: ['x'], x: 1 }),
    'an unknown key': signAs(newKey('k2'), claims, at),
    'a foreign key under a known id': signAs(newKey('k1'), claims, at),
    'alg none': unsigned,
    'HMAC with the public key as the secret': `${hmacInput}.${createHmac('sha256', publicPem).update(hmacInput).digest('base64url')}`,
    'another asymmetric algorithm': jwt.sign(claims, otherKind.privateKey, {
      algorithm: 'RS256',
      header: { alg: 'RS256', typ: 'at+jwt', kid: 'k1' },
    }),
  };
  test.each(Object.entries(bad))('refused: %s', async (_name, token) => {
    await expect(verify(token)).rejects.toMatchObject(refused);
  });

  test('a changed payload is refused', async () => {
    const [header, , signature] = signAs(key, claims, at).split('.');
    await expect(
      verify(`${header}.${encoded({ ...claims, scope: 'clients:write' })}.${signature}`),
    ).rejects.toMatchObject(refused);
  });

  test('a verified token is refused once it has expired', async () => {
    const state = { at: seconds * 1000 };
    const check = verifyAccessToken({ keys: createKeySet({ url: document.jwksUrl }), issuer, now: () => state.at });
    const token = signAs(key, claims, at);
    await check(token);
    state.at += 899_000;
    await check(token);
    state.at += 1_000;
    await expect(check(token)).rejects.toMatchObject(refused);
  });

  const ofUser = { ...claims, sub: 'usr_1', role: 'box_office', auth_time: seconds };
  test("a user's token says who it is and what restricts it", async () => {
    const restricted = await verify(signAs(key, { ...ofUser, points_of_sale: ['pos_1'] }, at));
    expect(userOfToken(restricted)).toEqual({
      id: 'usr_1',
      role: 'box_office',
      contact: null,
      pointsOfSale: ['pos_1'],
    });
    const customer = await verify(signAs(key, { ...ofUser, role: 'customer', contact: '000123' }, at));
    expect(userOfToken(customer)).toMatchObject({ role: 'customer', contact: '000123', pointsOfSale: [] });
    expect(userOfToken(await verify(signAs(key, claims, at)))).toBeNull();
  });

  test.each([
    ['an unknown role', { ...ofUser, role: 'director' }],
    ['no role', { ...ofUser, role: undefined }],
    ['no time of sign-in', { ...ofUser, auth_time: undefined }],
    ['a customer without a contact', { ...ofUser, role: 'customer' }],
    ['a restricted token without a role', { ...claims, contact: '000123' }],
    ['points of sale that are no list', { ...ofUser, points_of_sale: 'pos_1' }],
  ])("refused of a user's token: %s", async (_name, changed) => {
    await expect(verify(signAs(key, changed, at))).rejects.toMatchObject(refused);
  });
});
