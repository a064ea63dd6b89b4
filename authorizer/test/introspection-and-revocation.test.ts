// rule 5: 4: scope matching is explicit, without longest prefix | authorizer/src/domain/scopes.ts
// rule 5: 5: `<domain>:read`, `<domain>:write`, and `.sensitive` for sensitive sub-resources; neither implies the other | authorizer/src/domain/scopes.ts
// rule 7: 403 `forbidden`: valid token, insufficient permission | authorizer/src/decisions/decisions.ts

import { beforeAll, describe, expect, test } from '@jest/globals';
import { addClientSecret, deleteClient, removeClientSecret, SCOPES } from '../src/index.ts';
import { decodeClaims } from './browser.ts';
import {
  createRequests,
  formatBasicHeader,
  type Json,
  startInstallationForSuite,
  type TestClient,
  waitUntil,
} from './installation.ts';

const installation = startInstallationForSuite({ instances: 2 });

describe('introspection (RFC 7662) describes active tokens of the own institution only', () => {
  let client: TestClient;
  let introspector: TestClient;

  beforeAll(async () => {
    client = await installation.newClient(['catalog:read', 'contacts:read']);
    introspector = await installation.newClient([]);
  });

  const introspect = (token: string, by = introspector) => installation.introspect(token, by);

  const inactive = { status: 'success', details: null, data: { active: false }, active: false };

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
    const authorization = formatBasicHeader(introspector.clientId, introspector.clientSecret);
    expect((await installation.post('/auth/introspect', { token }, { authorization })).body.active).toBe(true);
  });

  test('a request without a token is missing_parameter', async () => {
    const authorization = formatBasicHeader(introspector.clientId, introspector.clientSecret);
    const { status, body } = await installation.post('/auth/introspect', {}, { authorization });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { status: 'missing_parameter', error: 'invalid_request' },
    });
  });
});

test('scopes match by membership only: one is of no use for another', async () => {
  for (const one of ['contacts:write', 'contacts.sensitive:read'] as const) {
    const with1 = await installation.tokenOf(await installation.newClient([one]));
    const without = await installation.tokenOf(await installation.newClient(SCOPES.filter((other) => other !== one)));
    expect((await installation.decide(with1, one)).status).toBe(200);
    const refused = await installation.decide(without, one);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 403,
      body: { status: 'forbidden', details: expect.stringContaining(one), data: null },
    });
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${one}"`);
  }
});

describe('a client revokes its own tokens (RFC 7009)', () => {
  let client: TestClient;

  beforeAll(async () => {
    client = await installation.newClient(['catalog:read']);
  });

  const revoke = (token: string, { clientId, clientSecret }: TestClient = client) =>
    installation.post('/auth/revoke', {
      token,
      client_id: clientId,
      client_secret: clientSecret,
      token_type_hint: 'x',
    });

  test('every instance refuses the token at once, and accepts another one of the client', async () => {
    const [token, other] = [await installation.tokenOf(client), await installation.tokenOf(client)];
    expect(await revoke(token)).toMatchObject({ status: 200, body: { status: 'success', details: null, data: {} } });
    for (const { url } of installation.services) {
      const { decide } = createRequests(url, installation.store);
      const refused = await decide(token, 'catalog:read');
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expect((await decide(other, 'catalog:read')).status).toBe(200);
    }
  });

  test('every gateway learns of it by asking, since its last question or from the beginning', async () => {
    const before = await installation.internal('/internal/revocations', undefined);
    const { asOf } = before.body.data as { asOf: string };
    const token = await installation.tokenOf(client);
    await revoke(token);
    const { jti } = decodeClaims(token);
    for (const query of ['', `?since=${asOf}`]) {
      const { body } = await installation.internal(`/internal/revocations${query}`, undefined);
      const { tokens } = body.data as { tokens: Json[] };
      expect(tokens).toContainEqual({ jti, expiresAt: new Date(Number(decodeClaims(token).exp) * 1000).toISOString() });
    }
    expect((await installation.internal('/internal/revocations', undefined, 'orders')).status).toBe(403);
    expect((await installation.internal('/internal/revocations', undefined, 'gateway', 'wrong')).status).toBe(401);
    expect((await installation.internal('/internal/revocations?since=x', undefined)).status).toBe(400);
  });

  test('a repeated revocation, or one of an invalid token, is 200', async () => {
    const token = await installation.tokenOf(client);
    await revoke(token);
    for (const one of [token, 'x', `${token}x`]) expect((await revoke(one)).status).toBe(200);
  });

  test('the token of another client is refused and stays active', async () => {
    const token = await installation.tokenOf(client);
    for (const institution of ['opera', 'museum']) {
      const { status, body } = await revoke(token, await installation.newClient([], institution));
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { status: 'forbidden', error: 'unauthorized_client' },
      });
    }
    expect((await installation.decide(token, 'catalog:read')).status).toBe(200);
  });

  test('it needs the client’s credentials and the token', async () => {
    const token = await installation.tokenOf(client);
    expect(await revoke(token, { ...client, clientSecret: 'wrong' })).toMatchObject({ status: 401 });
    expect(await installation.post('/auth/revoke', { token })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect(await revoke('')).toMatchObject({ status: 400, body: { status: 'missing_parameter' } });
    expect((await installation.decide(token, 'catalog:read')).status).toBe(200);
  });
});

describe('a change by an operator or another instance takes effect everywhere within five seconds', () => {
  const statusAt = async (instance: number, client: TestClient): Promise<number> =>
    (await createRequests(String(installation.services[instance]?.url), installation.store).askToken(client)).status;

  const PROMISED_MS = 5_000;

  const refusedEverywhere = (client: TestClient): Promise<void> =>
    waitUntil(async () => (await statusAt(0, client)) === 401 && (await statusAt(1, client)) === 401, 10 * PROMISED_MS);

  test('a withdrawn secret', async () => {
    const client = await installation.newClient(['catalog:read']);
    const added = await addClientSecret(installation.store, 'opera', client.clientId);
    expect([await statusAt(0, client), await statusAt(1, client)]).toEqual([200, 200]);
    const [old] = added.secrets;
    await removeClientSecret(installation.store, 'opera', client.clientId, String(old?.id));
    await refusedEverywhere(client);
    expect(await statusAt(1, { ...client, clientSecret: added.clientSecret })).toBe(200);
  });

  test('a new secret is valid at once, although the client is cached', async () => {
    const client = await installation.newClient(['catalog:read']);
    expect([await statusAt(0, client), await statusAt(1, client)]).toEqual([200, 200]);
    const { clientSecret } = await addClientSecret(installation.store, 'opera', client.clientId);
    expect([await statusAt(0, { ...client, clientSecret }), await statusAt(1, { ...client, clientSecret })]).toEqual([
      200, 200,
    ]);
  });

  test('gateways learn of each change by asking', async () => {
    const client = await installation.newClient(['catalog:read']);
    const asOf = new Date().toISOString();
    await deleteClient(installation.store, 'opera', client.clientId);
    const { body } = await installation.internal(`/internal/revocations?since=${asOf}`, undefined);
    const { clients } = body.data as { clients: Json[] };
    expect(clients).toContainEqual({ clientId: client.clientId, changedAt: expect.any(String) });
  });
});
