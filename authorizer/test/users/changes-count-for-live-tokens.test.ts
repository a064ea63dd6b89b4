import type { Logger } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { inviteApiUser, lockApiUser, readmitApiUser } from '../../src/index.ts';
import { onContactErased } from '../../src/reactions/contact-erased.ts';
import { createAccounts } from '../../src/users/accounts.ts';
import { createUsers } from '../../src/users/users.ts';
import { engines, type Installation, type Json, startInstallation, type TestClient } from '../installation.ts';
import { introspect, newLogin, PASSWORD, usersIn } from './fixture.ts';

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let users: ReturnType<typeof usersIn>;
  let client: TestClient;
  let token: string;
  beforeAll(async () => {
    const known = {
      opera: { contacts: ['000123', '000777', '000888', '000999'], pointsOfSale: ['till.example', 'a.example'] },
    };
    installation = await startInstallation({ engine, known });
    users = usersIn(installation);
    ({ client, token } = await users.withAll());
  });
  afterAll(() => installation.close());

  const NEXT = 'three boats and a bridge';

  describe('a token of a user', () => {
    test('names the user to the services, with the scopes that its role has', async () => {
      const contact = { contactNumber: '000123', pointsOfSale: ['till.example'] };
      const { userId } = await users.active(token, 'customer', contact);
      const { caller } = await users.callerOf(await users.tokenOf(userId, client));
      expect(caller).toMatchObject({
        client: client.clientId,
        user: { id: userId, role: 'customer', contact: '000123', pointsOfSale: [] },
        scopes: ['catalog:read', 'contacts:read', 'contacts:write', 'orders:read', 'tickets:read'],
      });
      const till = await users.active(token, 'box_office', contact);
      expect((await users.callerOf(await users.tokenOf(till.userId, client))).caller?.user).toEqual({
        id: till.userId,
        role: 'box_office',
        contact: null,
        pointsOfSale: ['till.example'],
      });
    });

    test('has only scopes that its client holds', async () => {
      const narrow = await installation.newClient(['orders:read', 'clients:read']);
      const { userId } = await users.active(token, 'manager');
      const { caller } = await users.callerOf(await users.tokenOf(userId, narrow));
      expect(caller?.scopes).toEqual(['orders:read']);
    });

    test('loses what a smaller role lacks, and follows another contact and other points of sale', async () => {
      const { userId } = await users.active(token, 'manager');
      const own = await users.tokenOf(userId, client);
      expect((await users.callerOf(own, 'orders.sensitive:write')).status).toBe(200);
      await users.patch(token, userId, { role: 'box_office', pointsOfSale: ['a.example'] });
      expect((await users.callerOf(own, 'orders.sensitive:write')).status).toBe(403);
      expect((await users.callerOf(own)).caller?.user).toMatchObject({
        role: 'box_office',
        pointsOfSale: ['a.example'],
      });
      await users.patch(token, userId, { role: 'customer', contactNumber: '000777' });
      expect((await users.callerOf(own)).caller?.user).toMatchObject({ role: 'customer', contact: '000777' });
      expect((await introspect(installation, client, own)).body).toMatchObject({ active: true, role: 'customer' });
    });

    test('ends when the user is locked, and stays ended when it is unlocked', async () => {
      const { userId } = await users.active(token, 'manager');
      const own = await users.tokenOf(userId, client);
      await users.patch(token, userId, { state: 'locked' });
      expect((await users.callerOf(own)).status).toBe(401);
      expect((await introspect(installation, client, own)).body).toMatchObject({ active: false });
    });

    test('ends when the user is deleted, or its contact is erased', async () => {
      const { userId } = await users.active(token, 'manager');
      const own = await users.tokenOf(userId, client);
      await users.remove(token, userId);
      expect((await users.callerOf(own)).status).toBe(401);

      const customer = await users.active(token, 'customer', { contactNumber: '000999' });
      const theirs = await users.tokenOf(customer.userId, client);
      const all = createUsers(installation.store, { publicUrl: installation.issuer });
      const info = jest.fn<Logger['info']>();
      const logger = { info };
      const message = { institution: 'opera', data: { contactNumber: '000999' } };
      await onContactErased(all, logger, message as Parameters<typeof onContactErased>[2]);
      expect((await users.callerOf(theirs)).status).toBe(401);
      expect((await users.get(token, customer.userId)).status).toBe(404);
      expect(info.mock.calls).toEqual([
        [expect.any(String), { event: 'audit.user_deleted', institution: 'opera', id: customer.userId }],
      ]);
    });

    test.each(['admin', 'manager', 'door'] as const)(
      'of the role %s stays when its contact is erased, without the contact',
      async (role) => {
        const { userId } = await users.active(token, role, { contactNumber: '000888' });
        const own = await users.tokenOf(userId, client);
        const info = jest.fn<Logger['info']>();
        const message = { institution: 'opera', data: { contactNumber: '000888' } };
        const all = createUsers(installation.store, { publicUrl: installation.issuer });
        await onContactErased(all, { info }, message as Parameters<typeof onContactErased>[2]);
        expect((await users.get(token, userId)).body.data).toMatchObject({
          role,
          state: 'active',
          contactNumber: null,
        });
        expect((await users.callerOf(own)).status).toBe(200);
        expect(info.mock.calls).toEqual([
          [expect.any(String), { event: 'audit.user_unlinked', institution: 'opera', id: userId }],
        ]);
      },
    );
  });

  describe('me', () => {
    test('is the user of the token; nobody for a client’s own', async () => {
      const { userId, login } = await users.active(token, 'door');
      expect((await users.me(await users.tokenOf(userId, client))).body.data).toMatchObject({ userId, login });
      expect((await users.me(token)).status).toBe(404);
      expect((await users.changePassword(token, { current: PASSWORD, new: NEXT })).status).toBe(404);
    });

    test('changes the password with the present one', async () => {
      const { userId } = await users.active(token, 'door');
      const own = await users.tokenOf(userId, client);
      const wrong = await users.changePassword(own, { current: 'not this one', new: NEXT });
      expect([wrong.status, wrong.body.status]).toEqual([403, 'user_wrong_password']);
      for (const [password, status] of [
        ['short', 400],
        ['password1234', 422],
      ] as const)
        expect((await users.changePassword(own, { current: PASSWORD, new: password })).status).toBe(status);
      const changed = await users.changePassword(own, { current: PASSWORD, new: NEXT });
      expect([changed.status, (changed.body.data as Json).userId]).toEqual([200, userId]);
    });

    test('ends with a lock, and the password with it if the user is let in again by invitation', async () => {
      const { userId, login } = await users.active(token, 'door');
      const own = await users.tokenOf(userId, client);
      const { store, issuer } = installation;
      const user = { institution: 'opera', login, publicUrl: issuer };
      await expect(readmitApiUser(store, user)).rejects.toThrow('is not locked');
      await lockApiUser(store, user);
      await expect(inviteApiUser(store, user)).rejects.toThrow('unlock --invite');
      const { state, invitation } = await readmitApiUser(store, user);
      expect(state).toBe('invited');

      const accounts = createAccounts(store, { mostPerAddress: 300, audit: () => undefined });
      const signIn = async (password: string) =>
        (await accounts.verify({ institution: 'opera', login, ip: '192.0.2.10' }, password)).outcome;
      expect(await signIn(PASSWORD)).toBe('wrong');
      expect((await users.accept(String(invitation?.url), NEXT)).status).toBe(200);
      expect([await signIn(PASSWORD), await signIn(NEXT)]).toEqual(['wrong', 'right']);
      expect((await introspect(installation, client, own)).body).toMatchObject({ active: false });
    });

    test('is throttled like a login, by login and by address', async () => {
      const { userId } = await users.active(token, 'door');
      const own = await users.tokenOf(userId, client);
      const attempt = (password: string, address?: string) =>
        users.changePassword(own, { current: password, new: NEXT }, address);
      for (let count = 0; count < 10; count += 1) expect((await attempt(newLogin(), '198.51.100.1')).status).toBe(403);
      const refused = await attempt(PASSWORD, '198.51.100.1');
      expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
      expect((await attempt(PASSWORD, '198.51.100.2')).status).toBe(200);
    });
  });
});
