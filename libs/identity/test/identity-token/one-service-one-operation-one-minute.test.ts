import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Caller,
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
};
const claims = { iss: 'boxoffice-authorizer', aud: 'contacts', institution: 'opera', scope: '', operation: 'x' };
let document: Awaited<ReturnType<typeof serveKeys>>;
let verify: IdentityVerifier;

beforeAll(async () => {
  document = await serveKeys([key.jwk]);
  verify = createIdentityVerifier({ keys: createKeySet({ url: document.jwksUrl }), audience: 'contacts' });
});
afterAll(() => document.close());

describe('an identity token is for one service, one operation and one minute', () => {
  test('the service reads the caller that the authorizer signed', async () => {
    expect(await verify(signIdentity(key, { audience: 'contacts', caller, issuedAt: seconds }))).toEqual(caller);
    const service: Caller = {
      institution: 'opera',
      client: null,
      service: 'orders',
      scopes: [],
      operation: 'holdPlaces',
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
});
