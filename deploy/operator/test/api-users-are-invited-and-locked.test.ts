import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { operatorOf, temporaryDirectory } from './program.ts';

const directory = temporaryDirectory();
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

const operator = operatorOf(directory);

beforeAll(async () => {
  await operator('institutions', 'create', 'club', '--name', 'Club', '--currency', 'EUR', '--languages', 'en');
});

const create = (login: string, ...more: string[]) =>
  operator('api-users', 'create', 'club', login, '--name', 'Ann Other', '--json', ...more);

test('users are created with a link, listed without it, invited again and locked', async () => {
  const created = JSON.parse((await create('Ann@Club.example', '--role', 'manager')).out);
  expect(created).toMatchObject({ login: 'Ann@Club.example', role: 'manager', state: 'invited' });
  expect(created.invitation.url).toMatch(/^https:\/\/localhost:\d+\/auth\/invitation\?token=inv_/);

  const listed = await operator('api-users', 'list', 'club', '--json');
  expect(JSON.parse(listed.out)).toMatchObject([{ userId: created.userId }]);
  expect(listed.out).not.toContain('inv_');

  const elsewhere = operatorOf(directory, { PUBLIC_URL: 'https://tickets.example.test' });
  const again = JSON.parse((await elsewhere('api-users', 'invite', 'club', 'ann@club.example', '--json')).out);
  expect(again.invitation.url).toMatch(/^https:\/\/tickets\.example\.test\/auth/);

  expect((await operator('api-users', 'lock', 'club', 'ann@club.example')).out).toContain('locked');
  expect((await operator('api-users', 'invite', 'club', 'ann@club.example')).status).toBe(1);
  expect((await operator('api-users', 'unlock', 'club', 'ann@club.example')).out).toContain('invited');
});

test('a wrong role, a taken login, an unknown contact, point of sale and user are refused with a reason', async () => {
  await operator('points-of-sale', 'create', 'club', 'jazz.example', '--name', 'Jazz');
  expect((await create('bob@club.example', '--role', 'door', '--points-of-sale', 'Jazz.example')).status).toBe(0);
  expect((await create('bob@club.example', '--role', 'door')).err).toContain('another user with this login');
  expect((await create('eve@club.example', '--role', 'director')).err).toContain('There is no role director');
  expect((await create('eve@club.example', '--role', 'customer')).err).toContain('contactNumber');
  expect((await create('eve@club.example', '--role', 'customer', '--contact', 'C9')).err).toContain('no contact C9');
  const unknown = await create('eve@club.example', '--role', 'door', '--points-of-sale', 'jazz.example,rock.example');
  expect(unknown.err).toContain('no point of sale rock.example');
  expect((await operator('api-users', 'lock', 'club', 'eve@club.example')).err).toContain('has no user');
  expect((await create('eve@club.example')).status).toBe(2);
});
