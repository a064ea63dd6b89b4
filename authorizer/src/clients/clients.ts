import { Fault } from '@boxoffice/envelope';
import type { Documents, IdempotencyRecord, Store } from '@boxoffice/store';
import * as rules from '../domain/client.ts';
import { clientChanged } from '../events.ts';
import { type ChangeRequest, type ClientDocument, clientsCollection } from '../store.ts';
import { hashSecret, makeClientId, makeSecret, makeSecretId } from './secrets.ts';

/** A client and the plaintext of a new secret, returned only here. */
export interface ClientWithSecret {
  readonly client: ClientDocument;
  readonly clientSecret: string;
}

/** A new client; a public one has no secret. */
export interface NewClient {
  readonly client: ClientDocument;
  readonly clientSecret?: string;
}

/** The clients of an installation; every method is limited to one institution. */
export interface Clients {
  /** The clients that are not deleted, for lists. */
  documents(institution: string): Documents<ClientDocument>;
  /** @throws {Fault} not_found, like all methods below */
  get(institution: string, clientId: string): Promise<ClientDocument>;
  create(
    institution: string,
    client: rules.Registration,
    idempotencyRecord?: IdempotencyRecord<ClientDocument>,
  ): Promise<NewClient>;
  amend(
    institution: string,
    clientId: string,
    change: rules.Amendment,
    request?: ChangeRequest<ClientDocument>,
  ): Promise<ClientDocument>;
  remove(institution: string, clientId: string, request?: ChangeRequest<ClientDocument>): Promise<ClientDocument>;
  /** @throws {Fault} client_too_many_secrets, or conflict for a public client */
  addSecret(institution: string, clientId: string, request?: ChangeRequest<ClientDocument>): Promise<ClientWithSecret>;
  /** @throws {Fault} client_last_secret */
  removeSecret(
    institution: string,
    clientId: string,
    secretId: string,
    request?: ChangeRequest<ClientDocument>,
  ): Promise<ClientDocument>;
}

export interface ClientsOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Called with the id of every changed client. */
  readonly changed?: (clientId: string) => void;
}

const absent = (): Fault => new Fault('not_found', 'There is no client with this id.');

const refusals: Record<rules.Refusal, () => Fault> = {
  unknown_secret: () => new Fault('not_found', 'The client has no secret with this id.'),
  client_last_secret: () =>
    new Fault('client_last_secret', 'This is the last secret of the client; make another one first.'),
  client_too_many_secrets: () =>
    new Fault('client_too_many_secrets', `The client has ${rules.MAX_SECRETS} secrets; delete one first.`),
  public_client: () => new Fault('conflict', 'A public client has no secrets.'),
};

/** Makes the clients on a store. */
export const createClients = (
  store: Store,
  { now = Date.now, changed = () => undefined }: ClientsOptions = {},
): Clients => {
  const clients = store.collection(clientsCollection);

  const change = async (
    institution: string,
    clientId: string,
    { allow, idempotencyRecord }: ChangeRequest<ClientDocument>,
    step: (current: ClientDocument, at: Date) => ClientDocument | rules.Refusal,
  ): Promise<ClientDocument> => {
    const updated = await clients.of(institution).update(
      clientId,
      (current) => {
        if (current.deletedAt !== null) throw absent();
        allow?.(current);
        const next = step(current, new Date(now()));
        if (typeof next === 'string') throw refusals[next]();
        return { next, events: [clientChanged({ clientId, deleted: next.deletedAt !== null })] };
      },
      { idempotencyRecord },
    );
    changed(clientId);
    if (!updated) throw absent();
    return updated;
  };

  return {
    documents: (institution) => clients.of(institution),
    get: async (institution, clientId) => {
      const client = await clients.of(institution).get(clientId);
      if (!client || client.deletedAt !== null) throw absent();
      return client;
    },
    create: async (institution, registration, idempotencyRecord) => {
      const clientSecret = registration.type === 'public' ? undefined : makeSecret();
      const at = new Date(now());
      const secret =
        clientSecret === undefined ? undefined : rules.newSecret(makeSecretId(), hashSecret(clientSecret), at);
      const registered = { id: makeClientId(), ...rules.newClient(registration, secret, at) };
      const client = await clients.of(institution).insert(registered, { idempotencyRecord });
      return clientSecret === undefined ? { client } : { client, clientSecret };
    },
    amend: (institution, clientId, to, request = {}) =>
      change(institution, clientId, request, (current, at) => rules.amend(current, to, at)),
    remove: (institution, clientId, request = {}) => change(institution, clientId, request, rules.deleted),
    addSecret: async (institution, clientId, request = {}) => {
      const clientSecret = makeSecret();
      const [id, hash] = [makeSecretId(), hashSecret(clientSecret)];
      const client = await change(institution, clientId, request, (current, at) =>
        rules.addSecret(current, rules.newSecret(id, hash, at), at),
      );
      return { client, clientSecret };
    },
    removeSecret: (institution, clientId, secretId, request = {}) =>
      change(institution, clientId, request, (current, at) => rules.removeSecret(current, secretId, at)),
  };
};
