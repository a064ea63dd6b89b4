// rule 5: 3: scopes are fixed at registration and can be changed later | authorizer/src/clients/clients.ts
// rule 1: One client account gives access to the APIs of exactly one institution | authorizer/src/clients/clients.ts

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SCOPES } from '../src/index.ts';
import { CALLBACK, type Json, startInstallationForSuite, type TestClient, waitUntil } from './installation.ts';

const installation = startInstallationForSuite();

describe('a client grants only scopes that it holds', () => {
  let token: string;
  let strong: TestClient;

  beforeAll(async () => {
    const caller = await installation.newClient([
      'clients:read',
      'clients:write',
      'clients.sensitive:write',
      'catalog:read',
    ]);
    token = await installation.tokenOf(caller);
  });
  beforeEach(async () => {
    strong = await installation.newClient(['catalog:read', 'orders:write']);
  });

  const create = (body: object, headers?: Record<string, string>) =>
    installation.send(token, 'createClient', {}, { body, headers });

  const forbidden = {
    status: 403,
    body: { status: 'forbidden', details: expect.stringContaining('orders:write'), data: null },
  };

  test('a new client gets a subset of them, and a valid secret', async () => {
    const { status, body, headers } = await create({ name: 'Till', scopes: ['catalog:read'] });
    expect(status).toBe(201);
    const data = body.data as Json;
    expect(data).toEqual({
      clientId: expect.stringMatching(/^cli_[A-Za-z0-9_-]{22}$/),
      name: 'Till',
      institution: 'opera',
      type: 'confidential',
      scopes: ['catalog:read'],
      redirectUris: [],
      thirdParty: false,
      origins: [],
      bounds: null,
      secrets: [{ id: expect.any(String), createdAt: expect.any(String), lastUsedAt: null }],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      clientSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    expect(headers.get('location')).toBe(`/svc/v3/clients/${data.clientId}`);
    const created = { clientId: String(data.clientId), clientSecret: String(data.clientSecret) };
    expect((await installation.askToken(created)).body.scope).toBe('catalog:read');
  });

  test('scopes that it lacks are refused, at creation or later', async () => {
    expect(await create({ name: 'Till', scopes: ['catalog:read', 'orders:write'] })).toMatchObject(forbidden);
    const weak = await installation.newClient(['catalog:read']);
    const patch = { body: { scopes: ['orders:write'] } };
    expect(await installation.send(token, 'updateClient', weak, patch)).toMatchObject(forbidden);
  });

  test('the challenge names all scopes that it lacks', async () => {
    const { headers } = await create({ name: 'Till', scopes: ['catalog:read', 'orders:write', 'tickets:read'] });
    const challenge = 'Bearer error="insufficient_scope", scope="orders:write tickets:read"';
    expect(headers.get('www-authenticate')).toBe(challenge);
  });

  test('it cannot change a client that holds more', async () => {
    const { send } = installation;
    const [secret] = await secretsOf(strong);
    const refusals = [
      await send(token, 'updateClient', strong, { body: { name: 'x' } }),
      await send(token, 'updateClient', strong, { body: { scopes: [] } }),
      await send(token, 'deleteClient', strong),
      await send(token, 'createClientSecret', strong),
      await send(token, 'deleteClientSecret', { ...strong, secretId: secret?.id }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject(forbidden);
      expect(refusal.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="orders:write"');
    }
    expect((await installation.askToken(strong)).body.scope).toBe('catalog:read orders:write');
  });

  test('an unknown scope is validation_error, a missing one bad_request', async () => {
    for (const wrong of [
      { name: 'x', scopes: ['catalog:*'] },
      { name: 'x', scopes: ['catalog:read', 'catalog:read'] },
      { name: '', scopes: [] },
    ])
      expect(await create(wrong)).toMatchObject({ status: 400, body: { status: 'validation_error' } });
    expect(await create({ name: 'x' })).toMatchObject({ status: 400, body: { status: 'bad_request' } });
  });

  const get = (clientId: string, headers?: Record<string, string>) =>
    installation.send(token, 'getClient', { clientId }, { headers });

  const secretsOf = async ({ clientId }: TestClient) => {
    const { body } = await get(clientId);
    return (body.data as { secrets: { id: string; lastUsedAt: string | null }[] }).secrets;
  };

  describe('clients can be listed, read and changed', () => {
    test('a list has pages, and no secrets', async () => {
      const names = ['a', 'b', 'c'];
      for (const name of names) await create({ name: `paged ${name}`, scopes: [] });
      const seen: string[] = [];
      let cursor = '';
      do {
        const query = `?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
        const { body, text } = await installation.send(token, 'listClients', {}, { query });
        expect(text).not.toMatch(/hash|clientSecret/);
        const { items, nextCursor } = body.data as { items: { name: string }[]; nextCursor: string | null };
        expect(items.length).toBeLessThanOrEqual(2);
        seen.push(...items.map(({ name }) => name));
        cursor = nextCursor ?? '';
      } while (cursor);
      expect(seen.filter((name) => name.startsWith('paged'))).toEqual(names.map((name) => `paged ${name}`));
    });

    test('PATCH merges, accepts unchanged read-only members, and honours If-Match', async () => {
      const { clientId } = await installation.newClient(['catalog:read']);
      const before = await get(clientId);
      const etag = String(before.headers.get('etag'));
      const patch = (body: object, ifMatch: string) =>
        installation.send(token, 'updateClient', { clientId }, { body, headers: { 'if-match': ifMatch } });
      const changed = await patch({ ...(before.body.data as Json), name: 'Renamed' }, etag);
      expect(changed).toMatchObject({
        status: 200,
        body: { data: { name: 'Renamed', scopes: ['catalog:read'], clientId } },
      });
      expect(await patch({ name: 'Again' }, etag)).toMatchObject({
        status: 412,
        body: { status: 'precondition_failed' },
      });
      expect((await get(clientId, { 'if-none-match': String(changed.headers.get('etag')) })).status).toBe(304);
      expect(await patch({ name: null }, '*')).toMatchObject({ status: 400, body: { status: 'bad_request' } });
    });

    test('a deleted client is 404, and its secret is refused', async () => {
      const client = await installation.newClient(['catalog:read']);
      const { clientId } = client;
      const granted = await installation.tokenOf(client);
      const remove = () => installation.send(token, 'deleteClient', client);
      expect((await remove()).status).toBe(200);
      const unknown = await get('cli_AAAAAAAAAAAAAAAAAAAAAA');
      expect(unknown.status).toBe(404);
      expect((await get(clientId)).text).toBe(unknown.text);
      expect((await remove()).text).toBe(unknown.text);
      expect((await installation.askToken(client)).status).toBe(401);
      expect((await installation.decide(granted, 'catalog:read')).status).toBe(401);
    });

    test('tokens lose the scopes that their client loses, and do not gain new ones', async () => {
      const client = await installation.newClient(['catalog:read', 'clients:read']);
      const granted = await installation.tokenOf(client);
      const patch = (scopes: string[]) => installation.send(token, 'updateClient', client, { body: { scopes } });
      await patch(['clients:read', 'clients:write']);
      expect((await installation.decide(granted, 'catalog:read')).status).toBe(403);
      expect((await installation.decide(granted, 'clients:write')).status).toBe(403);
      expect((await installation.decide(granted, 'clients:read')).status).toBe(200);
      expect((await installation.askToken(client)).body.scope).toBe('clients:read clients:write');
    });

    test('a client can change itself only within its current scopes', async () => {
      const self = await installation.newClient(['clients:write', 'catalog:read']);
      const own = await installation.tokenOf(self);
      const patch = (scopes: string[]) => installation.send(own, 'updateClient', self, { body: { scopes } });
      expect((await patch(['clients:write'])).status).toBe(200);
      expect((await patch(['clients:write', 'catalog:read'])).status).toBe(403);
    });

    test('the use of a secret is recorded, without changing the ETag', async () => {
      const client = await installation.newClient(['catalog:read']);
      const before = await get(client.clientId);
      const usedAt = Date.now();
      await installation.tokenOf(client);
      await waitUntil(async () => (await secretsOf(client))[0]?.lastUsedAt !== null, 20_000);
      const after = await get(client.clientId);
      expect(Date.parse(String((await secretsOf(client))[0]?.lastUsedAt))).toBeGreaterThanOrEqual(usedAt);
      expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
      expect((after.body.data as Json).updatedAt).toBe((before.body.data as Json).updatedAt);
    });
  });

  test('the replay of a creation and of a new secret has null in its place', async () => {
    const key = { 'idempotency-key': 'creation' };
    const another = { 'idempotency-key': 'second secret' };
    const [first, replay] = [
      await create({ name: 'once', scopes: [] }, key),
      await create({ name: 'once', scopes: [] }, key),
    ];
    const data = first.body.data as Json;
    expect(replay.status).toBe(201);
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(replay.body.data).toEqual({ ...data, clientSecret: null });
    expect(replay.headers.get('location')).toBe(first.headers.get('location'));

    const add = () => installation.send(token, 'createClientSecret', data, { headers: another });
    const [second, again] = [await add(), await add()];
    expect(second.status).toBe(201);
    expect(again.body.data).toEqual({ ...(second.body.data as Json), clientSecret: null });
    expect((again.body.data as { secrets: unknown[] }).secrets).toHaveLength(2);
  });

  describe('two secrets are active at once, for rotation', () => {
    const add = (clientId: string) => installation.send(token, 'createClientSecret', { clientId });
    const remove = (clientId: string, secretId: string | undefined) =>
      installation.send(token, 'deleteClientSecret', { clientId, secretId });

    test('both are valid, a third is refused, one can be withdrawn, the last one cannot', async () => {
      const client = await installation.newClient(['catalog:read']);
      await installation.askToken(client);
      const added = await add(client.clientId);
      const clientSecret = String((added.body.data as Json).clientSecret);
      expect((await installation.askToken({ ...client, clientSecret })).status).toBe(200);
      expect((await installation.askToken(client)).status).toBe(200);
      expect(await add(client.clientId)).toMatchObject({ status: 409, body: { status: 'client_too_many_secrets' } });

      const [old, fresh] = await secretsOf(client);
      expect(await remove(client.clientId, old?.id)).toMatchObject({
        status: 200,
        body: { data: { secrets: [{ id: fresh?.id }] } },
      });
      expect((await installation.askToken(client)).status).toBe(401);
      expect((await installation.askToken({ ...client, clientSecret })).status).toBe(200);
      expect(await remove(client.clientId, fresh?.id)).toMatchObject({
        status: 409,
        body: { status: 'client_last_secret' },
      });
      expect(await remove(client.clientId, old?.id)).toMatchObject({ status: 404, body: { status: 'not_found' } });
    });

    test('of many concurrent requests one creates a secret', async () => {
      const client = await installation.newClient(['catalog:read']);
      const answers = await Promise.all(Array.from({ length: 8 }, () => add(client.clientId)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.status === 'client_too_many_secrets')).toHaveLength(7);
    });

    test('creating one needs clients.sensitive:write, which clients:write does not imply', async () => {
      const plain = await installation.tokenOf(await installation.newClient(['clients:write']));
      expect((await installation.send(plain, 'createClientSecret', strong)).status).toBe(403);
    });
  });
});

describe('institutions do not see one another', () => {
  let opera: TestClient;
  let token: string;

  beforeAll(async () => {
    opera = await installation.newClient(['catalog:read'], 'opera');
    token = await installation.tokenOf(await installation.newClient(SCOPES, 'museum'));
  });

  test('every operation has the same answer, byte for byte, as for an unknown id', async () => {
    for (const [operation, body] of [
      ['getClient'],
      ['updateClient', { name: 'taken' }],
      ['deleteClient'],
      ['createClientSecret'],
      ['deleteClientSecret'],
    ] as const) {
      const ask = (clientId: string) => installation.send(token, operation, { clientId, secretId: 'sec_x' }, { body });
      const [foreign, none] = [await ask(opera.clientId), await ask('cli_AAAAAAAAAAAAAAAAAAAAAA')];
      expect([operation, foreign.status, foreign.text]).toEqual([operation, 404, none.text]);
    }
    expect((await installation.askToken(opera)).status).toBe(200);
  });

  test('lists omit them', async () => {
    const { body } = await installation.send(token, 'listClients', {}, { query: '?limit=500' });
    const { items } = body.data as { items: Json[] };
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ institution }) => institution === 'museum')).toBe(true);
  });

  test('a new client belongs to the institution of its creator, whatever its body contains', async () => {
    const body = { name: 'x', scopes: [], institution: 'opera' };
    const answer = await installation.send(token, 'createClient', {}, { body });
    if (answer.status === 201) expect((answer.body.data as Json).institution).toBe('museum');
    else expect(answer.body.status).toBe('validation_error');
  });
});

describe('public clients have no secret', () => {
  let token: string;

  beforeAll(async () => {
    const caller = await installation.newClient(['clients:read', 'clients:write', 'clients.sensitive:write']);
    token = await installation.tokenOf(caller);
  });

  const create = (body: object, headers: Record<string, string> = {}) =>
    installation.send(token, 'createClient', {}, { body: { name: 'Shop', scopes: [], ...body }, headers });
  const change = (clientId: unknown, body: object) => installation.send(token, 'updateClient', { clientId }, { body });

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
      expect(await installation.send(token, 'createClientSecret', { clientId })).toMatchObject({
        status: 409,
        body: { status: 'conflict' },
      });
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
});
