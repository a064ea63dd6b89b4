import { randomBytes } from 'node:crypto';
import { createUser, listUsers, setPassword } from '@boxoffice/pos';
import type { Store } from '@boxoffice/store';
import type { DemoInstitution } from './demo-institution.ts';
import type { ShopKeeper } from './shop-keeper.ts';

/** A user of `demo.json`: a login at a point of sale, tied to a contact. */
export interface DemoUser {
  readonly serviceHost: string;
  readonly login: string;
  readonly password: string;
  readonly contactNumber: string;
  readonly member: boolean;
}

interface Person {
  readonly login: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly member: boolean;
}

/** The users of every point of sale of the demo. */
const people: readonly Person[] = [
  { login: 'clara', firstName: 'Clara', lastName: 'Haskil', member: true },
  { login: 'ernest', firstName: 'Ernest', lastName: 'Ansermet', member: false },
];

const INDIVIDUALS = '/svc/v3/contacts/individuals';

interface Contact {
  readonly contactNumber: string;
}

/** The contact of a person, created if missing. */
const contactOf = async (keeper: ShopKeeper, { id }: DemoInstitution, person: Person): Promise<string> => {
  const { login, firstName, lastName, member } = person;
  const email = `${login}@${id}.example`;
  const query = new URLSearchParams({ email });
  const found = await keeper<{ readonly items: readonly Contact[] }>({
    service: 'contacts',
    operation: 'listIndividuals',
    method: 'GET',
    path: `${INDIVIDUALS}?${query}`,
  });
  const [known] = found.data.items;
  if (known) return known.contactNumber;
  const made = await keeper<Contact>({
    service: 'contacts',
    operation: 'createIndividual',
    method: 'POST',
    path: INDIVIDUALS,
    body: { firstName, lastName, email, criteria: member ? ['member'] : [] },
  });
  if (made.status === 201) return made.data.contactNumber;
  throw new Error(`the demo data was refused: a contact was answered ${made.status} ${made.code}`);
};

const newPassword = (): string => randomBytes(12).toString('base64url');

/**
 * Registers the users of an institution's point of sale. An existing one, whose password is lost, gets a new one.
 * `keeper` is called only when a user is missing.
 */
export const registerUsers = async (
  pos: Store,
  institution: DemoInstitution,
  keeper: () => Promise<ShopKeeper>,
): Promise<DemoUser[]> => {
  const { id, serviceHost } = institution;
  const existing = await listUsers(pos, id, serviceHost);
  const registered: DemoUser[] = [];
  for (const person of people) {
    const { login, member } = person;
    const password = newPassword();
    const known = existing.find((user) => user.login === login);
    const contactNumber = known?.contactNumber ?? (await contactOf(await keeper(), institution, person));
    if (known) await setPassword(pos, id, serviceHost, login, password);
    else await createUser(pos, { institution: id, serviceHost, login, password, contactNumber });
    registered.push({ serviceHost, login, password, contactNumber, member });
  }
  return registered;
};
