import { Fault } from '@boxoffice/envelope';
import type { IdempotencyRecord, Query, Store } from '@boxoffice/store';
import { hashSecret } from '../clients/authentication.ts';
import * as rules from '../domain/api-key.ts';
import {
  type ApiKeyDocument,
  type ApiKeyUseDocument,
  apiKeysCollection,
  apiKeyUsesCollection,
  type ChangeRequest,
} from '../store.ts';
import { makeApiKey, makeApiKeyId } from './lookup.ts';

/** An API key with what it was used for. */
export interface UsedApiKey {
  readonly apiKey: ApiKeyDocument;
  /** Undefined before its first use. */
  readonly use: ApiKeyUseDocument | undefined;
}

const past = (): Fault =>
  new Fault(
    'semantically_invalid',
    '$.expiresAt has passed; DELETE /svc/v3/api-keys/{apiKeyId} (deleteApiKey) ends a key at once.',
  );

const absent = (): Fault => new Fault('not_found', 'There is no API key with this id.');

type Request = ChangeRequest<ApiKeyDocument>;

/** The API keys of an installation; every method is limited to one institution. */
export type ApiKeys = ReturnType<typeof createApiKeys>;

/** Makes the API keys on a store. `now` in epoch milliseconds. */
export const createApiKeys = (store: Store, now = Date.now) => {
  const apiKeys = store.collection(apiKeysCollection);
  const uses = store.collection(apiKeyUsesCollection);

  const change = async (
    institution: string,
    apiKeyId: string,
    { allow, idempotencyRecord }: Request,
    step: (current: ApiKeyDocument) => ApiKeyDocument,
  ): Promise<ApiKeyDocument> => {
    const updated = await apiKeys.of(institution).update(
      apiKeyId,
      (current) => {
        if (current.deletedAt !== null) throw absent();
        allow?.(current);
        return { next: step(current) };
      },
      { idempotencyRecord },
    );
    if (!updated) throw absent();
    return updated;
  };

  return {
    /** The keys with their uses, for lists. */
    used: (institution: string) => ({
      find: async (query: Query) => {
        const found = await apiKeys.of(institution).find(query);
        const ids = found.map(({ id }) => id);
        const known = ids.length === 0 ? [] : await uses.of(institution).find({ where: { id: { in: ids } } });
        const byId = new Map(known.map((use) => [use.id, use]));
        return found.map((apiKey) => {
          const { id, createdAt } = apiKey;
          return { id, createdAt, apiKey, use: byId.get(id) };
        });
      },
    }),
    /** @throws {Fault} not_found, like amend and remove */
    get: async (institution: string, apiKeyId: string): Promise<UsedApiKey> => {
      const [apiKey, use] = await Promise.all([
        apiKeys.of(institution).get(apiKeyId),
        uses.of(institution).get(apiKeyId),
      ]);
      if (!apiKey || apiKey.deletedAt !== null) throw absent();
      return { apiKey, use };
    },
    /** The plaintext key is returned only here. @throws {Fault} semantically_invalid for an expiry that has passed */
    create: async (
      institution: string,
      details: rules.ApiKeyDetails,
      idempotencyRecord?: IdempotencyRecord<ApiKeyDocument>,
    ) => {
      if (rules.setsPastExpiry(details, now())) throw past();
      const key = makeApiKey();
      const registered = {
        id: makeApiKeyId(),
        ...rules.newApiKey(details, key, hashSecret(key), new Date(now())),
      };
      return { apiKey: await apiKeys.of(institution).insert(registered, { idempotencyRecord }), key };
    },
    /** @throws {Fault} semantically_invalid for an expiry that has passed, unless the key has it already */
    amend: (institution: string, apiKeyId: string, to: Partial<rules.ApiKeyDetails>, request: Request = {}) =>
      change(institution, apiKeyId, request, (current) => {
        if (rules.setsPastExpiry(to, now(), current.expiresAt)) throw past();
        return rules.amendApiKey(current, to, new Date(now()));
      }),
    remove: (institution: string, apiKeyId: string, request: Request = {}) =>
      change(institution, apiKeyId, request, (current) => rules.deletedApiKey(current, new Date(now()))),
  };
};
