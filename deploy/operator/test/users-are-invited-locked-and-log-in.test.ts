import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { authorizer, setApiUserPassword, usersCollection } from '@boxoffice/authorizer';
import { contacts } from '@boxoffice/contacts';
import { createLogger } from '@boxoffice/runtime';
import { openSqliteStores, type Store } from '@boxoffice/store';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClub, createOperator, createTemporaryDirectory } from './program.ts';

const directory = createTemporaryDirectory();

const operator = createOperator(directory);

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

  const elsewhere = createOperator(directory, { PUBLIC_URL: 'https://tickets.example.test' });
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

describe('at a point of sale', () => {
  const directory = createTemporaryDirectory();

  const operator = createOperator(directory);
  /** The operator with `input` on its standard input. */
  const piped = (input: string) => createOperator(directory, {}, input);

  /** A contact as its service stores it. */
  const keepContact = async (number: string): Promise<void> => {
    const stores = openSqliteStores({ directory });
    const [collection] = contacts.collections;
    if (!collection) throw new Error('contacts have no collection');
    const store = await stores.open('contacts', contacts.collections);
    const at = new Date().toISOString();
    const contact = { id: number, contactNumber: number, kind: 'individual', createdAt: at, updatedAt: at };
    await store.collection(collection).of('club').insert(contact);
    await stores.close();
  };

  test('users are created, listed, changed and removed, and no password is printed', async () => {
    const password = randomUUID();
    await createClub(operator);
    await operator('points-of-sale', 'create', 'club', 'jazz.example', '--name', 'Web');
    await keepContact('C1');
    const create = ['users', 'create', 'club', 'Jazz.Example', 'Ana@Example.org', '--contact', 'C1', '--json'];
    const created = await piped(`${password}\n`)(...create);
    expect(JSON.parse(created.out)).toMatchObject({
      serviceHost: 'jazz.example',
      login: 'ana@example.org',
      contactNumber: 'C1',
    });
    expect((await piped(password)(...create)).err).toContain('is taken');
    const listed = await operator('users', 'list', 'club', 'jazz.example');
    expect(listed.out).toContain('ana@example.org');

    const file = join(directory, 'password');
    writeFileSync(file, randomUUID());
    const set = ['users', 'set-password', 'club', 'jazz.example', 'ana@example.org', '--password-file'];
    expect((await operator(...set, file)).out).toContain('has a new password');
    expect((await operator(...set, '/nowhere')).err).toContain('ENOENT');
    for (const { out, err } of [created, listed]) expect(out + err).not.toContain(password);

    expect((await operator('users', 'remove', 'club', 'jazz.example', 'ana@example.org')).status).toBe(0);
    expect((await operator('users', 'remove', 'club', 'jazz.example', 'ana@example.org')).err).toContain('no login');
  });

  test('a user without contact, point of sale or acceptable password is refused', async () => {
    const create = (host: string, contact: string) => ['users', 'create', 'club', host, 'bob', '--contact', contact];
    expect((await piped('long enough')(...create('jazz.example', 'C2'))).err).toContain('no contact C2');
    expect((await piped('long enough')(...create('rock.example', 'C1'))).err).toContain('no point of sale');
    expect((await piped('short')(...create('jazz.example', 'C1'))).err).toContain('8 to 1000 characters');
    expect((await piped('')(...create('jazz.example', 'C1'))).err).toContain('no password');
    expect((await operator('users', 'create', 'club', 'jazz.example', 'bob')).err).toContain('--contact is missing');
  });
});
