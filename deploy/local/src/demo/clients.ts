import { addClientSecret, createClient, listClients, removeClientSecret, SCOPES } from '@boxoffice/authorizer';
import type { Store } from '@boxoffice/store';

/** A client of `demo.json`. */
export interface DemoClient {
  readonly name: string;
  readonly institution: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/** The clients that every demo institution has, by name. */
const clients: Readonly<Record<string, readonly string[]>> = {
  full: SCOPES,
  reader: SCOPES.filter((scope) => scope.endsWith(':read') && !scope.includes('.sensitive')),
  'contacts-writer': ['contacts:read', 'contacts:write'],
  none: [],
};

/**
 * Registers the demo clients of an institution. An existing one, whose secret is lost, gets a new secret and loses the
 * old ones.
 */
export const registerClients = async (store: Store, institution: string): Promise<DemoClient[]> => {
  const existing = await listClients(store, institution);
  const registered: DemoClient[] = [];
  for (const [name, scopes] of Object.entries(clients)) {
    const known = existing.find((client) => client.name === name);
    const { clientId, clientSecret } = known
      ? await renew(store, institution, known)
      : await createClient(store, { institution, name, scopes });
    registered.push({ name, institution, clientId, clientSecret, scopes });
  }
  return registered;
};

const renew = async (
  store: Store,
  institution: string,
  { clientId, secrets }: Awaited<ReturnType<typeof listClients>>[number],
): Promise<{ readonly clientId: string; readonly clientSecret: string }> => {
  // A client has one or two secrets: the others are removed first, the last old one after the new one is added.
  const [last, ...others] = secrets.toReversed();
  for (const { id } of others) await removeClientSecret(store, institution, clientId, id);
  const renewed = await addClientSecret(store, institution, clientId);
  if (last) await removeClientSecret(store, institution, clientId, last.id);
  return renewed;
};
