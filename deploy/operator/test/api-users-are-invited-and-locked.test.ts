import { readFileSync } from 'node:fs';
import { authorizer, setApiUserPassword, usersCollection } from '@boxoffice/authorizer';
import { createLogger } from '@boxoffice/runtime';
import { openSqliteStores, type Store } from '@boxoffice/store';
import { beforeAll, expect, test } from '@jest/globals';
import { createClub, operatorOf, temporaryDirectory } from './program.ts';

const directory = temporaryDirectory();

const operator = operatorOf(directory);

beforeAll(async () => {
  await createClub(operator);
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
  const refused = await operator('api-users', 'invite', 'club', 'ann@club.example');
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('api-users unlock --invite')]);
  expect((await operator('api-users', 'unlock', 'club', 'ann@club.example')).out).toContain('invited');
  const unlocked = await operator('api-users', 'unlock', 'club', 'ann@club.example');
  expect([unlocked.status, unlocked.err]).toEqual([1, expect.stringContaining('api-users invite')]);
});

/** The commands on users that a section of the runbook says, in order. */
const commandsIn = (section: string): string[][] => {
  const runbook = readFileSync(new URL('../../runbook.md', import.meta.url), 'utf8');
  const [, text = ''] = new RegExp(`^### ${section}\n([^]*?)(?=^### )`, 'm').exec(runbook) ?? [];
  return [...text.matchAll(/`operator (api-users [^`]+)`/g)].map(([, words = '']) => words.split(/\s+/));
};

test.each(['SignInsFailing', 'TokensReplayed'])('what %s says ends a stolen password', async (section) => {
  const login = `${section}@club.example`;
  await create(login, '--role', 'door');
  const opened = async <Result>(act: (store: Store) => Promise<Result>): Promise<Result> => {
    const stores = openSqliteStores({ directory, logger: createLogger({ service: 'test', level: 'error' }) });
    return act(await stores.open(authorizer.name, authorizer.collections)).finally(() => stores.close());
  };
  const user = { institution: 'club', login, publicUrl: 'https://localhost' };
  await opened((store) => setApiUserPassword(store, user, 'four swans on a cold lake'));
  const commands = commandsIn(section);
  expect(commands.slice(0, 2)).toEqual([
    ['api-users', 'lock'],
    ['api-users', 'unlock', '--invite'],
  ]);
  for (const words of commands) {
    const ran = await operator(...words, 'club', login, '--json');
    expect([words, ran.status, ran.err]).toEqual([words, 0, '']);
    expect(JSON.parse(ran.out).state).toBe(words.includes('lock') ? 'locked' : 'invited');
    if (!words.includes('lock')) expect(JSON.parse(ran.out).invitation.url).toContain('inv_');
  }
  const found = await opened((store) => store.collection(usersCollection).of('club').find());
  const { state, passwordHash } = found.find((one) => one.login === login) ?? {};
  expect([state, passwordHash]).toEqual(['invited', null]);
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
