import { type AnyOperation, createNullableSchema, named, ok, operation, timestamp } from '@boxoffice/http';
import {
  API_KEYS_PATH,
  CLIENT_SCOPES_PATH,
  DECISIONS_PATH,
  IDENTITIES_PATH,
  ORIGINS_PATH,
  PUBLIC_DECISIONS_PATH,
  REVOCATIONS_PATH,
  USAGE_PATH,
} from '@boxoffice/identity';
import { Type } from 'typebox';
import type { Authorizer } from '../authorizer.ts';
import { boundsView, ClientBounds } from '../clients/view.ts';
import { Division, UsageReport } from '../usage/report.ts';

/** What each of them is. The gateway logs what it asks for. */
const internal = { access: 'internal', isRoutine: true } as const;

const text = Type.String();
const count = Type.Integer({ minimum: 0 });

const Decision = named('Decision', Type.Object({ identity: text, expiresAt: timestamp }));
const decision = {
  identity: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImlkZW50aXR5K2p3dCJ9.e30.c2ln',
  expiresAt: '2027-03-14T19:03:11.000Z',
};

/** Each caller authenticates with its name and its own SERVICE_SECRET, since it has no identity yet. */
export function createInternalRoutes({
  decisions,
  revocations,
  apiKeys,
  readOrigins,
  recordUsage,
  divideLimits,
  clients,
}: Authorizer['internal']): AnyOperation[] {
  return [
    operation({
      id: 'decide',
      method: 'post',
      path: DECISIONS_PATH,
      ...internal,
      summary: 'Decides whether the bearer of a token may call an operation, for the gateway',
      body: Type.Object({ token: text, operation: text, scope: text, audience: text }),
      answers: { 200: Decision },
      example: {
        body: {
          token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln',
          operation: 'getOrder',
          scope: 'orders:read',
          audience: 'orders',
        },
        answer: decision,
      },
      handle: async ({ body }) => ok(await decisions.decide(body)),
    }),
    operation({
      id: 'identifyService',
      method: 'post',
      path: IDENTITIES_PATH,
      ...internal,
      summary: 'Gives a service an identity for one operation of another',
      body: Type.Object({ audience: text, institution: text, operation: text }),
      answers: { 200: Decision },
      example: { body: { audience: 'catalog', institution: '', operation: 'findPointOfSale' }, answer: decision },
      handle: ({ caller, body }) => ok(decisions.identifyService(caller.service ?? '', body)),
    }),
    operation({
      id: 'listRevocations',
      method: 'get',
      path: REVOCATIONS_PATH,
      ...internal,
      summary: 'Lists revoked tokens and changed clients, for the gateway',
      query: { since: Type.Optional(timestamp) },
      answers: {
        200: Type.Object({
          tokens: Type.Array(Type.Object({ jti: text, expiresAt: timestamp })),
          clients: Type.Array(Type.Object({ clientId: text, changedAt: timestamp })),
          asOf: timestamp,
        }),
      },
      example: {
        answer: {
          tokens: [
            { jti: 'sec_Jx0aP4hV7nB2mK9s.f3c1a2b4-5d6e-4f70-8192-a3b4c5d6e7f8', expiresAt: '2027-03-14T19:15:00.000Z' },
          ],
          clients: [{ clientId: 'cli_3q2-7wAAAAAAAAAAAAAAAA', changedAt: '2027-03-14T19:02:11.000Z' }],
          asOf: '2027-03-14T19:02:12.000Z',
        },
      },
      handle: async ({ query: { since } }) =>
        ok(await revocations.since(since === undefined ? undefined : new Date(since))),
    }),
    operation({
      id: 'verifyApiKey',
      method: 'post',
      path: API_KEYS_PATH,
      ...internal,
      summary: 'Finds a usable API key by its hash, with its use, for the gateway',
      body: Type.Object({ keyHash: text, gateway: text }),
      answers: {
        200: Type.Object({
          apiKey: createNullableSchema(
            Type.Object({
              apiKeyId: text,
              institution: text,
              origins: Type.Array(text),
              ratePerMinute: count,
              monthlyQuota: createNullableSchema(count),
              expiresAt: createNullableSchema(timestamp),
              month: text,
              used: count,
              reportedUpTo: count,
            }),
          ),
        }),
      },
      example: {
        body: {
          keyHash: 'h6qk3Ff8mO9rJvQ2s1pXyZ0aBcDeFgHiJkLmNoPqRsT',
          gateway: '5b0c7c1e-8a53-4a8e-9d39-6f7b1a2c3d4e',
        },
        answer: {
          apiKey: {
            apiKeyId: 'key_q8Y2mXH0T3mV1n5b',
            institution: 'opera',
            origins: [],
            ratePerMinute: 600,
            monthlyQuota: 1_000_000,
            expiresAt: null,
            month: '2027-03',
            used: 1_204,
            reportedUpTo: 17,
          },
        },
      },
      handle: async ({ body: { keyHash, gateway } }) =>
        ok({ apiKey: (await apiKeys.verify(keyHash, gateway)) ?? null }),
    }),
    operation({
      id: 'decidePublic',
      method: 'post',
      path: PUBLIC_DECISIONS_PATH,
      ...internal,
      summary: 'Gives the identity of a public request, which has an API key and no token, for the gateway',
      body: Type.Object({ keyHash: text, operation: text, audience: text }),
      answers: { 200: Decision },
      example: {
        body: {
          keyHash: 'h6qk3Ff8mO9rJvQ2s1pXyZ0aBcDeFgHiJkLmNoPqRsT',
          operation: 'getCatalog',
          audience: 'catalog',
        },
        answer: decision,
      },
      handle: async ({ body }) => ok(await decisions.decidePublic(body)),
    }),
    operation({
      id: 'getClientScopes',
      method: 'post',
      path: CLIENT_SCOPES_PATH,
      ...internal,
      summary:
        'Gives the scopes and bounds that a client has at present, for the events service; no scopes of an unknown or deleted one',
      body: Type.Object({ institution: text, clientId: text }),
      answers: { 200: Type.Object({ scopes: Type.Array(text), bounds: createNullableSchema(ClientBounds) }) },
      example: {
        body: { institution: 'opera', clientId: 'cli_3q2-7wAAAAAAAAAAAAAAAA' },
        answer: {
          scopes: ['events:read', 'orders:read'],
          bounds: { ownOrders: true, pointsOfSale: ['tickets.opera.example'] },
        },
      },
      handle: async ({ body: { institution, clientId } }) => {
        const client = await clients.current(clientId);
        if (client?.institution !== institution) return ok({ scopes: [], bounds: null });
        return ok({ scopes: [...client.scopes], bounds: boundsView(client.bounds) });
      },
    }),
    operation({
      id: 'listOrigins',
      method: 'get',
      path: ORIGINS_PATH,
      ...internal,
      summary: 'Lists the web origins that clients and API keys name, for the gateway',
      query: { mark: Type.Optional(Type.String({ maxLength: 64 })) },
      answers: {
        200: Type.Object({
          mark: text,
          origins: createNullableSchema(Type.Array(text, { description: 'null if `mark` is current; port `*`: any' })),
        }),
      },
      example: { answer: { mark: 'm1', origins: ['https://calendar.city.example', 'http://127.0.0.1:*'] } },
      handle: async ({ query: { mark } }) => ok(await readOrigins(mark)),
    }),
    operation({
      id: 'recordUsage',
      method: 'post',
      path: USAGE_PATH,
      ...internal,
      summary: 'Adds the requests that a gateway has counted (a repeated report adds nothing), and divides limits',
      body: UsageReport,
      answers: { 200: Division },
      example: {
        body: {
          gateway: '5b0c7c1e-8a53-4a8e-9d39-6f7b1a2c3d4e',
          sequence: 18,
          rows: [
            {
              institution: 'opera',
              minute: '2027-03-14T19:02:00.000Z',
              apiKeyId: 'key_q8Y2mXH0T3mV1n5b',
              clientId: null,
              userId: null,
              operation: 'getCatalog',
              status: 200,
              requests: 40,
              bytes: 120_400,
            },
          ],
          rates: [{ caller: 'api_key key_q8Y2mXH0T3mV1n5b', perMinute: 600, used: 400, wanted: 480 }],
        },
        answer: { gateways: 2, shares: { 'api_key key_q8Y2mXH0T3mV1n5b': 540 } },
      },
      handle: async ({ body }) => {
        await recordUsage(body);
        return ok(await divideLimits(body.gateway, body.rates ?? []));
      },
    }),
  ];
}
