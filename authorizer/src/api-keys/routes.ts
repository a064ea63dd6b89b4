import {
  type AnyOperation,
  created,
  createPageSchema,
  createPatchSchema,
  named,
  ok,
  operation,
  pageQuery,
  pathId,
  readPage,
} from '@boxoffice/http';
import type { ApiKeyDocument } from '../store.ts';
import type { ApiKeys } from './api-keys.ts';
import {
  ApiKey,
  ApiKeyWithKey,
  example,
  NewApiKey,
  READ_ONLY,
  toApiKeyChange,
  toApiKeyDetails,
  toApiKeyView,
  type UsedApiKey,
} from './view.ts';

const API_KEYS = '/svc/v3/api-keys';
const API_KEY = `${API_KEYS}/{apiKeyId}`;

const newExample = {
  name: example.name,
  origins: example.origins,
  ratePerMinute: example.ratePerMinute,
  monthlyQuota: example.monthlyQuota,
};

export function createApiKeyRoutes(apiKeys: ApiKeys): AnyOperation[] {
  return [
    operation({
      id: 'listApiKeys',
      method: 'get',
      path: API_KEYS,
      access: 'clients:read',
      summary: 'Lists the API keys of the institution',
      description: 'With `hint` and use, without the keys themselves.',
      query: pageQuery,
      answers: { 200: createPageSchema(ApiKey) },
      example: { answer: { items: [example], nextCursor: null } },
      handle: (request) =>
        readPage(request, apiKeys.used(request.caller.institution), {
          where: { deletedAt: null },
          item: toApiKeyView,
        }),
    }),
    operation({
      id: 'createApiKey',
      method: 'post',
      path: API_KEYS,
      access: 'clients:write',
      summary: 'Makes an API key for public data and answers it this once',
      description:
        'The key goes into `X-API-Key`. With it and no token, operations that list it as an alternative answer public data of the ' +
        'institution. It is no secret that protects data: it may stand in a web page.',
      body: NewApiKey,
      answers: { 201: ApiKeyWithKey },
      errors: ['semantically_invalid'],
      etag: true,
      example: {
        body: newExample,
        answer: {
          ...example,
          usedThisMonth: 0,
          lastUsedAt: null,
          key: 'bok_R2xvYmFsbHkgdW5pcXVlLCBub3QgYSByZWFsIGtleSEx7Q2',
        },
      },
      handle: async ({ caller, body, remember }) => {
        const answer = (apiKey: ApiKeyDocument, key: string | null) =>
          created({ ...toApiKeyView({ apiKey, use: undefined }), key }, location(apiKey), {
            etag: etag(apiKey),
          });
        const record = remember((apiKey: ApiKeyDocument) => answer(apiKey, null));
        const { apiKey, key } = await apiKeys.create(caller.institution, toApiKeyDetails(body), record);
        return answer(apiKey, key);
      },
    }),
    operation({
      id: 'getApiKey',
      method: 'get',
      path: API_KEY,
      access: 'clients:read',
      summary: 'Gives an API key, without the key itself',
      description: '`usedThisMonth` and `lastUsedAt` are at most 15 seconds old.',
      params: { apiKeyId: pathId },
      answers: { 200: ApiKey },
      example: { params: { apiKeyId: example.apiKeyId }, answer: example },
      // With its uses it changes without a new ETag, so a conditional GET would hide them.
      handle: async ({ caller, params }) => {
        const used = await apiKeys.get(caller.institution, params.apiKeyId);
        return ok(toApiKeyView(used), { headers: { ETag: `"${etag(used.apiKey)}"` } });
      },
      answerHeaders: ['ETag'],
    }),
    operation({
      id: 'updateApiKey',
      method: 'patch',
      path: API_KEY,
      access: 'clients:write',
      summary: 'Changes an API key; every gateway knows within five seconds',
      description: 'A merge patch (RFC 7396); the key itself stays.',
      params: { apiKeyId: pathId },
      body: named('ApiKeyChanges', createPatchSchema(NewApiKey)),
      readOnly: READ_ONLY,
      answers: { 200: ApiKey },
      errors: ['semantically_invalid'],
      conditional: true,
      etag: true,
      example: { params: { apiKeyId: example.apiKeyId }, body: { ratePerMinute: 600 }, answer: example },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        const { institution } = caller;
        const { use } = await apiKeys.get(institution, params.apiKeyId);
        const allow = (apiKey: ApiKeyDocument): void => {
          ifMatch(etag(apiKey));
          requireUnchanged(toApiKeyView({ apiKey, use }));
        };
        const record = remember((apiKey: ApiKeyDocument) => answerApiKey({ apiKey, use }));
        const request = { allow, idempotencyRecord: record };
        return answerApiKey({
          apiKey: await apiKeys.amend(institution, params.apiKeyId, toApiKeyChange(body), request),
          use,
        });
      },
    }),
    operation({
      id: 'deleteApiKey',
      method: 'delete',
      path: API_KEY,
      access: 'clients:write',
      summary: 'Deletes an API key; it is refused within five seconds',
      description: 'It cannot be undone; `expiresAt` ends a key, too.',
      params: { apiKeyId: pathId },
      answers: { 200: ApiKey },
      conditional: true,
      example: { params: { apiKeyId: example.apiKeyId }, answer: { ...example, origins: [] } },
      handle: async ({ caller, params, ifMatch }) => {
        const { institution } = caller;
        const { use } = await apiKeys.get(institution, params.apiKeyId);
        const allow = (apiKey: ApiKeyDocument): void => ifMatch(etag(apiKey));
        return ok(toApiKeyView({ apiKey: await apiKeys.remove(institution, params.apiKeyId, { allow }), use }));
      },
    }),
  ];
}

const etag = ({ revision }: ApiKeyDocument): string => String(revision);

const location = ({ id }: ApiKeyDocument): string => `${API_KEYS}/${id}`;

const answerApiKey = (used: UsedApiKey) => ok(toApiKeyView(used), { etag: etag(used.apiKey) });
