import { hash } from 'node:crypto';
import { createNewest } from '../limits/newest.ts';
import type { ApiKeyFacts, AuthorizerClient } from './authorizer-client.ts';

export interface KnownApiKey extends ApiKeyFacts {
  /** SHA-256 of the key, base64url. */
  readonly keyHash: string;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

interface ApiKeysOptions {
  readonly authorizerClient: Pick<AuthorizerClient, 'verifyApiKey'>;
  readonly gateway: string;
  readonly lookedUp?: (found: boolean) => void;
}

interface Known {
  readonly apiKey: KnownApiKey | undefined;
  readonly at: number;
}

const KEYS = 20_000;

/** Milliseconds; an older key is read again in the background. */
const FRESH_MS = 2_000;

/** Milliseconds: with the time of a request, below the five seconds within which a change must take effect. */
const LONGEST_MS = 4_000;

const API_KEY = /^bok_[A-Za-z0-9_-]{43}$/;

/** Concurrent look-ups of one key share one call. */
export function createApiKeys({ authorizerClient, gateway, lookedUp }: ApiKeysOptions) {
  const known = createNewest<Known>(KEYS);
  const pending = new Map<string, Promise<KnownApiKey | undefined>>();

  const verify = async (key: string): Promise<KnownApiKey | undefined> => {
    const at = Date.now();
    const keyHash = hash('sha256', key, 'base64url');
    const facts = await authorizerClient.verifyApiKey(keyHash, gateway);
    const apiKey = facts && { ...facts, keyHash };
    known.set(key, { apiKey, at });
    return apiKey;
  };

  const refresh = (key: string): Promise<KnownApiKey | undefined> => {
    const running = pending.get(key) ?? verify(key).finally(() => pending.delete(key));
    pending.set(key, running);
    return running;
  };

  const usable = (apiKey: KnownApiKey | undefined, now: number): KnownApiKey | undefined =>
    apiKey && (apiKey.expiresAt === null || Date.parse(apiKey.expiresAt) > now) ? apiKey : undefined;

  return {
    /** The key as of at most four seconds ago; undefined if it cannot be used. Rejects with service_unavailable. */
    find(key: string, now: number): KnownApiKey | undefined | Promise<KnownApiKey | undefined> {
      if (!API_KEY.test(key)) return undefined;
      const found = known.get(key);
      const age = found ? now - found.at : Number.POSITIVE_INFINITY;
      lookedUp?.(age < LONGEST_MS);
      if (!found || age >= LONGEST_MS) return refresh(key).then((apiKey) => usable(apiKey, now));
      // The request that has to wait for the next reading reports it.
      if (age >= FRESH_MS) refresh(key).catch(() => undefined);
      return usable(found.apiKey, now);
    },
  };
}
