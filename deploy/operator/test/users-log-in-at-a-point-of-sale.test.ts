import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contacts } from '@boxoffice/contacts';
import { openSqliteStores } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { createClub, operatorOf, temporaryDirectory } from './program.ts';

const directory = temporaryDirectory();

const operator = operatorOf(directory);
/** The operator with `input` on its standard input. */
const piped = (input: string) => operatorOf(directory, {}, input);

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
