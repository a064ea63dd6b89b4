// rule 5: 6: insufficient permission is 403 `forbidden`, from the authorizer | authorizer/src/decisions/decisions.ts

import { createIdentityVerifier, createKeySet, createServiceCredentials } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { createClients } from '../src/index.ts';
import {
  deriveTestSecret,
  engines,
  serviceRootSecret,
  startInstallation,
  startInstallationForSuite,
} from './installation.ts';

describe('a decision is an identity for one operation', () => {
  const installation = startInstallationForSuite();

  const verifier = (audience: string) =>
    createIdentityVerifier({ keys: createKeySet({ url: `${installation.url}/auth/jwks` }), audience });

  const invalid = 'Bearer error="invalid_token"';

  test('it names the client, with its scopes', async () => {
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
      user: null,
      bounds: null,
      isPublic: false,
    });
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    await expect(verifier('catalog')(identity)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('all scopes of an operation are needed, and the missing ones are named', async () => {
    const both = 'contacts:write contacts.sensitive:write';
    const writer = await installation.tokenOf(await installation.newClient(['contacts:write']));
    const { status, headers } = await installation.decide(writer, both, 'eraseIndividual', 'contacts');
    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="contacts.sensitive:write"',
    ]);
    const allowed = await installation.tokenOf(
      await installation.newClient(['contacts:write', 'contacts.sensitive:write']),
    );
    expect((await installation.decide(allowed, both, 'eraseIndividual', 'contacts')).status).toBe(200);
  });

  test('it expires with the token', async () => {
    const short = await startInstallation({ accessTokenLifetime: 40 });
    const token = await short.tokenOf(await short.newClient(['catalog:read']));
    const { body } = await short.decide(token, 'catalog:read');
    expect(Date.parse((body.data as { expiresAt: string }).expiresAt) - Date.now()).toBeLessThanOrEqual(40_000);
    await short.close();
  });

  test('a malformed token is 401 with invalid_token', async () => {
    for (const token of ['', 'x', 'a.b.c']) {
      const { status, body, headers } = await installation.decide(token, 'catalog:read');
      expect({ status, body }).toEqual({
        status: 401,
        body: { status: 'unauthorized', details: expect.any(String), data: null },
      });
      expect(headers.get('www-authenticate')).toBe(invalid);
    }
  });

  test('an identity token is not an access token', async () => {
    const token = await installation.tokenOf(await installation.newClient(['catalog:read']));
    const { identity } = (await installation.decide(token, 'catalog:read')).body.data as { identity: string };
    expect((await installation.decide(identity, 'catalog:read')).status).toBe(401);
  });

  test('only the gateway may request decisions, with its own secret', async () => {
    const token = await installation.tokenOf(await installation.newClient(['catalog:read']));
    const question = { token, scope: 'catalog:read', operation: 'x', audience: 'catalog' };
    const ask = (...as: string[]) => installation.internal('/internal/decisions', question, ...as);
    expect((await ask('gateway', 'wrong')).status).toBe(401);
    expect((await ask('stranger')).status).toBe(401);
    for (const other of ['catalog', 'contacts', 'orders', 'tickets', 'events', 'payments', 'pos']) {
      expect((await ask(other)).status).toBe(403);
      expect((await ask('gateway', deriveTestSecret(other))).status).toBe(401);
    }
    expect((await installation.internal('/internal/decisions', { token })).status).toBe(400);
    expect((await installation.post('/internal/decisions', '')).status).toBe(401);
  });

  test.each([
    ['orders', 'pos', 'SERVICE_SECRET is that of orders, not of pos.'],
    ['gateway', 'orders', 'SERVICE_SECRET is that of gateway, not of orders.'],
  ])('the secret of %s, presented by %s, is named as such', async (owner, service, details) => {
    const { status, body } = await installation.internal('/internal/identities', {}, service, deriveTestSecret(owner));
    expect([status, body]).toEqual([401, { status: 'unauthorized', details, data: null }]);
    expect(installation.lines).toContainEqual(
      expect.objectContaining({ event: 'audit.authentication_failed', reason: details.slice(0, -1) }),
    );
  });

  test('the root secret itself authenticates no process', async () => {
    const { status, body } = await installation.internal('/internal/identities', {}, 'pos', serviceRootSecret);
    expect([status, body.details]).toEqual([401, expect.stringContaining('is the root secret itself')]);
  });

  describe('a service gets an identity only for the operations that it may call', () => {
    const ask = (service: string, audience: string, operation: string) =>
      installation.internal('/internal/identities', { audience, institution: 'opera', operation }, service);

    test.each([
      ['gateway', 'catalog', 'findPointOfSale'],
      ['orders', 'catalog', 'holdPlaces'],
      ['pos', 'contacts', 'getShopContact'],
    ])('%s at %s: %s', async (service, audience, operation) => {
      const { status, body } = await ask(service, audience, operation);
      expect(status).toBe(200);
      const { identity } = body.data as { identity: string };
      const caller = {
        institution: 'opera',
        client: null,
        service,
        scopes: [],
        operation,
        user: null,
        bounds: null,
        isPublic: false,
      };
      expect(await verifier(audience)(identity)).toEqual(caller);
    });

    test.each([
      ['pos', 'catalog', 'holdPlaces', 'of another caller'],
      ['pos', 'contacts', 'listIndividuals', 'of partners'],
      ['pos', 'contacts', 'findPointOfSale', 'of another service'],
      ['gateway', 'contacts', 'getContactInternally', 'of a service that it does not call'],
      ['catalog', 'contacts', 'getContactInternally', 'for a service without allowed calls'],
      ['pos', 'constructor', 'length', 'with a name of Object.prototype'],
    ])('%s at %s: not %s, %s', async (service, audience, operation) => {
      const { status, body } = await ask(service, audience, operation);
      expect([status, body.details]).toEqual([403, `${service} may not call ${operation} of ${audience}.`]);
    });

    test('the credentials of services get such an identity', async () => {
      const secret = deriveTestSecret('gateway');
      const credentials = createServiceCredentials({ authorizerUrl: installation.url, service: 'gateway', secret });
      const token = await credentials.tokenFor({ audience: 'catalog', institution: '', operation: 'findPointOfSale' });
      expect(await verifier('catalog')(token)).toMatchObject({ institution: '', service: 'gateway' });
    });
  });
});

describe.each(engines)('the events service learns the scopes and bounds of a client, on $name', (engine) => {
  const its = startInstallationForSuite({ engine });

  const ask = async (body: object, service = 'events') => its.internal('/internal/client-scopes', body, service);

  test('as they are now, of its own institution only', async () => {
    const scopes = ['events:read', 'orders:read'] as const;
    const { clientId } = await its.newClient(scopes);
    const asked = await ask({ institution: 'opera', clientId });
    expect([asked.status, asked.body.data]).toEqual([200, { scopes, bounds: null }]);
    const bounds = { ownOrders: true, pointsOfSale: ['till.opera.example'] };
    await createClients(its.store).amend('opera', clientId, { bounds });
    expect((await ask({ institution: 'opera', clientId })).body.data).toEqual({ scopes, bounds });
    const nothing = { scopes: [], bounds: null };
    expect((await ask({ institution: 'museum', clientId })).body.data).toEqual(nothing);
    expect((await ask({ institution: 'opera', clientId: 'cli_none' })).body.data).toEqual(nothing);
  });

  test('no other process is told', async () => {
    const { clientId } = await its.newClient(['orders:read']);
    expect((await ask({ institution: 'opera', clientId }, 'orders')).status).toBe(403);
  });
});
