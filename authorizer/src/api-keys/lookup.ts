import { randomBytes } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { isUsable, monthOf } from '../domain/api-key.ts';
import { type ApiKeyDocument, apiKeysCollection, apiKeyUsesCollection } from '../store.ts';

/** A new API key: 256 random bits, so that a plain hash is safe to store. */
export const makeApiKey = (): string => `bok_${randomBytes(32).toString('base64url')}`;

/** The public id of a new API key. */
export const makeApiKeyId = (): string => `key_${randomBytes(12).toString('base64url')}`;

/** The form of a key's hash, as the gateway sends it. */
const API_KEY_HASH = /^[A-Za-z0-9_-]{43}$/;

/** Finds API keys for gateways, in all institutions. */
export type ApiKeyLookup = ReturnType<typeof createApiKeyLookup>;

/** Makes the lookup. `now` in epoch milliseconds. */
export const createApiKeyLookup = (store: Store, now: () => number) => {
  const apiKeys = store.collection(apiKeysCollection).acrossInstitutions;
  const uses = store.collection(apiKeyUsesCollection).acrossInstitutions;

  /** The key with this hash if it can be used now. Reads the store at each call. */
  const find = async (hash: string): Promise<ApiKeyDocument | undefined> => {
    if (!API_KEY_HASH.test(hash)) return undefined;
    const [apiKey] = await apiKeys.find({ where: { hash }, limit: 1 });
    return apiKey && isUsable(apiKey, now()) ? apiKey : undefined;
  };

  return {
    find,
    /**
     * The same as that gateway needs it: `used` counts the requests of `month` (calendar, UTC) that all gateways have
     * reported, `reportedUpTo` is this gateway's last report in it, 0 for none.
     */
    verify: async (hash: string, gateway: string) => {
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
