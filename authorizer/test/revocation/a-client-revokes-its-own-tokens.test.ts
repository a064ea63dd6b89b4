import type { Message } from '@boxoffice/messaging';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Installation, type Json, startInstallation, type TestClient, until } from '../installation.ts';

let installation: Installation;
let client: TestClient;
const received: Message[] = [];

beforeAll(async () => {
  installation = await startInstallation({ instances: 2 });
  client = await installation.newClient(['catalog:read']);
  await installation.engines.bus.listen({ types: ['token.revoked', 'client.changed'] }, (message) =>
    received.push(message),
  );
});
afterAll(() => installation.close());

const revoke = (token: string, { clientId, clientSecret }: TestClient = client) =>
  installation.post('/auth/revoke', { token, client_id: clientId, client_secret: clientSecret, token_type_hint: 'x' });

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json;

describe('a client revokes its own tokens (RFC 7009)', () => {
  test('every instance refuses the token at once, and accepts another one of the client', async () => {
    const [token, other] = [await installation.tokenOf(client), await installation.tokenOf(client)];
    expect(await revoke(token)).toMatchObject({ status: 200, body: { status: 'success', details: null, data: {} } });
    const refused = await installation.decide(token, 'catalog:read');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect((await installation.decide(other, 'catalog:read')).status).toBe(200);
  });

  test('every gateway receives the event, and can poll missed ones', async () => {
    const before = await installation.internal('/internal/revocations', undefined);
    const { asOf } = before.body.data as { asOf: string };
    const token = await installation.tokenOf(client);
    await revoke(token);
    const { jti } = claimsOf(token);
    await until(
      () => received.some(({ type, data }) => type === 'token.revoked' && (data as Json).jti === jti),
      20_000,
    );
    for (const query of ['', `?since=${asOf}`]) {
      const { body } = await installation.internal(`/internal/revocations${query}`, undefined);
      const { tokens } = body.data as { tokens: Json[] };
      expect(tokens).toContainEqual({ jti, expiresAt: new Date(Number(claimsOf(token).exp) * 1000).toISOString() });
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
