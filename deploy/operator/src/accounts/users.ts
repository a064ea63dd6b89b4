import { contacts } from '@boxoffice/contacts';
import { createUser, listUsers, removeUser, setPassword } from '@boxoffice/pos';
import { type Command, type Given, required } from '../command.ts';
import type { Installation } from '../installation.ts';
import { Refused } from '../refused.ts';
import { knownInstitution } from './institutions.ts';
import { readPassword } from './password.ts';
import { knownPointOfSale } from './points-of-sale.ts';

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
  const store = await installation.contacts();
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
      return listUsers(await installation.pos(), id, host);
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
      return createUser(await installation.pos(), {
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
      const store = await installation.pos();
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
      if (!(await removeUser(await installation.pos(), institution, serviceHost, login)))
        throw new Refused(`there is no login ${login} at ${serviceHost}`);
      return `${login} can no longer log in at ${serviceHost}`;
    },
  },
];
