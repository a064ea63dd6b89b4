import { hash, randomUUID } from 'node:crypto';
import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '../src/domain/scopes.ts';
import { apiKeysCollection } from '../src/store.ts';
import { createRequests, engines, type Json, type Received, startInstallationForSuite } from './installation.ts';

describe.each(engines)('an api key is shown once, on $name', (engine) => {
  const its = startInstallationForSuite({ engine, instances: 2 });
  let token: string;

  beforeAll(async () => {
    token = await its.tokenOf(await its.newClient(['clients:read', 'clients:write']));
  });

  const PATH = '/svc/v3/api-keys';

  const send = (operation: string, apiKeyId: unknown, body?: object, headers?: Record<string, string>) =>
    its.send(token, operation, { apiKeyId }, { body, headers });
  const create = async (body: object, headers?: Record<string, string>) =>
    send('createApiKey', undefined, { name: 'Calendar', ...body }, headers);
  const get = (id: string) => send('getApiKey', id);
  const patch = (id: string, body: object, headers?: Record<string, string>) => send('updateApiKey', id, body, headers);

  const verify = async (key: string) => {
    const body = { keyHash: hash('sha256', key, 'base64url'), gateway: 'gw-1' };
    return ((await its.internal('/internal/api-keys', body)).body.data as Json).apiKey as Json | null;
  };

  const PAST = '2020-01-01T00:00:00.000Z';

  /** Lets a key that was never asked for have expired. */
  const expire = (id: string) =>
    its.store
      .collection(apiKeysCollection)
      .of('opera')
      .update(id, (apiKey) => ({ next: { ...apiKey, expiresAt: PAST } }));

  describe('an API key', () => {
    test('is answered once with its plaintext, and has defaults', async () => {
      const { status, body, headers } = await create({});
      expect(status).toBe(201);
      const { key, ...data } = body.data as Json;
      expect(key).toMatch(/^bok_[A-Za-z0-9_-]{43}$/);
      expect(data).toEqual({
        apiKeyId: expect.stringMatching(/^key_[A-Za-z0-9_-]+$/),
        name: 'Calendar',
        hint: String(key).slice(-4),
        origins: [],
        ratePerMinute: 600,
        monthlyQuota: null,
        usedThisMonth: 0,
        lastUsedAt: null,
        expiresAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      });
      expect(headers.get('location')).toBe(`${PATH}/${data.apiKeyId}`);
      const shown = await get(String(data.apiKeyId));
      expect(shown.body.data).toEqual(data);
      const listed = (await its.send(token, 'listApiKeys', {}, { query: '?limit=500' })).body.data as {
        items: Json[];
      };
      expect(listed.items).toContainEqual(data);
    });

    test('has web origins, which a refusal explains', async () => {
      const { status, body } = await create({ origins: ['ftp://calendar.example.org'] });
      expect([status, body.details]).toEqual([
        400,
        '$.origins[0] must be a web origin, such as https://www.example.org, without a path.',
      ]);
    });

    test.each([' ', 'Cal\u0085endar'])('has no name that is blank or has control characters: %j', async (name) => {
      const { apiKeyId } = (await create({})).body.data as Json;
      for (const { status, body } of [await create({ name }), await patch(String(apiKeyId), { name })]) {
        expect([status, body.status]).toEqual([400, 'validation_error']);
        expect(body.details).toBe('$.name must not be blank or contain control characters.');
      }
    });

    test('is stored as a hash', async () => {
      const { key, apiKeyId } = (await create({})).body.data as Json;
      const stored = await its.store
        .collection({ name: 'api_keys', indexes: [] })
        .acrossInstitutions.get(String(apiKeyId));
      expect(JSON.stringify(stored)).not.toContain(String(key).slice(4, 40));
    });

    test('is null in the answer to a repeated creation', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const [first, again] = [await create({}, headers), await create({}, headers)];
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.body.data).toEqual({ ...(first.body.data as Json), key: null });
    });

    test('changes, and null restores a default', async () => {
      const { key, apiKeyId } = (await create({ origins: ['https://A.example:443'], monthlyQuota: 5 })).body
        .data as Json;
      const id = String(apiKeyId);
      expect(await verify(String(key))).toMatchObject({ origins: ['https://a.example'], monthlyQuota: 5, used: 0 });
      const expiresAt = '2099-01-01T00:00:00.000Z';
      const changed = await patch(id, { name: 'Other', ratePerMinute: 7, monthlyQuota: null, expiresAt });
      expect(changed.body.data).toMatchObject({ name: 'Other', ratePerMinute: 7, monthlyQuota: null, expiresAt });
      const restored = await patch(id, { origins: null, ratePerMinute: null, expiresAt: null });
      expect(restored.body.data).toMatchObject({ origins: [], ratePerMinute: 600, expiresAt: null });
      expect(await verify(String(key))).toMatchObject({ apiKeyId: id, institution: 'opera', ratePerMinute: 600 });
    });

    test('can be written back as it was read, and honours If-Match', async () => {
      const { apiKeyId } = (await create({})).body.data as Json;
      const id = String(apiKeyId);
      const read = await get(id);
      expect((await patch(id, { ...(read.body.data as Json), usedThisMonth: 99 })).status).toBe(200);
      expect((await patch(id, { hint: 'none' })).status).toBe(422);
      expect((await patch(id, { name: 'Late' }, { 'if-match': String(read.headers.get('etag')) })).status).toBe(412);
      const etag = String((await get(id)).headers.get('etag'));
      expect((await patch(id, { name: 'In time' }, { 'if-match': etag })).status).toBe(200);
    });

    test('that is deleted or expired cannot be used', async () => {
      const { key, apiKeyId } = (await create({ origins: ['https://a.example'] })).body.data as Json;
      const id = String(apiKeyId);
      expect((await send('deleteApiKey', id)).body.data).toMatchObject({ apiKeyId: id, origins: [] });
      expect(await verify(String(key))).toBeNull();
      expect((await get(id)).status).toBe(404);
      expect((await send('deleteApiKey', id)).status).toBe(404);
      const expired = (await create({})).body.data as Json;
      await expire(String(expired.apiKeyId));
      expect(await verify(String(expired.key))).toBeNull();
      const body = {
        keyHash: hash('sha256', String(expired.key), 'base64url'),
        operation: 'getCatalog',
        audience: 'catalog',
      };
      expect((await its.internal('/internal/public-decisions', body)).status).toBe(401);
    });

    test('does not expire in the past, but keeps an expiry that has passed', async () => {
      const refused = [422, 'validation_error', expect.stringContaining('$.expiresAt')];
      const outcomeOf = ({ status, body }: Received) => [status, body.status, body.details];
      expect(outcomeOf(await create({ expiresAt: PAST }))).toEqual(refused);
      const id = String(((await create({})).body.data as Json).apiKeyId);
      expect(outcomeOf(await patch(id, { name: 'Other', expiresAt: PAST }))).toEqual(refused);
      expect((await get(id)).body.data).toMatchObject({ name: 'Calendar', expiresAt: null });
      await expire(id);
      const read = (await get(id)).body.data as Json;
      expect((await patch(id, { ...read, name: 'Other' })).body.data).toMatchObject({
        name: 'Other',
        expiresAt: PAST,
      });
      expect((await patch(id, { expiresAt: '2020-01-01T01:00:00+01:00' })).status).toBe(200);
      expect(outcomeOf(await patch(id, { expiresAt: '2020-01-01T00:00:01Z' }))).toEqual(refused);
    });

    test('of another institution does not exist', async () => {
      const { apiKeyId } = (await create({})).body.data as Json;
      const stranger = await its.tokenOf(await its.newClient(['clients:read', 'clients:write'], 'museum'));
      const as = (operation: string, body?: object) => its.send(stranger, operation, { apiKeyId }, { body });
      expect((await as('getApiKey')).status).toBe(404);
      expect((await as('updateApiKey', { name: 'Mine' })).status).toBe(404);
      expect((await as('deleteApiKey')).status).toBe(404);
      const listed = await its.send(stranger, 'listApiKeys');
      expect((listed.body.data as Json).items).toEqual([]);
    });
  });

  test('only the gateway verifies keys, decides about public requests, reads origins and reports usage', async () => {
    const body = { keyHash: 'x', gateway: 'x', operation: 'x', audience: 'catalog', sequence: 1, rows: [] };
    for (const path of ['/internal/api-keys', '/internal/public-decisions', '/internal/usage']) {
      expect([path, (await its.internal(path, body, 'catalog')).status]).toEqual([path, 403]);
    }
    expect((await its.internal('/internal/origins', undefined, 'catalog')).status).toBe(403);
  });

  describe('of eight requests with one key at two instances', () => {
    const SCOPES: readonly Scope[] = [
      'clients:write',
      'clients.sensitive:write',
      'users:read',
      'catalog:read',
      'tickets:read',
      'tickets:write',
      'users:write',
      'users.sensitive:write',
    ];

    let strong: string;
    beforeAll(async () => {
      strong = await its.tokenOf(await its.newClient(SCOPES));
    });

    const send = async (operation: string, params: object, body?: object) => {
      const instances = its.services.map(({ url }) => createRequests(url, its.store));
      const reply = await sendEightAtOnce(instances, (on, key) =>
        on.send(strong, operation, params, { body, headers: { 'idempotency-key': key } }),
      );
      return { status: reply.status, code: reply.body.status, data: reply.body.data as Json };
    };

    test('one makes, changes, or adds a secret to, a client', async () => {
      const made = await send('createClient', {}, { name: 'Till', scopes: [] });
      expect(made.status).toBe(201);
      expect((await send('updateClient', made.data, { name: 'Door' })).status).toBe(200);
      const added = await send('createClientSecret', made.data);
      expect([added.status, added.data.secrets]).toEqual([201, [expect.anything(), expect.anything()]]);
    });

    test('one makes an API key', async () => {
      const key = { name: 'Shop', origins: ['https://shop.example'] };
      expect((await send('createApiKey', {}, key)).status).toBe(201);
    });

    test('one makes or invites a user; a refusal is the same for all', async () => {
      const user = { login: `${randomUUID()}@opera.example`, name: 'Ann', role: 'door' };
      const made = await send('createUser', {}, user);
      expect(made.status).toBe(201);
      const invited = await send('createUserInvitation', made.data);
      expect(invited.status).toBe(201);
      expect((await send('createUser', {}, user)).code).toBe('user_duplicate_login');
    });
  });
});
