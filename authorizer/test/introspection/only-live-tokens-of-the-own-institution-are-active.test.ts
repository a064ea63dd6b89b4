import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { basic, type Installation, startInstallation, type TestClient } from '../installation.ts';

let installation: Installation;
let client: TestClient;
let introspector: TestClient;

beforeAll(async () => {
  installation = await startInstallation();
  client = await installation.newClient(['catalog:read', 'contacts:read']);
  introspector = await installation.newClient([]);
});
afterAll(() => installation.close());

const introspect = (token: string, { clientId, clientSecret }: TestClient = introspector) =>
  installation.post('/auth/introspect', { token, client_id: clientId, client_secret: clientSecret });

const inactive = { status: 'success', details: null, data: { active: false }, active: false };

describe('introspection (RFC 7662) describes active tokens of the own institution only', () => {
  test('an active token is described, in the envelope’s data and beside it', async () => {
    const { status, body, headers } = await introspect(await installation.tokenOf(client));
    const described = {
      active: true,
      scope: 'catalog:read contacts:read',
      client_id: client.clientId,
      token_type: 'Bearer',
      exp: expect.any(Number),
      iat: expect.any(Number),
      sub: client.clientId,
      aud: installation.issuer,
      iss: installation.issuer,
      jti: expect.any(String),
      institution: 'opera',
    };
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'success', details: null, data: described, ...described });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('a token of another institution is not active, without any other member', async () => {
    const foreign = await installation.newClient([], 'museum');
    expect((await introspect(await installation.tokenOf(client), foreign)).body).toEqual(inactive);
  });

  test('a malformed token, a revoked one, and one of a deleted client are not active', async () => {
    const token = await installation.tokenOf(client);
    for (const other of ['x', `${token}x`, token.slice(0, -3)])
      expect((await introspect(other)).body).toEqual(inactive);
    const { clientId, clientSecret } = client;
    await installation.post('/auth/revoke', { token, client_id: clientId, client_secret: clientSecret });
    expect((await introspect(token)).body).toEqual(inactive);
  });

  test('only authenticated clients may introspect, by either method', async () => {
    const token = await installation.tokenOf(client);
    const nobody = await installation.post('/auth/introspect', { token });
    expect(nobody).toMatchObject({ status: 400, body: { status: 'missing_parameter', error: 'invalid_request' } });
    const wrong = await introspect(token, { ...introspector, clientSecret: 'wrong' });
    expect(wrong).toMatchObject({ status: 401, body: { status: 'unauthorized', error: 'invalid_client' } });
    const authorization = basic(introspector.clientId, introspector.clientSecret);
    expect((await installation.post('/auth/introspect', { token }, { authorization })).body.active).toBe(true);
  });

  test('a request without a token is missing_parameter', async () => {
    const authorization = basic(introspector.clientId, introspector.clientSecret);
    const { status, body } = await installation.post('/auth/introspect', {}, { authorization });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { status: 'missing_parameter', error: 'invalid_request' },
    });
  });
});
