import { Fault } from '@boxoffice/envelope';
import { createCheck } from '@boxoffice/http';
import type { IdempotencyRecord, Query, Store } from '@boxoffice/store';
import type { Static } from 'typebox';
import * as rules from '../domain/api-key.ts';
import { formatMonth, isUsable } from '../domain/api-key.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import {
  type ApiKeyDocument,
  apiKeysCollection,
  apiKeyUsesCollection,
  type ChangeRequest,
  changeDocument,
} from '../store.ts';
import { NewApiKey, toApiKeyDetails, toApiKeyView, type UsedApiKey } from './view.ts';

const API_KEY_HASH = /^[A-Za-z0-9_-]{43}$/;

export type ApiKeyLookup = ReturnType<typeof createApiKeyLookup>;

export function createApiKeyLookup(store: Store, now: () => number) {
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
    /** `used`: requests of `month` (calendar, UTC) at all gateways; `reportedUpTo`: its last one, 0 for none. */
    verify: async (hash: string, gateway: string) => {
      const apiKey = await find(hash);
      if (!apiKey) return undefined;
      const use = await uses.get(apiKey.id);
      const month = formatMonth(now());
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
}

type Request = ChangeRequest<ApiKeyDocument>;

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys(store: Store, now = Date.now) {
  const apiKeys = store.collection(apiKeysCollection);
  const uses = store.collection(apiKeyUsesCollection);

  const change = (
    institution: string,
    apiKeyId: string,
    request: Request,
    step: (current: ApiKeyDocument) => ApiKeyDocument,
  ): Promise<ApiKeyDocument> => changeDocument(apiKeys.of(institution), apiKeyId, request, createNotFoundFault, step);

  return {
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
      if (!apiKey || apiKey.deletedAt !== null) throw createNotFoundFault();
      return { apiKey, use };
    },
    /** The plaintext key is returned only here. @throws {Fault} semantically_invalid for an expiry that has passed */
    create: async (
      institution: string,
      details: rules.ApiKeyDetails,
      idempotencyRecord?: IdempotencyRecord<ApiKeyDocument>,
    ) => {
      if (rules.hasPastExpiry(details, now())) throw createPastExpiryFault();
      const key = makeSecret('bok_');
      const registered = {
        id: makeSecret('key_', 12),
        ...rules.buildApiKey(details, key, hashSecret(key), new Date(now())),
      };
      return { apiKey: await apiKeys.of(institution).insert(registered, { idempotencyRecord }), key };
    },
    /** @throws {Fault} semantically_invalid for an expiry that has passed, unless the key has it already */
    amend: (institution: string, apiKeyId: string, to: Partial<rules.ApiKeyDetails>, request: Request = {}) =>
      change(institution, apiKeyId, request, (current) => {
        if (rules.hasPastExpiry(to, now(), current.expiresAt)) throw createPastExpiryFault();
        return rules.amendApiKey(current, to, new Date(now()));
      }),
    remove: (institution: string, apiKeyId: string, request: Request = {}) =>
      change(institution, apiKeyId, request, (current) => rules.markApiKeyDeleted(current, new Date(now()))),
  };
}

const createNotFoundFault = (): Fault => new Fault('not_found', 'There is no API key with this id.');

const createPastExpiryFault = (): Fault =>
  new Fault(
    'semantically_invalid',
    '$.expiresAt has passed; DELETE /svc/v3/api-keys/{apiKeyId} (deleteApiKey) ends a key at once.',
  );

const check = createCheck(NewApiKey);

/** For an operator; the plaintext key is returned only here. @throws {Fault} validation_error */
export async function createApiKey(store: Store, institution: string, body: Static<typeof NewApiKey>) {
  check(body);
  const { apiKey, key } = await createApiKeys(store).create(institution, toApiKeyDetails(body));
  return { ...toApiKeyView({ apiKey, use: undefined }), key };
}

export async function listApiKeys(store: Store, institution: string) {
  const found = await createApiKeys(store)
    .used(institution)
    .find({ where: { deletedAt: null }, orderBy: 'createdAt' });
  return found.map(toApiKeyView);
}

/** Deletes an API key. @throws {Fault} not_found */
export async function deleteApiKey(store: Store, institution: string, apiKeyId: string): Promise<void> {
  await createApiKeys(store).remove(institution, apiKeyId);
}
