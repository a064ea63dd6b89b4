import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import {
  createApiUser,
  inviteApiUser,
  listApiUsers,
  ROLES,
  readmitApiUser,
  setApiUserState,
} from '@boxoffice/authorizer';
import { contacts } from '@boxoffice/contacts';
import { createUser, listUsers, removeUser, setPassword } from '@boxoffice/pos';
import { publicUrl, readSettings } from '@boxoffice/runtime';
import { type Command, type Given, parseList, readStandardInput, requireName, requireOption } from '../command.ts';
import { type Installation, Refused } from '../installation.ts';
import { requireInstitution, requirePointOfSale } from './institutions.ts';

const fromFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refused(`the password cannot be read from ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
};

/** Prompts twice on the terminal without echo. */
const fromTerminal = async (): Promise<string> => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const answer = await terminal.question('');
    process.stderr.write('\n');
    return answer;
  };
  try {
    const password = await ask('Password: ');
    if (password !== (await ask('The same again: '))) throw new Refused('the two passwords differ');
    return password;
  } finally {
    terminal.close();
  }
};

const PASSWORD = 'the password is prompted for, or read from --password-file (- or a pipe: standard input)';

/** From a file, a pipe, or a terminal prompt; never from the command line, and never printed. @throws {Refused} */
const passwordOf = async ({ options: { 'password-file': file } }: Given): Promise<string> => {
  const isPrompted = typeof file !== 'string' && process.stdin.isTTY;
  const readGivenPassword = () => (isPrompted ? fromTerminal() : readStandardInput());
  const text = typeof file !== 'string' || file === '-' ? await readGivenPassword() : fromFile(file);
  // Editors and `echo` add a line end.
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new Refused('no password was given: --password-file FILE, or pipe it in');
  return password;
};

/** @throws {Refused} unless the institution has this contact and it is not erased */
const requireContact = async (installation: Installation, institution: string, number: string): Promise<void> => {
  const [collection] = contacts.collections;
  const store = await installation.store('contacts');
  const found = collection && (await store.collection(collection).of(institution).get(number));
  if (!found) throw new Refused(`${institution} has no contact ${number}`);
  if ('erasedAt' in found && found.erasedAt) throw new Refused(`the data of contact ${number} was erased`);
};

export const users: readonly Command[] = [
  {
    name: 'users list',
    usage: 'INSTITUTION [HOST]',
    about: 'lists the logins at the points of sale of an institution, or at one of them',
    run: async (installation, { words: [institution = '', host] }) => {
      const { id } = await requireInstitution(installation, institution);
      return listUsers(await installation.store('pos'), id, host);
    },
  },
  {
    name: 'users create',
    usage: 'INSTITUTION HOST LOGIN --contact NUMBER [--password-file FILE]',
    about: `creates a login of a contact at a point of sale; ${PASSWORD}`,
    async run(installation, given) {
      const [institution = '', host = '', login = ''] = given.words;
      const contactNumber = requireOption(given, 'contact');
      const { serviceHost } = await requirePointOfSale(installation, institution, host);
      await requireContact(installation, institution, contactNumber);
      return createUser(await installation.store('pos'), {
        institution,
        serviceHost,
        login,
        password: await passwordOf(given),
        contactNumber,
      });
    },
  },
  {
    name: 'users set-password',
    usage: 'INSTITUTION HOST LOGIN [--password-file FILE]',
    about: `changes the password of a login and ends its sessions; ${PASSWORD}`,
    async run(installation, given) {
      const [institution = '', host = '', login = ''] = given.words;
      const { serviceHost } = await requirePointOfSale(installation, institution, host);
      const store = await installation.store('pos');
      const isSet = await setPassword(store, institution, serviceHost, login, await passwordOf(given));
      if (!isSet) throw new Refused(`there is no login ${login} at ${serviceHost}`);
      return `${login} has a new password`;
    },
  },
  {
    name: 'users remove',
    usage: 'INSTITUTION HOST LOGIN',
    about: 'deletes a login and ends its sessions; the contact stays',
    async run(installation, { words: [institution = '', host = '', login = ''] }) {
      const { serviceHost } = await requirePointOfSale(installation, institution, host);
      if (!(await removeUser(await installation.store('pos'), institution, serviceHost, login)))
        throw new Refused(`there is no login ${login} at ${serviceHost}`);
      return `${login} can no longer log in at ${serviceHost}`;
    },
  },
];

const LINK = 'its link sets the password, is valid for seven days and printed only here';

/** What names a user: the institution and the login. @throws {Refused} when the institution is unknown */
const userOf = async (installation: Installation, [id = '', login = '']: readonly string[]) => {
  const { id: institution } = await requireInstitution(installation, id);
  const address = (await installation.running())?.publicUrl ?? readSettings({ publicUrl }).publicUrl;
  return { institution, login, publicUrl: address };
};

export const apiUsers: readonly Command[] = [
  {
    name: 'api-users list',
    usage: '[INSTITUTION]',
    about: 'lists the users who sign in to the institution API, of an institution or of all',
    run: async (installation, { words: [institution] }) => {
      if (institution !== undefined) await requireInstitution(installation, institution);
      return listApiUsers(await installation.store('authorizer'), institution);
    },
  },
  {
    name: 'api-users create',
    usage: 'INSTITUTION LOGIN --name NAME --role ROLE [--contact NUMBER] [--points-of-sale HOST,HOST]',
    about: `invites a user, by email, with a role (${ROLES.join(', ')}); ${LINK}. A customer needs --contact; contact and points of sale must exist`,
    async run(installation, given) {
      const [name, role] = [requireName(given), requireOption(given, 'role')];
      const contactNumber = given.options.contact === undefined ? null : requireOption(given, 'contact');
      const user = await userOf(installation, given.words);
      if (contactNumber !== null) await requireContact(installation, user.institution, contactNumber);
      const pointsOfSale = parseList(given, 'points-of-sale');
      for (const host of pointsOfSale) await requirePointOfSale(installation, user.institution, host);
      return createApiUser(await installation.store('authorizer'), {
        ...user,
        name,
        role,
        contactNumber,
        pointsOfSale,
      });
    },
  },
  {
    name: 'api-users lock',
    usage: 'INSTITUTION LOGIN',
    about: 'locks a user: its sign-ins and tokens are refused within five seconds',
    run: async (installation, { words }) =>
      setApiUserState(await installation.store('authorizer'), await userOf(installation, words), 'locked'),
  },
  {
    name: 'api-users unlock',
    usage: 'INSTITUTION LOGIN [--invite]',
    about: `lets a locked user sign in again with the same password; its old sign-ins stay ended. --invite, if somebody else may know the password: forgets it and makes an invitation; ${LINK}`,
    async run(installation, { words, options }) {
      const [store, user] = [await installation.store('authorizer'), await userOf(installation, words)];
      return options.invite === true ? readmitApiUser(store, user) : setApiUserState(store, user, 'active');
    },
  },
  {
    name: 'api-users invite',
    usage: 'INSTITUTION LOGIN',
    about: `makes a new invitation, also for a lost password; ${LINK}, and an older one ends`,
    run: async (installation, { words }) =>
      inviteApiUser(await installation.store('authorizer'), await userOf(installation, words)),
  },
];
