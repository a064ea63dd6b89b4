import { Fault } from '@boxoffice/envelope';
import type { IdempotencyRecord, Store } from '@boxoffice/store';
import * as rules from '../domain/client.ts';
import { clientChanged } from '../events.ts';
import { type ChangeRequest, type ClientDocument, clientsCollection } from '../store.ts';
import { hashSecret, makeClientId, makeSecret, makeSecretId } from './secrets.ts';

const absent = (): Fault => new Fault('not_found', 'There is no client with this id.');

const refusals: Record<rules.Refusal, () => Fault> = {
  unknown_secret: () => new Fault('not_found', 'The client has no secret with this id.'),
  client_last_secret: () =>
    new Fault('client_last_secret', 'This is the last secret of the client; make another one first.'),
  client_too_many_secrets: () =>
    new Fault('client_too_many_secrets', `The client has ${rules.MAX_SECRETS} secrets; delete one first.`),
  public_client: () => new Fault('conflict', 'A public client has no secrets.'),
};

type Request = ChangeRequest<ClientDocument>;

/** The clients of an installation; every method is limited to one institution. */
export type Clients = ReturnType<typeof createClients>;

/** Makes the clients on a store. `now` in epoch milliseconds; `changed` is called with the id of every changed client. */
export const createClients = (store: Store, now = Date.now, changed: (clientId: string) => void = () => undefined) => {
  const clients = store.collection(clientsCollection);

  const change = async (
    institution: string,
    clientId: string,
    { allow, idempotencyRecord }: Request,
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
    documents: (institution: string) => clients.of(institution),
    /** @throws {Fault} not_found, like all methods below */
    get: async (institution: string, clientId: string) => {
      const client = await clients.of(institution).get(clientId);
      if (!client || client.deletedAt !== null) throw absent();
      return client;
    },
    /** Registers a client; the plaintext of its secret is returned only here, and undefined for a public one. */
    create: async (
      institution: string,
      registration: rules.Registration,
      idempotencyRecord?: IdempotencyRecord<ClientDocument>,
    ) => {
      const clientSecret = registration.type === 'public' ? undefined : makeSecret();
      const at = new Date(now());
      const secret =
        clientSecret === undefined ? undefined : rules.newSecret(makeSecretId(), hashSecret(clientSecret), at);
      const registered = { id: makeClientId(), ...rules.newClient(registration, secret, at) };
      return { client: await clients.of(institution).insert(registered, { idempotencyRecord }), clientSecret };
    },
    amend: (institution: string, clientId: string, to: rules.Amendment, request: Request = {}) =>
      change(institution, clientId, request, (current, at) => rules.amend(current, to, at)),
    remove: (institution: string, clientId: string, request: Request = {}) =>
      change(institution, clientId, request, rules.deleted),
    /** The plaintext is returned only here. @throws {Fault} client_too_many_secrets, or conflict for a public client */
    addSecret: async (institution: string, clientId: string, request: Request = {}) => {
      const clientSecret = makeSecret();
      const [id, hash] = [makeSecretId(), hashSecret(clientSecret)];
      const client = await change(institution, clientId, request, (current, at) =>
        rules.addSecret(current, rules.newSecret(id, hash, at), at),
      );
      return { client, clientSecret };
    },
    /** @throws {Fault} client_last_secret */
    removeSecret: (institution: string, clientId: string, secretId: string, request: Request = {}) =>
      change(institution, clientId, request, (current, at) => rules.removeSecret(current, secretId, at)),
  };
};
