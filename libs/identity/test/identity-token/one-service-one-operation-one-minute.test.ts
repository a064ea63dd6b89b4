import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Caller,
  type CallerUser,
  callerOfIdentity,
  createIdentityVerifier,
  createKeySet,
  type IdentityVerifier,
  signIdentity,
} from '../../src/index.ts';
import { newKey, serveKeys, signAs } from '../authority.ts';

const key = newKey('k1');
const seconds = Math.floor(Date.now() / 1000);
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
let document: Awaited<ReturnType<typeof serveKeys>>;
let verify: IdentityVerifier;

beforeAll(async () => {
  document = await serveKeys([key.jwk]);
  const keys = createKeySet({ url: document.jwksUrl });
  verify = createIdentityVerifier({ keys, audience: 'contacts', now: () => seconds * 1000 });
});
afterAll(() => document.close());

describe('an identity token is for one service, one operation and one minute', () => {
  test('the service reads the caller that the authorizer signed', async () => {
    const identity = signIdentity(key, { audience: 'contacts', caller, issuedAt: seconds });
    expect(await verify(identity)).toEqual(caller);
    expect(callerOfIdentity(identity)).toEqual(caller);
    const service: Caller = {
      institution: 'opera',
      client: null,
      service: 'orders',
      scopes: [],
      operation: 'holdPlaces',
      user: null,
      bounds: null,
      isPublic: false,
    };
    expect(await verify(signIdentity(key, { audience: 'contacts', caller: service, issuedAt: seconds }))).toEqual(
      service,
    );
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

  test('a verifier that knows no bounds finds neither client nor user in the token of a client with bounds', async () => {
    for (const user of [null, till]) {
      const signed = { ...caller, user, bounds };
      const token = signIdentity(key, { audience: 'contacts', caller: signed, issuedAt: seconds });
      const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      expect(payload).not.toHaveProperty('client');
      expect(payload).not.toHaveProperty('user');
    }
  });

  test.each([
    ['no client', { own_orders: true, points_of_sale: [] }],
    ['no word on its orders', { client: 'cli_1', points_of_sale: [] }],
    ['no points of sale', { client: 'cli_1', own_orders: true }],
    ['a malformed user', { user: { id: 'usr_1' }, own_orders: true, points_of_sale: [] }],
  ])('bounds with %s are refused', async (_what, bounded) => {
    const token = signAs(key, { ...claims, bounded, iat: seconds, exp: seconds + 60 }, { typ: 'identity+jwt' });
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('the service reads that an API key calls, without a token', async () => {
    const visitor = { client: null, isPublic: true };
    expect(await verified(visitor)).toEqual({ ...caller, ...visitor });
  });

  test('a verifier that knows no users finds no client in the token of one', async () => {
    const token = signIdentity(key, { audience: 'contacts', caller: { ...caller, user: till }, issuedAt: seconds });
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(payload).not.toHaveProperty('client');
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
