import { dereference, findExampleFaults } from '@boxoffice/http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKeys } from '../src/api-keys/api-keys.ts';
import { createApiKeyRoutes } from '../src/api-keys/routes.ts';
import { createClients } from '../src/clients/clients.ts';
import { createClientRoutes } from '../src/clients/routes.ts';
import { SCOPES } from '../src/domain/scopes.ts';
import { createOAuthRoutes } from '../src/tokens/routes.ts';
import { createUsageRoutes } from '../src/usage/routes.ts';
import { createUserRoutes } from '../src/users/routes.ts';
import { createUsers } from '../src/users/users.ts';
import { type Json, startInstallationForSuite } from './installation.ts';

const installation = startInstallationForSuite();
let document: Json;

beforeAll(async () => {
  document = dereference((await installation.get('/openapi.json')).body, ['responses']);
});

const never = () => {
  throw new Error('not called');
};

describe('the description of the authorizer', () => {
  test('has examples that its own schemas accept', () => {
    const oauth = createOAuthRoutes({
      issuer: 'https://x',
      knownScopes: () => SCOPES,
      issue: never,
      introspect: never,
      revoke: never,
      accounts: { current: never },
      keys: { jwks: never },
    });
    const { store } = installation;
    const users = createUsers(store, { publicUrl: 'https://x' });
    const operations = [
      ...oauth,
      ...createClientRoutes({ clients: createClients(store), knownScopes: () => SCOPES }),
      ...createUserRoutes({ users, accounts: { verify: never }, knownScopes: () => SCOPES }),
      ...createApiKeyRoutes(createApiKeys(store)),
      ...createUsageRoutes(store),
    ];
    expect(findExampleFaults(operations)).toEqual([]);
  });

  test.each(['/auth/token', '/auth/introspect', '/auth/revoke'])(
    'describes that a 401 of %s may have no challenge',
    (path) => {
      const { responses } =
        (document.paths as Record<string, { post: { responses: Record<string, Json> } }>)[path]?.post ?? {};
      expect(responses?.['401']?.headers).toMatchObject({
        'WWW-Authenticate': {
          required: false,
          description: expect.stringContaining('Only if the client used HTTP Basic'),
        },
      });
      expect(responses?.['403']?.headers ?? {}).not.toHaveProperty('WWW-Authenticate');
    },
  );

  test('names every public operation, with the scope that it needs', () => {
    const paths = document.paths as Record<string, Record<string, { operationId: string; security: Json[] }>>;
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { security }]) =>
        `${method} ${path} ${Object.values(security[0] ?? {}).flat()}`.trim(),
      ),
    );
    expect(described.filter((line) => !line.includes('openapi.json')).sort()).toEqual(
      [
        'get /.well-known/oauth-authorization-server',
        'get /.well-known/openid-configuration',
        'get /auth/userinfo',
        'post /auth/userinfo',
        'get /auth/jwks',
        'post /auth/introspect',
        'post /auth/revoke',
        'post /auth/token',
        'get /svc/v3/clients clients:read',
        'post /svc/v3/clients clients:write',
        'get /svc/v3/clients/{clientId} clients:read',
        'patch /svc/v3/clients/{clientId} clients:write',
        'delete /svc/v3/clients/{clientId} clients:write',
        'post /svc/v3/clients/{clientId}/secrets clients.sensitive:write',
        'delete /svc/v3/clients/{clientId}/secrets/{secretId} clients.sensitive:write',
        'get /svc/v3/users users:read',
        'post /svc/v3/users users:write',
        'get /svc/v3/users/me',
        'post /svc/v3/users/me/password',
        'get /svc/v3/users/{userId} users:read',
        'patch /svc/v3/users/{userId} users:write',
        'delete /svc/v3/users/{userId} users:write',
        'post /svc/v3/users/{userId}/invitation users.sensitive:write',
        'get /svc/v3/api-keys clients:read',
        'post /svc/v3/api-keys clients:write',
        'get /svc/v3/api-keys/{apiKeyId} clients:read',
        'patch /svc/v3/api-keys/{apiKeyId} clients:write',
        'delete /svc/v3/api-keys/{apiKeyId} clients:write',
        'get /svc/v3/usage clients:read',
      ].sort(),
    );
  });
});
