import { createApiUser, inviteApiUser, listApiUsers, lockApiUser, ROLES, readmitApiUser } from '@boxoffice/authorizer';
import { publicUrl, readSettings } from '@boxoffice/runtime';
import { type Command, listOf, nameOf, required } from '../command.ts';
import type { Installation } from '../installation.ts';
import { knownInstitution, knownPointOfSale } from './institutions.ts';
import { requireContact } from './users.ts';

const LINK = 'its link sets the password, is valid for seven days and printed only here';

/** What names a user: the institution and the login. @throws {Refused} when the institution is unknown */
const userOf = async (installation: Installation, [id = '', login = '']: readonly string[]) => {
  const { id: institution } = await knownInstitution(installation, id);
  const address = (await installation.running())?.publicUrl ?? readSettings({ publicUrl }).publicUrl;
  return { institution, login, publicUrl: address };
};

/** The users of the institution API, who sign in. */
export const apiUsers: readonly Command[] = [
  {
    name: 'api-users list',
    usage: '[INSTITUTION]',
    about: 'lists the users who sign in to the institution API, of an institution or of all',
    run: async (installation, { words: [institution] }) => {
      if (institution !== undefined) await knownInstitution(installation, institution);
      return listApiUsers(await installation.store('authorizer'), institution);
    },
  },
  {
    name: 'api-users create',
    usage: 'INSTITUTION LOGIN --name NAME --role ROLE [--contact NUMBER] [--points-of-sale HOST,HOST]',
    about: `invites a user, by email, with a role (${ROLES.join(', ')}); ${LINK}. A customer needs --contact; contact and points of sale must exist`,
    async run(installation, given) {
      const [name, role] = [nameOf(given), required(given, 'role')];
      const contactNumber = given.options.contact === undefined ? null : required(given, 'contact');
      const user = await userOf(installation, given.words);
      if (contactNumber !== null) await requireContact(installation, user.institution, contactNumber);
      const pointsOfSale = listOf(given, 'points-of-sale');
      for (const host of pointsOfSale) await knownPointOfSale(installation, user.institution, host);
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
      lockApiUser(await installation.store('authorizer'), await userOf(installation, words)),
  },
  {
    name: 'api-users unlock',
    usage: 'INSTITUTION LOGIN [--invite]',
    about: `lets a locked user sign in again with the same password; its old sign-ins stay ended. --invite, if somebody else may know the password: forgets it and makes an invitation; ${LINK}`,
    async run(installation, { words, options }) {
      const [store, user] = [await installation.store('authorizer'), await userOf(installation, words)];
      return options.invite === true ? readmitApiUser(store, user) : lockApiUser(store, user, 'active');
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
