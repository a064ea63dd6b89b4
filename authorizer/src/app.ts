import { createIdentityVerifier } from '@boxoffice/identity';
import { topology } from '@boxoffice/messaging';
import { versionOf } from '@boxoffice/runtime';
import type { ServiceDefinition } from '@boxoffice/service';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { onOAuthFault } from './authentication/oauth-error.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { startBackground } from './background.ts';
import { routes } from './clients/routes.ts';
import { internalRoutes } from './decisions/routes.ts';
import { createPagesFront } from './pages/index.ts';
import { onContactErased, onInstitutionChanged } from './reactions.ts';
import { retention } from './retention.ts';
import { settings } from './settings.ts';
import { collections } from './store.ts';
import { isOAuthPath } from './tokens/metadata.ts';
import { oauthRoutes } from './tokens/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { userRoutes } from './users/routes.ts';

/** The authorizer service: clients, users, tokens, keys and decisions. */
export const authorizer: ServiceDefinition<typeof settings, Authorizer> = {
  name: 'authorizer',
  version: versionOf(import.meta.url),
  collections,
  retention: () => retention,
  settings,
  onFault: (path, fault) => (isOAuthPath(path) ? onOAuthFault(fault) : undefined),
  prepare: async ({ store, publicUrl, settings: own, logger, metrics }) => {
    const { accessTokenLifetime, loginFailuresPerAddress, keyEncryptionKey, serviceRootSecret } = own;
    const prepared = createAuthorizer({
      store,
      issuer: publicUrl,
      logger,
      metrics,
      accessTokenLifetime,
      loginFailuresPerAddress,
      keyEncryptionKey,
      serviceRootSecret,
      serviceUrls: () => ({ catalog: own.catalogUrl, contacts: own.contactsUrl }),
    });
    await prepared.keys.load();
    return prepared;
  },
  tags: {
    tokens: 'Access tokens and their keys (OAuth 2.0, OpenID Connect).',
    clients: 'Programs that use the interface, with their secrets and scopes.',
    users: 'Persons who sign in, each with a role.',
    'api-keys': 'Keys with which web pages read public data.',
    usage: 'Requests counted by client and key.',
  },
  operations: ({ store }, { clients, users, accounts, apiKeys, oauth, internal }) => [
    ...oauthRoutes(oauth),
    ...routes(clients),
    ...userRoutes({ users, accounts }),
    ...apiKeyRoutes(apiKeys),
    ...usageRoutes(store),
    ...internalRoutes(internal),
  ],
  identify: (_parts, { keySet }) => createIdentityVerifier({ keys: keySet, audience: 'authorizer' }),
  authenticateService: (_parts, { authenticateService }) => authenticateService,
  front: (next, { logger, publicUrl }, { pages }) => createPagesFront({ handlers: pages, publicUrl, logger })(next),
  queues: [topology.authorizerContactErased, topology.authorizerInstitutions],
  reactions: ({ logger }, { users, institutions }) => [
    { queue: topology.authorizerContactErased, handle: (message) => onContactErased(users, logger, message) },
    { queue: topology.authorizerInstitutions, handle: (message) => onInstitutionChanged(institutions, message) },
  ],
  background: ({ store, logger }, prepared) => startBackground(prepared, store, logger),
};
