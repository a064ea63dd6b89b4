import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/domain/roles.ts';
import { createUsers, type Users } from '../../src/users/users.ts';
import { engines, newLogin } from './fixture.ts';

const LAST = { code: 'user_last_admin' };

describe.each(engines)('on $name', (engine) => {
  let opened: Awaited<ReturnType<typeof engine.open>>;
  let store: Store;
  let users: Users;
  let institution = '';
  let count = 0;
  beforeAll(async () => {
    opened = await engine.open();
    ({ store } = opened);
    users = createUsers(store, { publicUrl: 'https://tickets.example' });
  });
  afterAll(() => opened.discard());

  const active = async (role: Role = 'admin'): Promise<string> => {
    const details = { name: 'A', role, contactNumber: null, pointsOfSale: [] };
    const { invitation, user } = await users.create(institution, { ...details, login: newLogin() });
    await users.accept(new URL(invitation.url).searchParams.get('token') ?? '', 'four swans on a cold lake');
    return user.id;
  };
  const fresh = () => {
    count += 1;
    institution = `house-${count}`;
  };
  const admins = async () => users.documents(institution).count({ role: 'admin', state: 'active' });

  test('it cannot be deleted, locked or demoted', async () => {
    fresh();
    const [admin] = [await active(), await active('manager')];
    await expect(users.remove(institution, admin)).rejects.toMatchObject(LAST);
    await expect(users.amend(institution, admin, { state: 'locked' })).rejects.toMatchObject(LAST);
    await expect(users.amend(institution, admin, { role: 'manager' })).rejects.toMatchObject(LAST);
    expect(await users.amend(institution, admin, { name: 'B' })).toMatchObject({ name: 'B', role: 'admin' });
  });

  test('one who is invited or locked does not count', async () => {
    fresh();
    const [admin, other] = [await active(), await active()];
    const invited = await users.create(institution, {
      login: newLogin(),
      name: 'A',
      role: 'admin',
      contactNumber: null,
      pointsOfSale: [],
    });
    await users.amend(institution, other, { state: 'locked' });
    await expect(users.remove(institution, admin)).rejects.toMatchObject(LAST);
    await users.remove(institution, invited.user.id);
    await users.amend(institution, other, { state: 'active' });
    await users.remove(institution, admin);
    expect(await admins()).toBe(1);
  });

  test('of many who are removed at the same time by several instances, one stays', async () => {
    fresh();
    const ids = [await active(), await active(), await active(), await active()];
    const others = createUsers(store, { publicUrl: 'https://tickets.example' });
    const results = await Promise.allSettled(
      ids.map((id, index) => {
        const instance = index % 2 === 0 ? users : others;
        return index < 2 ? instance.remove(institution, id) : instance.amend(institution, id, { role: 'manager' });
      }),
    );
    expect(await admins()).toBeGreaterThanOrEqual(1);
    expect(results.filter(({ status }) => status === 'rejected').length).toBe(await admins());
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(LAST);
  });

  test('a login is unique although two instances create it at the same time', async () => {
    fresh();
    const login = newLogin();
    const details = { name: 'A', role: 'door', contactNumber: null, pointsOfSale: [], login } as const;
    const results = await Promise.allSettled([1, 2, 3].map(() => users.create(institution, details)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await users.documents(institution).count({})).toBe(1);
  });
});
