import {
  createLineSchema,
  createNullableSchema,
  createView,
  listReadOnlyMembers,
  named,
  timestamp,
  webOrigin,
} from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { type ApiKeyDetails, DEFAULT_RATE_PER_MINUTE, formatMonth } from '../domain/api-key.ts';
import type { ApiKeyDocument, ApiKeyUseDocument } from '../store.ts';

export interface UsedApiKey {
  readonly apiKey: ApiKeyDocument;
  /** Undefined before its first use. */
  readonly use: ApiKeyUseDocument | undefined;
}

const Id = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });

const members = {
  name: createLineSchema({ maxLength: 100 }),
  origins: Type.Array(webOrigin, {
    maxItems: 50,
    description: 'web origins that may use the key, like `https://www.opera.example`; empty: any, and none',
  }),
  ratePerMinute: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'requests in any 60 seconds' }),
  monthlyQuota: createNullableSchema(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'requests per calendar month, UTC' }),
  ),
  expiresAt: createNullableSchema(timestamp),
};

export const NewApiKey = named(
  'ApiKeyInput',
  Type.Object({
    name: members.name,
    origins: Type.Optional(members.origins),
    ratePerMinute: Type.Optional({ ...members.ratePerMinute, default: DEFAULT_RATE_PER_MINUTE }),
    monthlyQuota: Type.Optional(members.monthlyQuota),
    expiresAt: Type.Optional(members.expiresAt),
  }),
);

export const ApiKey = named(
  'ApiKey',
  Type.Object({
    apiKeyId: Id,
    name: Type.String(),
    hint: Type.String({ description: 'the last four characters of the key' }),
    origins: members.origins,
    ratePerMinute: members.ratePerMinute,
    monthlyQuota: members.monthlyQuota,
    usedThisMonth: Type.Integer({
      minimum: 0,
      description: 'requests of this calendar month, UTC, but those refused with 429; at most 15 seconds old',
    }),
    lastUsedAt: createNullableSchema(
      Type.String({ format: 'date-time', description: 'at most 15 seconds old; null if never used' }),
    ),
    expiresAt: members.expiresAt,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

export const ApiKeyWithKey = named(
  'ApiKeyWithKey',
  Type.Object({
    ...ApiKey.properties,
    key: createNullableSchema(Type.String({ description: 'shown this once; null when the answer is a replay' })),
  }),
);

export const READ_ONLY = listReadOnlyMembers(ApiKey, NewApiKey);

const show = createView(ApiKey);

export function toApiKeyView({ apiKey, use }: UsedApiKey) {
  return show({
    ...apiKey,
    apiKeyId: apiKey.id,
    usedThisMonth: use?.month === formatMonth(Date.now()) ? use.used : 0,
    lastUsedAt: use?.lastUsedAt ?? null,
  });
}

/** Members of a body; null removes one. */
type Given = { readonly [Name in keyof Static<typeof NewApiKey>]?: Static<typeof NewApiKey>[Name] | null };

/** A body in the form of the domain; absent members stay absent. */
export function toApiKeyChange({
  name,
  origins,
  ratePerMinute,
  monthlyQuota,
  expiresAt,
}: Given): Partial<ApiKeyDetails> {
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(origins === undefined ? {} : { origins: [...new Set(origins ?? [])] }),
    ...(ratePerMinute === undefined ? {} : { ratePerMinute: ratePerMinute ?? DEFAULT_RATE_PER_MINUTE }),
    ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

export function toApiKeyDetails(body: Static<typeof NewApiKey>): ApiKeyDetails {
  return {
    name: body.name,
    origins: [],
    ratePerMinute: DEFAULT_RATE_PER_MINUTE,
    monthlyQuota: null,
    expiresAt: null,
    ...toApiKeyChange(body),
  };
}

export const example: Static<typeof ApiKey> = {
  apiKeyId: 'key_q8Y2mXH0T3mV1n5b',
  name: 'City calendar',
  hint: 'x7Q2',
  origins: ['https://calendar.city.example'],
  ratePerMinute: 600,
  monthlyQuota: 1_000_000,
  usedThisMonth: 1_204,
  lastUsedAt: '2027-03-14T19:02:41.318Z',
  expiresAt: null,
  createdAt: '2027-03-01T09:30:00.000Z',
  updatedAt: '2027-03-01T09:30:00.000Z',
};
