import { createHmac, createPublicKey, generateKeyPairSync, verify as verifySignature } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import {
  type Caller,
  type CallerUser,
  createAccessTokenVerifier,
  createIdentityVerifier,
  createKeySet,
  decodeCaller,
  type IdentityVerifier,
  selectLimits,
  signIdentity,
  signJws,
  toCallerUser,
} from '../src/index.ts';
import { createSigningKey, serveKeys, signAs } from './authority.ts';

const key = createSigningKey('k1');
const seconds = Math.floor(Date.now() / 1000);
let document: Awaited<ReturnType<typeof serveKeys>>;

beforeAll(async () => {
  document = await serveKeys([key.jwk]);
});
afterAll(() => document.close());

describe('type, issuer, audience and algorithm of an access token are pinned', () => {
  const issuer = 'https://tickets.example';
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
  let verify: ReturnType<typeof createAccessTokenVerifier>;

  beforeAll(() => {
    verify = createAccessTokenVerifier({ keys: createKeySet({ url: document.jwksUrl }), issuer });
  });

  const refused = {
    code: 'unauthorized',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  };

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
    'an unknown key': signAs(createSigningKey('k2'), claims, at),
    'a foreign key under a known id': signAs(createSigningKey('k1'), claims, at),
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
    const check = createAccessTokenVerifier({
      keys: createKeySet({ url: document.jwksUrl }),
      issuer,
      now: () => state.at,
    });
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
    expect(toCallerUser(restricted)).toEqual({
      id: 'usr_1',
      role: 'box_office',
      contact: null,
      pointsOfSale: ['pos_1'],
    });
    const customer = await verify(signAs(key, { ...ofUser, role: 'customer', contact: '000123' }, at));
    expect(toCallerUser(customer)).toMatchObject({ role: 'customer', contact: '000123', pointsOfSale: [] });
    expect(toCallerUser(await verify(signAs(key, claims, at)))).toBeNull();
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

describe('an identity token is for one service, one operation and one minute', () => {
  const caller: Caller = {
    institution: 'opera',
    client: 'cli_1',
    service: null,
    scopes: ['contacts:read', 'contacts:write'],
    operation: 'getIndividual',
    user: null,
    bounds: null,
    isPublic: false,
  };
  const claims = { iss: 'boxoffice-authorizer', aud: 'contacts', institution: 'opera', scope: '', operation: 'x' };
  let verify: IdentityVerifier;

  beforeAll(() => {
    const keys = createKeySet({ url: document.jwksUrl });
    verify = createIdentityVerifier({ keys, audience: 'contacts', now: () => seconds * 1000 });
  });

  test('the service reads the caller that the authorizer signed', async () => {
    const identity = signIdentity(key, { audience: 'contacts', caller, issuedAt: seconds });
    expect(await verify(identity)).toEqual(caller);
    expect(decodeCaller(identity)).toEqual(caller);
    const service: Caller = { ...caller, client: null, service: 'orders', scopes: [], operation: 'holdPlaces' };
    const ofService = signIdentity(key, { audience: 'contacts', caller: service, issuedAt: seconds });
    expect(await verify(ofService)).toEqual(service);
  });

  test('a token for another service is refused', async () => {
    const token = signIdentity(key, { audience: 'catalog', caller, issuedAt: seconds });
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('it is valid for at most one minute', async () => {
    const old = signIdentity(key, { audience: 'contacts', caller, issuedAt: seconds - 60, lifetime: 3600 });
    await expect(verify(old)).rejects.toMatchObject({ code: 'unauthorized' });
    const long = signAs(key, { ...claims, iat: seconds, exp: seconds + 61 }, { typ: 'identity+jwt' });
    await expect(verify(long)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test.each([-5, 5])(
    'a clock that is %i seconds off reads a new token, and one that the gateway still sends',
    async (off) => {
      const identities = createIdentityVerifier({
        keys: createKeySet({ url: document.jwksUrl }),
        audience: 'contacts',
        now: () => (seconds + off) * 1000,
      });
      // The gateway sends none in the last ten seconds of its minute.
      for (const issuedAt of [seconds, seconds - 49])
        expect(await identities(signIdentity(key, { audience: 'contacts', caller, issuedAt }))).toEqual(caller);
    },
  );

  test('an access token is not an identity token', async () => {
    const token = signAs(key, { ...claims, iat: seconds, exp: seconds + 60 }, { typ: 'at+jwt' });
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  const verified = (more: Partial<Caller>) =>
    verify(signIdentity(key, { audience: 'contacts', caller: { ...caller, ...more }, issuedAt: seconds }));
  const customer: CallerUser = { id: 'usr_1', role: 'customer', contact: '000123', pointsOfSale: [] };
  const till: CallerUser = { id: 'usr_2', role: 'box_office', contact: null, pointsOfSale: ['pos_1', 'pos_2'] };

  test.each([customer, till])('the service reads the user, with what restricts it: %j', async (user) => {
    expect(await verified({ user })).toEqual({ ...caller, user });
  });

  const bounds = { ownOrders: true, pointsOfSale: ['tickets.opera.example'] };

  test.each([null, till])('the service reads the bounds of the client, with the user %j at it', async (user) => {
    expect(await verified({ user, bounds })).toEqual({ ...caller, user, bounds });
  });

  test('a verifier that knows no users, or no bounds, finds no client in a token with one', async () => {
    for (const signed of [{ user: till }, { bounds }, { user: till, bounds }]) {
      const token = signIdentity(key, { audience: 'contacts', caller: { ...caller, ...signed }, issuedAt: seconds });
      const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      expect(payload).not.toHaveProperty('client');
      if (signed.bounds) expect(payload).not.toHaveProperty('user');
    }
  });

  test('the service reads what a client with bounds may do, and has defaults for the rest', async () => {
    const wide = { ...bounds, onAccount: true, reservationDays: 30, heldPlaces: 40 };
    expect(await verified({ bounds: wide })).toEqual({ ...caller, user: null, bounds: wide });
    expect(selectLimits(wide)).toEqual({ onAccount: true, reservationDays: 30, heldPlaces: 40 });
    expect(selectLimits(bounds)).toEqual({ onAccount: false, reservationDays: 14, heldPlaces: 500 });
    expect(selectLimits(null)).toBeNull();
  });

  test.each([
    ['no client', { own_orders: true, points_of_sale: [] }],
    ['no word on its orders', { client: 'cli_1', points_of_sale: [] }],
    ['no points of sale', { client: 'cli_1', own_orders: true }],
    ['a malformed limit', { client: 'cli_1', own_orders: true, points_of_sale: [], held_places: 'all' }],
    ['a malformed user', { user: { id: 'usr_1' }, own_orders: true, points_of_sale: [] }],
  ])('bounds with %s are refused', async (_what, bounded) => {
    const token = signAs(key, { ...claims, bounded, iat: seconds, exp: seconds + 60 }, { typ: 'identity+jwt' });
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('the service reads that an API key calls, without a token', async () => {
    const visitor = { client: null, isPublic: true };
    expect(await verified(visitor)).toEqual({ ...caller, ...visitor });
  });

  test.each([
    ['an unknown role', { id: 'usr_1', client: 'cli_1', role: 'director' }],
    ['no role', { id: 'usr_1', client: 'cli_1' }],
    ['no client', { id: 'usr_1', role: 'admin' }],
    ['a customer without a contact', { id: 'usr_1', client: 'cli_1', role: 'customer' }],
    ['points of sale that are no list', { id: 'usr_1', client: 'cli_1', role: 'box_office', points_of_sale: 'pos_1' }],
    ['nothing but a text', 'usr_1'],
  ])('a user with %s is refused', async (_what, user) => {
    const token = signAs(key, { ...claims, user, iat: seconds, exp: seconds + 60 }, { typ: 'identity+jwt' });
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('tokens are signed with ES256', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey);

  test('a signature is two numbers of 32 octets, short ones included (RFC 7518, 3.4)', () => {
    let short = 0;
    // One of 128 signatures has a number of fewer octets; it goes on until there were three.
    for (let index = 0; short < 3; index += 1) {
      const token = signJws(JSON.stringify({ index }), { type: 'JWT', kid: 'k' }, privateKey);
      const dot = token.lastIndexOf('.');
      const signature = Buffer.from(token.slice(dot + 1), 'base64url');
      expect(signature).toHaveLength(64);
      const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verifySignature('sha256', Buffer.from(token.slice(0, dot)), key, signature)).toBe(true);
      if (signature[0] === 0 || signature[32] === 0) short += 1;
    }
  });

  test('other implementations read it: header, payload beyond ASCII, signature', () => {
    const payload = { name: 'Zoë', exp: 4_000_000_000 };
    const token = signJws(JSON.stringify(payload), { type: 'at+jwt', kid: 'k1' }, privateKey);
    const read = jwt.verify(token, publicKey, { algorithms: ['ES256'], complete: true });
    expect(read.header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' });
    expect(read.payload).toEqual(payload);
    expect(() => jwt.verify(`${token.slice(0, -8)}AAAAAAAA`, publicKey)).toThrow('invalid signature');
  });
});
