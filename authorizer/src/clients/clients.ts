import { Fault } from '@boxoffice/envelope';
import type { IdempotencyRecord, Store } from '@boxoffice/store';
import * as rules from '../domain/client.ts';
import { findMissingScopes, SCOPES } from '../domain/scopes.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import { type ChangeRequest, type ClientDocument, changeDocument, clientsCollection } from '../store.ts';
import { createReferenceCheck, type References } from '../users/references.ts';
import { checkUris } from './uris.ts';
import { toClientView } from './view.ts';

const refusals: Record<rules.Refusal, () => Fault> = {
  unknown_secret: () => new Fault('not_found', 'The client has no secret with this id.'),
  client_last_secret: () =>
    new Fault('client_last_secret', 'This is the last secret of the client; make another one first.'),
  client_too_many_secrets: () =>
    new Fault('client_too_many_secrets', `The client has ${rules.MAX_SECRETS} secrets; delete one first.`),
  public_client: () => new Fault('conflict', 'A public client has no secrets.'),
};

type Request = ChangeRequest<ClientDocument>;

export type Clients = ReturnType<typeof createClients>;

interface ClientsOptions {
  /** Says which points of sale there are; default: the caller has compared them. */
  readonly references?: References;
  readonly now?: () => number;
  readonly changed?: (clientId: string) => void;
}

export function createClients(
  store: Store,
  { references, now = Date.now, changed = () => undefined }: ClientsOptions = {},
) {
  const clients = store.collection(clientsCollection);
  const checkReferences = createReferenceCheck(references, '$.bounds');

  const change = async (
    institution: string,
    clientId: string,
    request: Request,
    step: (current: ClientDocument, at: Date) => ClientDocument | rules.Refusal,
  ): Promise<ClientDocument> => {
    const updated = await changeDocument(clients.of(institution), clientId, request, createNotFoundFault, (current) => {
      const next = step(current, new Date(now()));
      if (typeof next === 'string') throw refusals[next]();
      return next;
    });
    changed(clientId);
    return updated;
  };

  const getClient = async (institution: string, clientId: string): Promise<ClientDocument> => {
    const client = await clients.of(institution).get(clientId);
    if (!client || client.deletedAt !== null) throw createNotFoundFault();
    return client;
  };

  return {
    documents: (institution: string) => clients.of(institution),
    /** @throws {Fault} not_found, like all methods below */
    get: getClient,
    /** @throws {Fault} semantically_invalid for scopes beyond bounds or unknown points of sale; service_unavailable */
    create: async (
      institution: string,
      registration: rules.Registration,
      idempotencyRecord?: IdempotencyRecord<ClientDocument>,
    ) => {
      const clientSecret = registration.type === 'public' ? undefined : makeSecret();
      const at = new Date(now());
      const secret =
        clientSecret === undefined
          ? undefined
          : rules.buildSecret(makeSecret('sec_', 12), hashSecret(clientSecret), at);
      const registered = { id: makeSecret('cli_', 16), ...rules.buildClient(registration, secret, at) };
      checkScopes(registered);
      await checkReferences(institution, selectNamed(registration.bounds));
      return { client: await clients.of(institution).insert(registered, { idempotencyRecord }), clientSecret };
    },
    /** Checks the points of sale that the client does not have yet. @throws {Fault} like create */
    amend: async (institution: string, clientId: string, to: rules.Amendment, request: Request = {}) => {
      const step = (current: ClientDocument, at: Date): ClientDocument => {
        const next = rules.amend(current, to, at);
        checkScopes(next);
        return next;
      };
      if (to.bounds) {
        const before = await getClient(institution, clientId);
        // Refused for a reason of its own, a change asks no other service; the write checks again what the client is.
        request.allow?.(before);
        step(before, new Date(now()));
        await checkReferences(institution, selectNamed(to.bounds), before.bounds ?? {});
      }
      return change(institution, clientId, request, step);
    },
    remove: (institution: string, clientId: string, request: Request = {}) =>
      change(institution, clientId, request, rules.markClientDeleted),
    /** The plaintext is returned only here. @throws {Fault} client_too_many_secrets, or conflict for a public client */
    addSecret: async (institution: string, clientId: string, request: Request = {}) => {
      const clientSecret = makeSecret();
      const [id, hash] = [makeSecret('sec_', 12), hashSecret(clientSecret)];
      const client = await change(institution, clientId, request, (current, at) =>
        rules.addSecret(current, rules.buildSecret(id, hash, at), at),
      );
      return { client, clientSecret };
    },
    /** @throws {Fault} client_last_secret */
    removeSecret: (institution: string, clientId: string, secretId: string, request: Request = {}) =>
      change(institution, clientId, request, (current, at) => rules.removeSecret(current, secretId, at)),
  };
}

const createNotFoundFault = (): Fault => new Fault('not_found', 'There is no client with this id.');

/** @throws {Fault} semantically_invalid, naming the scopes that a client with these bounds cannot have */
const checkScopes = ({ bounds, scopes }: Pick<rules.Client, 'bounds' | 'scopes'>): void => {
  const excluded = rules.findExcludedScopes(bounds, scopes);
  if (excluded.length === 0) return;
  const text = `$.scopes: a client with bounds cannot have ${excluded.join(', ')}, which only a client without bounds can have; leave them out, or set $.bounds to null.`;
  throw new Fault('semantically_invalid', text);
};

const selectNamed = (change: rules.BoundsChange | undefined) => ({ pointsOfSale: change?.pointsOfSale ?? [] });

type NewClient = Omit<rules.Registration, 'type'> & { readonly institution: string };

/** Returns the plaintext secret. @throws {Fault} semantically_invalid for scopes, validation_error for URIs */
export async function createClient(store: Store, newClient: NewClient, knownScopes: readonly string[] = SCOPES) {
  const { client, clientSecret = '' } = await register(store, newClient, 'confidential', knownScopes);
  return { ...toClientView(client), clientSecret };
}

/** @throws {Fault} like {@link createClient} */
export async function createPublicClient(store: Store, newClient: NewClient, knownScopes: readonly string[] = SCOPES) {
  return toClientView((await register(store, newClient, 'public', knownScopes)).client);
}

const register = (
  store: Store,
  { institution, ...registration }: NewClient,
  type: rules.ClientType,
  knownScopes: readonly string[],
) => {
  const unknown = findMissingScopes(registration.scopes, knownScopes);
  if (unknown.length > 0) throw new Fault('semantically_invalid', `There is no scope ${unknown.join(', ')}.`);
  checkUris(registration, type);
  return createClients(store).create(institution, { ...registration, type });
};

export async function listClients(store: Store, institution?: string) {
  const clients = store.collection(clientsCollection);
  const documents = institution === undefined ? clients.acrossInstitutions : clients.of(institution);
  const found = await documents.find({ where: { deletedAt: null }, orderBy: 'createdAt' });
  return found.map(toClientView);
}

/** Deletes a client. @throws {Fault} not_found */
export async function deleteClient(store: Store, institution: string, clientId: string): Promise<void> {
  await createClients(store).remove(institution, clientId);
}

/** Its plaintext is returned only here. @throws {Fault} not_found, client_too_many_secrets */
export async function addClientSecret(store: Store, institution: string, clientId: string) {
  const { client, clientSecret } = await createClients(store).addSecret(institution, clientId);
  return { ...toClientView(client), clientSecret };
}

/** Withdraws a secret of a client. @throws {Fault} not_found, client_last_secret */
export async function removeClientSecret(store: Store, institution: string, clientId: string, secretId: string) {
  return toClientView(await createClients(store).removeSecret(institution, clientId, secretId));
}
