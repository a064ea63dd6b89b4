import { randomBytes } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { isUsable, monthOf } from '../domain/api-key.ts';
import { type ApiKeyDocument, apiKeysCollection, apiKeyUsesCollection } from '../store.ts';

/** A new API key: 256 random bits, so that a plain hash is safe to store. */
export const makeApiKey = (): string => `bok_${randomBytes(32).toString('base64url')}`;

/** The public id of a new API key. */
export const makeApiKeyId = (): string => `key_${randomBytes(12).toString('base64url')}`;

/** The form of a key's hash, as the gateway sends it. */
export const API_KEY_HASH = /^[A-Za-z0-9_-]{43}$/;

/** A usable API key as gateways need it. */
export interface VerifiedApiKey {
  readonly apiKeyId: string;
  readonly institution: string;
  readonly origins: string[];
  readonly ratePerMinute: number;
  readonly monthlyQuota: number | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
  /** The calendar month of `used`, UTC: `2027-03`. */
  readonly month: string;
  /** Requests of that month that count against the quota, from the reports of all gateways. */
  readonly used: number;
  /** The last report of the calling gateway that `used` includes; 0 for none. */
  readonly reportedUpTo: number;
}

/** Finds API keys for gateways, in all institutions. */
export interface ApiKeyLookup {
  /** The key with this hash if it can be used now. Reads the store at each call. */
  find(hash: string): Promise<ApiKeyDocument | undefined>;
  /** The same with its use, for this gateway. */
  verify(hash: string, gateway: string): Promise<VerifiedApiKey | undefined>;
}

/** Makes the lookup. `now` in epoch milliseconds. */
export const createApiKeyLookup = (store: Store, now: () => number): ApiKeyLookup => {
  const apiKeys = store.collection(apiKeysCollection).acrossInstitutions;
  const uses = store.collection(apiKeyUsesCollection).acrossInstitutions;

  const find = async (hash: string): Promise<ApiKeyDocument | undefined> => {
    if (!API_KEY_HASH.test(hash)) return undefined;
    const [apiKey] = await apiKeys.find({ where: { hash }, limit: 1 });
    return apiKey && isUsable(apiKey, now()) ? apiKey : undefined;
  };

  return {
    find,
    verify: async (hash, gateway) => {
      const apiKey = await find(hash);
      if (!apiKey) return undefined;
      const use = await uses.get(apiKey.id);
      const month = monthOf(now());
      const { id, institution, origins, ratePerMinute, monthlyQuota, expiresAt } = apiKey;
      return {
        apiKeyId: id,
        institution,
        origins: [...origins],
        ratePerMinute,
        monthlyQuota,
        expiresAt,
        month,
        used: use?.month === month ? use.used : 0,
        reportedUpTo: use?.gateways.find((mark) => mark.id === gateway)?.upTo ?? 0,
      };
    },
  };
};
