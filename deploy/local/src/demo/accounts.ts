import { randomBytes } from 'node:crypto';
import {
  addClientSecret,
  createApiKey,
  createApiUser,
  createClient,
  createClients,
  createPublicClient,
  deleteApiKey,
  listApiKeys,
  listApiUsers,
  listClients,
  ROLES,
  removeClientSecret,
  SCOPES,
  setApiUserPassword,
} from '@boxoffice/authorizer';
import { createUser, listUsers, setPassword } from '@boxoffice/pos';
import type { Store } from '@boxoffice/store';
import type { DemoInstitution } from './institutions.ts';
import type { ShopKeeper } from './shop-keeper.ts';

// Everybody in demo.json. Secrets are stored as hashes: whoever exists already gets a new one, and loses the old ones.

export interface DemoClient {
  readonly name: string;
  readonly institution: string;
  readonly clientId: string;
  /** Absent of a public client. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** Of a client at which users sign in. */
  readonly redirectUris?: readonly string[];
  /** Of a partner's client: what it sees and sells. */
  readonly bounds?: { readonly ownOrders: boolean; readonly pointsOfSale: readonly string[] };
}

/** An API key of `demo.json`, for public data of its institution. */
export type DemoApiKey = Awaited<ReturnType<typeof registerApiKey>>;

export interface DemoApiUser {
  readonly institution: string;
  readonly login: string;
  readonly password: string;
  readonly role: string;
  /** Of the role `customer`. */
  readonly contactNumber?: string;
}

/** A user of `demo.json`: a login at a point of sale, tied to a contact. */
export interface DemoUser {
  readonly serviceHost: string;
  readonly login: string;
  readonly password: string;
  readonly contactNumber: string;
  readonly member: boolean;
}

interface Registered {
  /** What users read at the sign-in; default: its name in `demo.json`. */
  readonly title?: string;
  readonly scopes: readonly string[];
  /** Users sign in at it. */
  readonly web?: 'public' | 'confidential';
  /** A partner's: of its own orders at the institution's point of sale. */
  readonly isBounded?: boolean;
}

const CLIENTS: Readonly<Record<string, Registered>> = {
  full: { scopes: SCOPES },
  reader: { scopes: SCOPES.filter((scope) => scope.endsWith(':read') && !scope.includes('.sensitive')) },
  'contacts-writer': { scopes: ['contacts:read', 'contacts:write'] },
  none: { scopes: [] },
  reseller: {
    scopes: [
      'catalog:read',
      'contacts:read',
      'contacts:write',
      'orders:read',
      'orders:write',
      'payments:write',
      'tickets:read',
      'events:read',
      'events:write',
    ],
    isBounded: true,
  },
  web: { scopes: SCOPES, web: 'public' },
  'web-confidential': { scopes: SCOPES, web: 'confidential' },
  door: { title: 'Door control', scopes: ['catalog:read', 'tickets:read', 'tickets:write'], web: 'public' },
};

type Summary = Awaited<ReturnType<typeof listClients>>[number];

/** Those of an older release get the scopes of this one. Users return to `baseUrl`. */
export async function registerClients(
  store: Store,
  { id: institution, serviceHost }: DemoInstitution,
  baseUrl: string,
): Promise<DemoClient[]> {
  const existing = await listClients(store, institution);
  const registered: DemoClient[] = [];
  for (const [name, { title = name, scopes, web, isBounded = false }] of Object.entries(CLIENTS)) {
    const known = existing.find((client) => [title, name].includes(client.name));
    const given = {
      scopes,
      ...(web ? { redirectUris: redirectUrisAt(baseUrl, name) } : {}),
      ...(isBounded ? { bounds: { ownOrders: true, pointsOfSale: [serviceHost] } } : {}),
    };
    const registration = { institution, name: title, ...given };
    if (known) await createClients(store).amend(institution, known.clientId, { name: title, ...given });
    if (web === 'public') {
      const { clientId } = known ?? (await createPublicClient(store, registration));
      registered.push({ name, institution, clientId, ...given });
    } else {
      const { clientId, clientSecret } = known
        ? await renewSecret(store, institution, known)
        : await createClient(store, registration);
      registered.push({ name, institution, clientId, clientSecret, ...given });
    }
  }
  return registered;
}

/** Where users return to: the client `door` is that of the page at /door/. */
const redirectUrisAt = (baseUrl: string, name: string): readonly string[] =>
  name === 'door'
    ? [`${baseUrl}/door/`]
    : ['http://127.0.0.1/callback', `${baseUrl}/callback`, `${baseUrl}/docs/callback`];

const renewSecret = async (store: Store, institution: string, { clientId, secrets }: Summary) => {
  // A client has one or two secrets: the others are removed first, the last old one after the new one is added.
  const [last, ...others] = secrets.toReversed();
  for (const { id } of others) await removeClientSecret(store, institution, clientId, id);
  const renewed = await addClientSecret(store, institution, clientId);
  if (last) await removeClientSecret(store, institution, clientId, last.id);
  return renewed;
};

/** The clients of `demo.json` at another public address: users return there. Deleted ones stay deleted. */
export async function moveClients(
  store: Store,
  known: readonly DemoClient[],
  baseUrl: string,
): Promise<readonly DemoClient[]> {
  const existing = new Set((await listClients(store)).map(({ clientId }) => clientId));
  const moved = known.map((client) =>
    client.redirectUris ? { ...client, redirectUris: redirectUrisAt(baseUrl, client.name) } : client,
  );
  for (const { institution, clientId, redirectUris } of moved)
    if (redirectUris && existing.has(clientId))
      await createClients(store).amend(institution, clientId, { redirectUris });
  return moved;
}

export async function registerApiKey(store: Store, institution: string) {
  const name = 'demo';
  const existing = await listApiKeys(store, institution);
  const { key } = await createApiKey(store, institution, { name });
  for (const known of existing) if (known.name === name) await deleteApiKey(store, institution, known.apiKeyId);
  return { institution, key };
}

const NAMES: Readonly<Record<string, string>> = {
  admin: 'Alma Rosé',
  manager: 'Maria Callas',
  box_office: 'Benno Kassel',
  door: 'Dora Sluys',
  customer: 'Clara Haskil',
};

export async function registerApiUsers(
  store: Store,
  { institution, publicUrl, contactNumber }: Record<'institution' | 'publicUrl' | 'contactNumber', string>,
): Promise<DemoApiUser[]> {
  const existing = await listApiUsers(store, institution);
  const registered: DemoApiUser[] = [];
  for (const role of ROLES) {
    const login = `${role.replace('_', '-')}@${institution}.example`;
    const password = newPassword();
    const own = role === 'customer' ? { contactNumber } : {};
    const user = { institution, login, publicUrl };
    if (!existing.some((known) => known.login === login))
      await createApiUser(store, { ...user, name: NAMES[role] ?? role, role, ...own });
    await setApiUserPassword(store, user, password);
    registered.push({ institution, login, password, role, ...own });
  }
  return registered;
}

const newPassword = (): string => randomBytes(12).toString('base64url');

const PEOPLE = [
  { login: 'clara', firstName: 'Clara', lastName: 'Haskil', member: true },
  { login: 'ernest', firstName: 'Ernest', lastName: 'Ansermet', member: false },
] as const;

interface Contact {
  readonly contactNumber: string;
}

export async function registerUsers(
  pos: Store,
  { id, serviceHost }: DemoInstitution,
  keeper: ShopKeeper,
): Promise<DemoUser[]> {
  const existing = await listUsers(pos, id, serviceHost);
  const registered: DemoUser[] = [];
  for (const person of PEOPLE) {
    const { login, member } = person;
    const password = newPassword();
    const known = existing.find((user) => user.login === login);
    const contactNumber = known?.contactNumber ?? (await contactOf(keeper, `${login}@${id}.example`, person));
    if (known) await setPassword(pos, id, serviceHost, login, password);
    else await createUser(pos, { institution: id, serviceHost, login, password, contactNumber });
    registered.push({ serviceHost, login, password, contactNumber, member });
  }
  return registered;
}

/** The contact of a person, created if missing. */
const contactOf = async (keeper: ShopKeeper, email: string, person: (typeof PEOPLE)[number]): Promise<string> => {
  const { items } = await keeper<{ readonly items: readonly Contact[] }>('listIndividuals', { query: { email } });
  if (items[0]) return items[0].contactNumber;
  const { firstName, lastName, member } = person;
  const body = { firstName, lastName, email, criteria: member ? ['member'] : [] };
  return (await keeper<Contact>('createIndividual', { body })).contactNumber;
};
