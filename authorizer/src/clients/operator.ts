import { Fault } from '@boxoffice/envelope';
import type { Store } from '@boxoffice/store';
import type { Registration } from '../domain/client.ts';
import { lacking, SCOPES } from '../domain/scopes.ts';
import { clientsCollection } from '../store.ts';
import { createClients } from './clients.ts';
import { checkUris } from './uris.ts';
import { view } from './view.ts';

/** A client of an institution, to be registered. */
type NewClient = Omit<Registration, 'type'> & { readonly institution: string };

const checkRegistration = (
  { scopes, type = 'confidential', redirectUris, origins }: Registration,
  knownScopes: readonly string[],
): void => {
  const unknown = lacking(scopes, knownScopes);
  if (unknown.length > 0) throw new Fault('semantically_invalid', `There is no scope ${unknown.join(', ')}.`);
  checkUris({ redirectUris, origins }, type);
};

/**
 * Registers a confidential client directly in the store, for an operator; the plaintext secret is returned only here.
 * @throws {Fault} semantically_invalid, naming scopes that do not exist or that bounds exclude; validation_error, naming
 * URIs that cannot be registered
 */
export const createClient = async (
  store: Store,
  { institution, ...registration }: NewClient,
  knownScopes: readonly string[] = SCOPES,
) => {
  checkRegistration(registration, knownScopes);
  const { client, clientSecret = '' } = await createClients(store).create(institution, registration);
  return { ...view(client), clientSecret };
};

/** Registers a public client, which has no secret. @throws {Fault} like {@link createClient} */
export const createPublicClient = async (
  store: Store,
  { institution, ...registration }: NewClient,
  knownScopes: readonly string[] = SCOPES,
) => {
  const publicClient = { ...registration, type: 'public' as const };
  checkRegistration(publicClient, knownScopes);
  return view((await createClients(store).create(institution, publicClient)).client);
};

/** The clients of one institution or of all, oldest first. */
export const listClients = async (store: Store, institution?: string) => {
  const clients = store.collection(clientsCollection);
  const documents = institution === undefined ? clients.acrossInstitutions : clients.of(institution);
  const found = await documents.find({ where: { deletedAt: null }, orderBy: 'createdAt' });
  return found.map(view);
};

/** Deletes a client. @throws {Fault} not_found */
export const deleteClient = async (store: Store, institution: string, clientId: string): Promise<void> => {
  await createClients(store).remove(institution, clientId);
};

/**
 * Creates a second secret of a client; its plaintext is returned only here.
 * @throws {Fault} not_found, client_too_many_secrets
 */
export const addClientSecret = async (store: Store, institution: string, clientId: string) => {
  const { client, clientSecret } = await createClients(store).addSecret(institution, clientId);
  return { ...view(client), clientSecret };
};

/** Withdraws a secret of a client. @throws {Fault} not_found, client_last_secret */
export const removeClientSecret = async (store: Store, institution: string, clientId: string, secretId: string) =>
  view(await createClients(store).removeSecret(institution, clientId, secretId));
