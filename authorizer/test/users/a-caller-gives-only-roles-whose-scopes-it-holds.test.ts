import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROLES, scopesOf } from '../../src/domain/roles.ts';
import { SCOPES, type Scope } from '../../src/index.ts';
import { type Installation, type Json, startInstallation } from '../installation.ts';
import { newLogin, usersIn } from './fixture.ts';

let installation: Installation;
let users: ReturnType<typeof usersIn>;
beforeAll(async () => {
  installation = await startInstallation();
  users = usersIn(installation);
});
afterAll(() => installation.close());

const USER_SCOPES: readonly Scope[] = ['users:read', 'users:write', 'users.sensitive:write'];
const tokenWith = async (scopes: readonly Scope[]) => installation.tokenOf(await installation.newClient(scopes));

test('the roles have these scopes at most', () => {
  expect(scopesOf('admin')).toEqual(SCOPES);
  expect(SCOPES.filter((scope) => !scopesOf('manager').includes(scope))).toEqual([
    'clients:read',
    'clients:write',
    'clients.sensitive:read',
    'clients.sensitive:write',
    'users:read',
    'users:write',
    'users.sensitive:write',
    'events:write',
  ]);
  for (const role of ROLES) for (const scope of scopesOf(role)) expect(SCOPES).toContain(scope);
});

describe('a caller without a scope of the role', () => {
  const door = [...USER_SCOPES, ...(scopesOf('door') as readonly Scope[])];

  test('creates no user with it', async () => {
    const token = await tokenWith(door);
    const body = { login: newLogin(), name: 'A' };
    expect((await users.create(token, { ...body, role: 'door' })).status).toBe(201);
    const refused = await users.create(token, { ...body, login: newLogin(), role: 'box_office' });
    expect([refused.status, refused.body.status]).toEqual([403, 'forbidden']);
    expect(refused.headers.get('www-authenticate')).toContain('orders.sensitive:read');
  });

  test('changes, deletes and invites none who has it, and gives it to none', async () => {
    const { token: all } = await users.withAll();
    const token = await tokenWith(door);
    const manager = (await users.create(all, { login: newLogin(), name: 'A', role: 'manager' })).body.data as Json;
    const own = (await users.create(all, { login: newLogin(), name: 'A', role: 'door' })).body.data as Json;
    const id = String(manager.userId);
    for (const answer of [
      await users.patch(token, id, { name: 'B' }),
      await users.patch(token, id, { role: 'door' }),
      await users.remove(token, id),
      await users.invite(token, id),
      await users.patch(token, String(own.userId), { role: 'admin' }),
    ])
      expect(answer.status).toBe(403);
    expect((await users.get(all, id)).body.data).toMatchObject({ name: 'A', role: 'manager' });
    expect((await users.patch(token, String(own.userId), { name: 'B' })).status).toBe(200);
  });
});

test('each operation needs its own scope', async () => {
  const reader = await tokenWith(['users:read']);
  const writer = await tokenWith(['users:write', ...(scopesOf('door') as readonly Scope[])]);
  const created = await users.create(writer, { login: newLogin(), name: 'A', role: 'door' });
  const { userId } = created.body.data as { userId: string };
  expect((await users.get(reader, userId)).status).toBe(200);
  expect((await users.get(writer, userId)).status).toBe(403);
  expect((await users.patch(reader, userId, { name: 'B' })).status).toBe(403);
  expect((await users.invite(writer, userId)).status).toBe(403);
});
