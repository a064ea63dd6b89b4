import type { Store } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import { isUseDue, recordUse } from '../domain/client.ts';
import { type ClientDocument, clientsOf } from '../store.ts';

/** A client may be remembered so long, which is well below the five seconds in which a change must take effect. */
const CACHED_MS = 1_000;
const CACHED_CLIENTS = 10_000;

/** What no client id looks like is looked up all the same, as this, so that it takes no less time. */
const NO_CLIENT = 'cli_none';
const CLIENT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Where clients are looked up for authentication. */
export interface ClientDirectory {
  /** A client as it was at most a second ago; undefined if none is remembered. */
  cached(clientId: string): ClientDocument | undefined;
  /** The client as it is; undefined if there is none, or it was deleted. */
  current(clientId: string): Promise<ClientDocument | undefined>;
}

export interface ClientUses {
  /** Forgets what is remembered of a client that this instance has just changed. */
  forget(clientId: string): void;
  /** Notes that a secret was used, coarsely and after the answer; a failure costs nothing but the note. */
  recordUse(client: ClientDocument, secretId: string): void;
  /** Resolves when the notes in hand are written. */
  settle(): Promise<void>;
}

/** The clients as the token endpoint looks them up: from memory for a second, else from the store. */
export const createClientDirectory = (store: Store, now: () => number = Date.now): ClientDirectory & ClientUses => {
  const clients = clientsOf(store).acrossInstitutions;
  const cache = new LRUCache<string, { readonly client: ClientDocument; readonly at: number }>({
    max: CACHED_CLIENTS,
  });
  const pendingWrites = new Map<string, Promise<unknown>>();

  return {
    cached: (clientId) => {
      const entry = cache.get(clientId);
      return entry && now() - entry.at < CACHED_MS ? entry.client : undefined;
    },
    current: async (clientId) => {
      const at = now();
      const client = await clients.get(CLIENT_ID.test(clientId) ? clientId : NO_CLIENT);
      if (!client || client.deletedAt !== null) return undefined;
      cache.set(clientId, { client, at });
      return client;
    },
    forget: (clientId) => {
      cache.delete(clientId);
    },
    recordUse: (client, secretId) => {
      const secret = client.secrets.find(({ id }) => id === secretId);
      if (!secret || !isUseDue(secret, now()) || pendingWrites.has(secretId)) return;
      const at = new Date(now());
      const written = clients
        .update(client.id, (current) => {
          const next = recordUse(current, secretId, at);
          return next && { next };
        })
        .catch(() => undefined)
        .finally(() => {
          cache.delete(client.id);
          pendingWrites.delete(secretId);
        });
      pendingWrites.set(secretId, written);
    },
    settle: async () => {
      await Promise.all(pendingWrites.values());
    },
  };
};
