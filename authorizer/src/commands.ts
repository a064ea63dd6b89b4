import type { AnyOperation } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { createApiKeyRoutes } from './api-keys/routes.ts';
import type { Authorizer } from './authorizer.ts';
import { createClientRoutes } from './clients/routes.ts';
import { createInternalRoutes } from './decisions/routes.ts';
import { createOAuthRoutes } from './tokens/routes.ts';
import { createUsageRoutes } from './usage/routes.ts';
import { createUserRoutes } from './users/routes.ts';

/** Every operation, above its file. */
export function createRoutes(
  store: Store,
  { clients, users, accounts, apiKeys, oauth, internal, knownScopes }: Authorizer,
): AnyOperation[] {
  return [
    // createToken, introspectToken, revokeToken, getAuthorizationServerMetadata, getOpenIdConfiguration, getUserInfo,
    // postUserInfo, getKeys
    ...createOAuthRoutes(oauth),
    // listClients, createClient, getClient, updateClient, deleteClient, createClientSecret, deleteClientSecret
    ...createClientRoutes({ clients, knownScopes }),
    // listUsers, createUser, getMe, changeMyPassword, getUser, updateUser, deleteUser, createUserInvitation
    ...createUserRoutes({ users, accounts, knownScopes }),
    // listApiKeys, createApiKey, getApiKey, updateApiKey, deleteApiKey
    ...createApiKeyRoutes(apiKeys),
    // getUsage
    ...createUsageRoutes(store),
    // decide, identifyService, listRevocations, verifyApiKey, decidePublic, getClientScopes, listOrigins, recordUsage
    ...createInternalRoutes(internal),
  ];
}
