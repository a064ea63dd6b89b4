import { createIdentityVerifier, createKeySet, createServiceCredentials } from '@boxoffice/identity';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Installation, type Json, startInstallation } from '../installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.close());

const verifier = (audience: string) =>
  createIdentityVerifier({ keys: createKeySet({ url: `${installation.url}/auth/jwks` }), audience });

const invalid = 'Bearer error="invalid_token"';

describe('a decision is a signed identity for one operation of one service', () => {
  test('of the client, with the scopes that it has', async () => {
    const client = await installation.newClient(['contacts:read', 'contacts:write']);
    const token = await installation.tokenOf(client);
    const { status, body } = await installation.decide(token, 'contacts:read', 'getIndividual', 'contacts');
    expect(status).toBe(200);
    const { identity, expiresAt } = body.data as { identity: string; expiresAt: string };
    expect(await verifier('contacts')(identity)).toEqual({
      institution: 'opera',
      client: client.clientId,
      service: null,
      scopes: ['contacts:read', 'contacts:write'],
      operation: 'getIndividual',
    });
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    await expect(verifier('catalog')(identity)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('it ends with the token', async () => {
    const short = await startInstallation({ accessTokenLifetime: 5 });
    const token = await short.tokenOf(await short.newClient(['catalog:read']));
    const { body } = await short.decide(token, 'catalog:read');
    expect(Date.parse((body.data as { expiresAt: string }).expiresAt) - Date.now()).toBeLessThanOrEqual(5_000);
    await short.close();
  });

  test('a token that is none, or of another installation, is 401 with invalid_token', async () => {
    const other = await startInstallation();
    const foreign = await other.tokenOf(await other.newClient(['catalog:read']));
    await other.close();
    for (const token of ['', 'x', 'a.b.c', foreign]) {
      const { status, body, headers } = await installation.decide(token, 'catalog:read');
      expect({ status, body }).toEqual({
        status: 401,
        body: { status: 'unauthorized', details: expect.any(String), data: null },
      });
      expect(headers.get('www-authenticate')).toBe(invalid);
    }
  });

  test('an identity token is no access token', async () => {
    const token = await installation.tokenOf(await installation.newClient(['catalog:read']));
    const { identity } = (await installation.decide(token, 'catalog:read')).body.data as { identity: string };
    expect((await installation.decide(identity, 'catalog:read')).status).toBe(401);
  });

  test('only the gateway asks, with the secret of the installation', async () => {
    const token = await installation.tokenOf(await installation.newClient(['catalog:read']));
    const question = { token, scope: 'catalog:read', operation: 'x', audience: 'catalog' };
    expect((await installation.internal('/internal/decisions', question, 'gateway', 'wrong')).status).toBe(401);
    expect((await installation.internal('/internal/decisions', question, 'stranger')).status).toBe(401);
    expect((await installation.internal('/internal/decisions', question, 'orders')).status).toBe(403);
    expect((await installation.internal('/internal/decisions', { token })).status).toBe(400);
    expect((await installation.post('/internal/decisions', '')).status).toBe(401);
  });

  test('internal operations are not described', async () => {
    const { body } = await installation.get('/openapi.json');
    expect(Object.keys(body.paths as Json).filter((path) => path.startsWith('/internal'))).toEqual([]);
  });
});

describe('a service gets an identity only for those that it may call', () => {
  const allowed: Record<string, string[]> = {
    gateway: ['catalog'],
    orders: ['catalog', 'contacts', 'tickets'],
    pos: ['catalog', 'contacts', 'orders', 'tickets'],
    catalog: [],
    contacts: [],
    tickets: [],
  };
  const services = ['gateway', 'authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'pos'];

  test.each(Object.entries(allowed))('%s', async (service, audiences) => {
    for (const audience of services) {
      const question = { audience, institution: 'opera', operation: 'holdPlaces' };
      const { status, body } = await installation.internal('/internal/identities', question, service);
      expect({ audience, status }).toEqual({ audience, status: audiences.includes(audience) ? 200 : 403 });
      if (status !== 200) continue;
      const { identity } = body.data as { identity: string };
      expect(await verifier(audience)(identity)).toEqual({
        institution: 'opera',
        client: null,
        service,
        scopes: [],
        operation: 'holdPlaces',
      });
    }
  });

  test('through the credentials that services use', async () => {
    const credentials = createServiceCredentials({
      authorizerUrl: installation.url,
      service: 'gateway',
      secret: 'a-service-secret-of-the-tests',
    });
    const token = await credentials.tokenFor({
      audience: 'catalog',
      institution: '',
      operation: 'getPointOfSaleForCors',
    });
    expect(await verifier('catalog')(token)).toMatchObject({ institution: '', service: 'gateway' });
  });
});
