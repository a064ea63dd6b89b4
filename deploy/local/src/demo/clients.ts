import {
  addClientSecret,
  type Clients,
  createClient,
  createClients,
  createPublicClient,
  listClients,
  removeClientSecret,
  SCOPES,
} from '@boxoffice/authorizer';
import type { Store } from '@boxoffice/store';

/** A client of `demo.json`. */
export interface DemoClient {
  readonly name: string;
  readonly institution: string;
  readonly clientId: string;
  /** Absent of a public client. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** Of a client at which users sign in. */
  readonly redirectUris?: readonly string[];
}

/** The clients at which users sign in, by name. */
const WEB = { web: 'public', 'web-confidential': 'confidential' } as const;

const isWeb = (name: string): name is keyof typeof WEB => Object.hasOwn(WEB, name);

const redirectUrisAt = (baseUrl: string): readonly string[] => [
  'http://127.0.0.1/callback',
  `${baseUrl}/callback`,
  `${baseUrl}/docs/callback`,
];

/** The clients that every demo institution has, by name. */
const clients: Readonly<Record<string, readonly string[]>> = {
  full: SCOPES,
  reader: SCOPES.filter((scope) => scope.endsWith(':read') && !scope.includes('.sensitive')),
  'contacts-writer': ['contacts:read', 'contacts:write'],
  none: [],
  web: SCOPES,
  'web-confidential': SCOPES,
};

type Summary = Awaited<ReturnType<typeof listClients>>[number];

/** Lets users return to the present address; that of an existing client may be an earlier one. */
const follow = async (
  store: Store,
  institution: string,
  { clientId, redirectUris }: Pick<Summary, 'clientId' | 'redirectUris'>,
  wanted: readonly string[],
): Promise<void> => {
  if (redirectUris.join(' ') === wanted.join(' ')) return;
  await createClients(store).amend(institution, clientId, { redirectUris: wanted });
};

/** The names of the demo clients. */
const NAMES = Object.keys(clients);

/**
 * Registers the demo clients of an institution, or those of these names. An existing one, whose secret is lost, gets a
 * new secret and loses the old ones. Users return to `baseUrl`.
 */
export const registerClients = async (
  store: Store,
  institution: string,
  baseUrl: string,
  names: readonly string[] = NAMES,
): Promise<DemoClient[]> => {
  const existing = await listClients(store, institution);
  const registered: DemoClient[] = [];
  for (const name of names) {
    const scopes = clients[name] ?? [];
    const known = existing.find((client) => client.name === name);
    const users = isWeb(name) ? { redirectUris: redirectUrisAt(baseUrl) } : {};
    if (known && users.redirectUris) await follow(store, institution, known, users.redirectUris);
    if (isWeb(name) && WEB[name] === 'public') {
      const { clientId } = known ?? (await createPublicClient(store, { institution, name, scopes, ...users }));
      registered.push({ name, institution, clientId, scopes, ...users });
      continue;
    }
    const { clientId, clientSecret } = known
      ? await renew(store, institution, known)
      : await createClient(store, { institution, name, scopes, ...users });
    registered.push({ name, institution, clientId, clientSecret, scopes, ...users });
  }
  return registered;
};

/** Changes a client, unless it was deleted since it was written into `demo.json`. */
const amend = async (
  store: Store,
  { institution, clientId }: DemoClient,
  changes: Parameters<Clients['amend']>[2],
): Promise<void> => {
  const existing = await listClients(store, institution);
  if (existing.some((client) => client.clientId === clientId)) {
    await createClients(store).amend(institution, clientId, changes);
  }
};

/** The clients of `demo.json` at another public address: users return there. */
export const moveClients = async (
  store: Store,
  known: readonly DemoClient[],
  baseUrl: string,
): Promise<readonly DemoClient[]> => {
  const wanted = redirectUrisAt(baseUrl);
  const moved = known.filter(({ redirectUris }) => redirectUris && redirectUris.join(' ') !== wanted.join(' '));
  for (const client of moved) await amend(store, client, { redirectUris: wanted });
  return known.map((client) => (moved.includes(client) ? { ...client, redirectUris: wanted } : client));
};

/**
 * The clients of one institution in an older `demo.json` with what this release adds: clients that it lacks, and scopes
 * that those of the same name have today. Existing secrets stay.
 */
export const completeClients = async (
  store: Store,
  institution: string,
  baseUrl: string,
  known: readonly DemoClient[],
): Promise<readonly DemoClient[]> => {
  const completed: DemoClient[] = [];
  for (const client of known) {
    const scopes = [...new Set([...client.scopes, ...(clients[client.name] ?? [])])];
    const isWider = scopes.length > client.scopes.length;
    if (isWider) await amend(store, client, { scopes });
    completed.push(isWider ? { ...client, scopes } : client);
  }
  const missing = NAMES.filter((name) => !known.some((client) => client.name === name));
  return missing.length > 0
    ? [...completed, ...(await registerClients(store, institution, baseUrl, missing))]
    : completed;
};

const renew = async (
  store: Store,
  institution: string,
  { clientId, secrets }: Summary,
): Promise<{ readonly clientId: string; readonly clientSecret: string }> => {
  // A client has one or two secrets: the others are removed first, the last old one after the new one is added.
  const [last, ...others] = secrets.toReversed();
  for (const { id } of others) await removeClientSecret(store, institution, clientId, id);
  const renewed = await addClientSecret(store, institution, clientId);
  if (last) await removeClientSecret(store, institution, clientId, last.id);
  return renewed;
};
