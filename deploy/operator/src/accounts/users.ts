import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { contacts } from '@boxoffice/contacts';
import { createUser, listUsers, removeUser, setPassword } from '@boxoffice/pos';
import { type Command, type Given, required } from '../command.ts';
import { type Installation, Refused } from '../installation.ts';
import { knownInstitution, knownPointOfSale } from './institutions.ts';

/** The text without its final line break, which editors and `echo` add. */
const withoutEnd = (text: string): string => text.replace(/\r?\n$/, '');

const fromFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refused(`the password cannot be read from ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
};

const fromStandardInput = async (): Promise<string> => {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
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

/**
 * A password from a file, from a pipe, or from a terminal prompt; never from the command line, and never printed.
 * @throws {Refused}
 */
const readPassword = async (file: string | undefined): Promise<string> => {
  const given = file === undefined && process.stdin.isTTY ? fromTerminal : fromStandardInput;
  const password = withoutEnd(file === undefined || file === '-' ? await given() : fromFile(file));
  if (password === '') throw new Refused('no password was given: --password-file FILE, or pipe it in');
  return password;
};

const PASSWORD = 'the password is prompted for, or read from --password-file (- or a pipe: standard input)';

const passwordOf = ({ options }: Given): Promise<string> => {
  const file = options['password-file'];
  return readPassword(typeof file === 'string' ? file : undefined);
};

/** @throws {Refused} unless the institution has this contact and it is not erased */
export const requireContact = async (
  installation: Installation,
  institution: string,
  number: string,
): Promise<void> => {
  const [collection] = contacts.collections;
  const store = await installation.store('contacts');
  const found = collection && (await store.collection(collection).of(institution).get(number));
  if (!found) throw new Refused(`${institution} has no contact ${number}`);
  if ('erasedAt' in found && found.erasedAt) throw new Refused(`the data of contact ${number} was erased`);
};

/** The logins of shoppers at points of sale. */
export const users: readonly Command[] = [
  {
    name: 'users list',
    usage: 'INSTITUTION [HOST]',
    about: 'lists the logins at the points of sale of an institution, or at one of them',
    run: async (installation, { words: [institution = '', host] }) => {
      const { id } = await knownInstitution(installation, institution);
      return listUsers(await installation.store('pos'), id, host);
    },
  },
  {
    name: 'users create',
    usage: 'INSTITUTION HOST LOGIN --contact NUMBER [--password-file FILE]',
    about: `creates a login of a contact at a point of sale; ${PASSWORD}`,
    async run(installation, given) {
      const [institution = '', host = '', login = ''] = given.words;
      const contactNumber = required(given, 'contact');
      const { serviceHost } = await knownPointOfSale(installation, institution, host);
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
      const { serviceHost } = await knownPointOfSale(installation, institution, host);
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
      const { serviceHost } = await knownPointOfSale(installation, institution, host);
      if (!(await removeUser(await installation.store('pos'), institution, serviceHost, login)))
        throw new Refused(`there is no login ${login} at ${serviceHost}`);
      return `${login} can no longer log in at ${serviceHost}`;
    },
  },
];
