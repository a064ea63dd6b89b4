import type { Store } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import { secretUsed, useIsNews } from '../domain/client.ts';
import { type ClientDocument, clientsOf } from '../store.ts';

/** A client may be remembered so long, which is well below the five seconds in which a change must take effect. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_CLIENTS = 10_000;

/** What no client id looks like is looked up all the same, as this, so that it takes no less time. */
const NO_CLIENT = 'cli_none';
const CLIENT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Where clients are looked up for authentication. */
export interface ClientDirectory {
  /** A client as it was at most a second ago; undefined if none is remembered. */
  remembered(clientId: string): ClientDocument | undefined;
  /** The client as it is; undefined if there is none, or it was deleted. */
  current(clientId: string): Promise<ClientDocument | undefined>;
}

export interface ClientUses {
  /** Forgets what is remembered of a client that this instance has just changed. */
  forget(clientId: string): void;
  /** Notes that a secret was used, coarsely and after the answer; a failure costs nothing but the note. */
  used(client: ClientDocument, secretId: string): void;
  /** Resolves when the notes in hand are written. */
  settle(): Promise<void>;
}

/** The clients as the token endpoint looks them up: from memory for a second, else from the store. */
export const createClientDirectory = (store: Store, now: () => number = Date.now): ClientDirectory & ClientUses => {
  const clients = clientsOf(store).acrossInstitutions;
  const memory = new LRUCache<string, { readonly client: ClientDocument; readonly at: number }>({
    max: REMEMBERED_CLIENTS,
  });
  const noting = new Map<string, Promise<unknown>>();

  return {
    remembered: (clientId) => {
      const entry = memory.get(clientId);
      return entry && now() - entry.at < REMEMBERED_MS ? entry.client : undefined;
    },
    current: async (clientId) => {
      const at = now();
      const client = await clients.get(CLIENT_ID.test(clientId) ? clientId : NO_CLIENT);
      if (!client || client.deletedAt !== null) return undefined;
      memory.set(clientId, { client, at });
      return client;
    },
    forget: (clientId) => {
      memory.delete(clientId);
    },
    used: (client, secretId) => {
      const secret = client.secrets.find(({ id }) => id === secretId);
      if (!secret || !useIsNews(secret, now()) || noting.has(secretId)) return;
      const at = new Date(now());
      const noted = clients
        .update(client.id, (current) => {
          const next = secretUsed(current, secretId, at);
          return next && { next };
        })
        .catch(() => undefined)
        .finally(() => {
          memory.delete(client.id);
          noting.delete(secretId);
        });
      noting.set(secretId, noted);
    },
    settle: async () => {
      await Promise.all(noting.values());
    },
  };
};
