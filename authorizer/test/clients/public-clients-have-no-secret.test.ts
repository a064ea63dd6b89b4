import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Installation, type Json, startInstallation } from '../installation.ts';

let installation: Installation;
let token: string;

beforeAll(async () => {
  installation = await startInstallation();
  const caller = await installation.newClient(['clients:read', 'clients:write', 'clients.sensitive:write']);
  token = await installation.tokenOf(caller);
});
afterAll(() => installation.close());

const CALLBACK = 'https://shop.example.org/callback';

const create = (body: object, headers: Record<string, string> = {}) =>
  installation.call(token, 'createClient', 'clients:write', 'POST', '', {
    body: { name: 'Shop', scopes: [], ...body },
    headers,
  });
const change = (clientId: unknown, body: object) =>
  installation.call(token, 'updateClient', 'clients:write', 'PATCH', `/${clientId}`, { body });

describe('a public client', () => {
  test('is registered without a secret, also in the replay of an answer', async () => {
    const headers = { 'idempotency-key': 'public-1' };
    const first = await create({ type: 'public', redirectUris: [CALLBACK] }, headers);
    expect(first.status).toBe(201);
    expect(first.body.data).toMatchObject({ type: 'public', redirectUris: [CALLBACK], secrets: [] });
    expect(first.body.data).not.toHaveProperty('clientSecret');
    const again = await create({ type: 'public', redirectUris: [CALLBACK] }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  test('gets no secret later', async () => {
    const { clientId } = (await create({ type: 'public' })).body.data as Json;
    const path = `/${clientId}/secrets`;
    expect(await installation.call(token, 'createClientSecret', 'clients.sensitive:write', 'POST', path)).toMatchObject(
      {
        status: 409,
        body: { status: 'conflict' },
      },
    );
  });

  test('is not authenticated by any secret', async () => {
    const { clientId } = (await create({ type: 'public' })).body.data as Json;
    for (const secret of ['x', 'A'.repeat(43)]) {
      expect(await installation.askToken({ clientId: String(clientId), clientSecret: secret })).toMatchObject({
        status: 401,
        body: { status: 'unauthorized', error: 'invalid_client' },
      });
    }
  });
});

describe('a change', () => {
  test('takes all but the type, and null restores the default', async () => {
    const { clientId } = (await create({ redirectUris: [CALLBACK], thirdParty: true })).body.data as Json;
    const origins = ['https://www.example.org'];
    expect((await change(clientId, { redirectUris: null, thirdParty: null, origins })).body.data).toMatchObject({
      redirectUris: [],
      thirdParty: false,
      origins,
    });
    expect((await change(clientId, { type: 'confidential', name: 'Other' })).status).toBe(200);
    expect(await change(clientId, { type: 'public' })).toMatchObject({
      status: 422,
      body: { status: 'validation_error' },
    });
  });

  test('names every redirect URI and origin that cannot be registered, by its path', async () => {
    const refused = await create({ redirectUris: [CALLBACK, 'http://shop.example.org/'] });
    expect(refused).toMatchObject({ status: 400, body: { status: 'validation_error' } });
    expect(refused.body.details).toMatch(/\$\.redirectUris\[1\] /);
    for (const origin of ['*', '@']) {
      const { status, body } = await create({ origins: [CALLBACK.slice(0, CALLBACK.indexOf('/', 8)), origin] });
      expect({ status, code: body.status }).toEqual({ status: 400, code: 'validation_error' });
      expect(body.details).toMatch(/\$\.origins\[1\] /);
    }
    const wanted = { origins: ['https://Shop.Example.org:443', 'http://localhost:5173'] };
    expect((await create(wanted)).body.data).toMatchObject({
      origins: ['https://shop.example.org', 'http://localhost:5173'],
    });
    for (const origin of ['http://shop.example.org', 'https://1.2.3.4.5', 'https://shop.example.org/'])
      expect((await create({ origins: [origin] })).body.details).toMatch(/^\$\.origins\[0\] must be a web origin/);
    const { clientId } = (await create({})).body.data as Json;
    expect(await change(clientId, { redirectUris: ['org.example.app:/callback'] })).toMatchObject({
      status: 400,
      body: { status: 'validation_error', details: expect.stringContaining('$.redirectUris[0]') },
    });
  });
});
