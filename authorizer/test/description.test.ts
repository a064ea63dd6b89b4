import { dereferenced, exampleFaults } from '@boxoffice/http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKeys } from '../src/api-keys/api-keys.ts';
import { apiKeyRoutes } from '../src/api-keys/routes.ts';
import { createClients } from '../src/clients/clients.ts';
import { routes } from '../src/clients/routes.ts';
import { SCOPES } from '../src/domain/scopes.ts';
import { oauthRoutes } from '../src/tokens/routes.ts';
import { usageRoutes } from '../src/usage/routes.ts';
import { userRoutes } from '../src/users/routes.ts';
import { createUsers } from '../src/users/users.ts';
import { installationFor, type Json } from './installation.ts';

const installation = installationFor();
let document: Json;

beforeAll(async () => {
  document = dereferenced((await installation.get('/openapi.json')).body, ['responses']);
});

const never = () => {
  throw new Error('not called');
};

describe('the description of the authorizer', () => {
  test('has examples that its own schemas accept', () => {
    const oauth = oauthRoutes({
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
      ...routes({ clients: createClients(store), knownScopes: () => SCOPES }),
      ...userRoutes({ users, accounts: { verify: never }, knownScopes: () => SCOPES }),
      ...apiKeyRoutes(createApiKeys(store)),
      ...usageRoutes(store),
    ];
    expect(exampleFaults(operations)).toEqual([]);
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
