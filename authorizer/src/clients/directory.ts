import type { Store } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import { isUseDue, recordUse } from '../domain/client.ts';
import { type ClientDocument, clientsCollection } from '../store.ts';
import { CLIENT_ID } from './secrets.ts';

/** How long a client is cached: well below the five seconds within which a change must take effect. Milliseconds. */
const CACHED_MS = 1_000;
const CACHED_CLIENTS = 10_000;

/** Looked up in place of a malformed client id, so that this takes the same time. */
const NO_CLIENT = 'cli_none';

/** Looks up clients for authentication. */
export type ClientDirectory = ReturnType<typeof createClientDirectory>;

/** Makes the directory: a one-second cache in front of the store. */
export const createClientDirectory = (store: Store, now = Date.now) => {
  const clients = store.collection(clientsCollection).acrossInstitutions;
  const cache = new LRUCache<string, { readonly client: ClientDocument; readonly at: number }>({
    max: CACHED_CLIENTS,
  });
  const pendingWrites = new Map<string, Promise<unknown>>();

  return {
    /** The client as of at most a second ago; undefined if it is not cached. */
    cached: (clientId: string): ClientDocument | undefined => {
      const entry = cache.get(clientId);
      return entry && now() - entry.at < CACHED_MS ? entry.client : undefined;
    },
    /** The current client; undefined if it does not exist or was deleted. */
    current: async (clientId: string): Promise<ClientDocument | undefined> => {
      const at = now();
      const client = await clients.get(CLIENT_ID.test(clientId) ? clientId : NO_CLIENT);
      if (!client || client.deletedAt !== null) return undefined;
      cache.set(clientId, { client, at });
      return client;
    },
    /** Removes a client that this instance has changed from the cache. */
    forget: (clientId: string): void => {
      cache.delete(clientId);
    },
    /** Records the use of a secret, coarsely and after the response; best effort. */
    recordUse: (client: ClientDocument, secretId: string): void => {
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
    /** Resolves when the pending writes are done. */
    settle: async (): Promise<void> => {
      await Promise.all(pendingWrites.values());
    },
  };
};
