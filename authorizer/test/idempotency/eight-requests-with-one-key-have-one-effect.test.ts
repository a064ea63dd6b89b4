import { randomUUID } from 'node:crypto';
import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '../../src/index.ts';
import { engines, type Installation, type Json, startInstallation, waysTo } from '../installation.ts';

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

describe.each(engines)('of eight requests with one key at two instances, on $name', (engine) => {
  let installation: Installation;
  let token: string;
  beforeAll(async () => {
    installation = await startInstallation({ engine, instances: 2 });
    token = await installation.tokenOf(await installation.newClient(SCOPES));
  });
  afterAll(() => installation.close());

  const send = async (operation: string, scope: Scope, method: string, path: string, body?: object) => {
    const instances = installation.services.map(({ url }) => waysTo(url, installation.store));
    const reply = await sendEightAtOnce(instances, (on, key) =>
      on.callAt(token, operation, scope, method, `/svc/v3${path}`, { body, headers: { 'idempotency-key': key } }),
    );
    return { status: reply.status, code: reply.body.status, data: reply.body.data as Json };
  };

  test('one makes, changes, or adds a secret to, a client', async () => {
    const made = await send('createClient', 'clients:write', 'POST', '/clients', { name: 'Till', scopes: [] });
    expect(made.status).toBe(201);
    const path = `/clients/${made.data.clientId}`;
    expect((await send('updateClient', 'clients:write', 'PATCH', path, { name: 'Door' })).status).toBe(200);
    const added = await send('createClientSecret', 'clients.sensitive:write', 'POST', `${path}/secrets`);
    expect([added.status, added.data.secrets]).toEqual([201, [expect.anything(), expect.anything()]]);
  });

  test('one makes an API key', async () => {
    const key = { name: 'Shop', origins: ['https://shop.example'] };
    expect((await send('createApiKey', 'clients:write', 'POST', '/api-keys', key)).status).toBe(201);
  });

  test('one makes or invites a user; a refusal is the same for all', async () => {
    const user = { login: `${randomUUID()}@opera.example`, name: 'Ann', role: 'door' };
    const made = await send('createUser', 'users:write', 'POST', '/users', user);
    expect(made.status).toBe(201);
    const path = `/users/${made.data.userId}`;
    const invited = await send('createUserInvitation', 'users.sensitive:write', 'POST', `${path}/invitation`);
    expect(invited.status).toBe(201);
    expect((await send('createUser', 'users:write', 'POST', '/users', user)).code).toBe('user_duplicate_login');
  });
});
