import { createIdentityVerifier } from '@boxoffice/identity';
import { queueNamed } from '@boxoffice/messaging';
import { installationSecret, integer, repeat, serviceRootSecret, url, versionOf } from '@boxoffice/runtime';
import { builtInRows, callsOf, followServices, servicesFile, watchServicesFile } from '@boxoffice/runtime/services';
import type { ServiceDefinition } from '@boxoffice/service';
import { unlessQuiet } from '@boxoffice/store';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { routes } from './clients/routes.ts';
import { internalRoutes } from './decisions/routes.ts';
import { KEY_REFRESH_MS } from './domain/key-schedule.ts';
import { examples, schemas } from './events.ts';
import { onContactErased, onInstitutionChanged } from './reactions.ts';
import { retention } from './retention.ts';
import { createPagesFront } from './sign-in/front.ts';
import { collections } from './store.ts';
import { isOAuthPath, onOAuthFault } from './tokens/endpoints.ts';
import { oauthRoutes } from './tokens/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { catalogApi } from './users/generated/catalog.ts';
import { contactsApi } from './users/generated/contacts.ts';
import { userRoutes } from './users/routes.ts';

/** The authorizer's own settings, beside those of every service. */
const settings = {
  /** Where points of sale and contacts are, which users of the institution API refer to; without them, none can. */
  catalogUrl: url('CATALOG_URL', { origin: true, optional: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true, optional: true }),
  /** Lifetime of an access token in seconds. Changed scopes and revocations take effect earlier. */
  accessTokenLifetime: integer('ACCESS_TOKEN_LIFETIME_SECONDS', { default: 900, min: 1, max: 86_400 }),
  /**
   * Wrong passwords of one address at an institution, over all users, within 15 minutes; after that its attempts are
   * refused.
   */
  loginFailuresPerAddress: integer('LOGIN_FAILURES_PER_ADDRESS', { default: 300, min: 1 }),
  keyEncryptionKey: installationSecret('KEY_ENCRYPTION_KEY'),
  /** The secret that every process's SERVICE_SECRET is derived from. */
  serviceRootSecret,
  servicesFile,
};

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
    const services = followServices({ file: own.servicesFile, logger });
    if (metrics) watchServicesFile(metrics, 'authorizer', services);
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
      services,
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
  operations: ({ store }, { clients, users, accounts, apiKeys, oauth, internal, knownScopes }) => [
    ...oauthRoutes(oauth),
    ...routes({ clients, knownScopes }),
    ...userRoutes({ users, accounts, knownScopes }),
    ...apiKeyRoutes(apiKeys),
    ...usageRoutes(store),
    ...internalRoutes(internal),
  ],
  identify: (_parts, { keySet }) => createIdentityVerifier({ keys: keySet, audience: 'authorizer' }),
  authenticateService: (_parts, { authenticateService }) => authenticateService,
  front: (next, { logger, publicUrl }, { pages }) => createPagesFront({ handlers: pages, publicUrl, logger })(next),
  facts: { schemas, examples },
  calls: [catalogApi, contactsApi],
  permits: Object.fromEntries(builtInRows.map((row) => [row.name, callsOf(row)])),
  queues: [queueNamed('authorizer.contact-erased.v1'), queueNamed('authorizer.institutions.v1')],
  reactions: ({ logger }, { users, institutions }) => [
    { queue: queueNamed('authorizer.contact-erased.v1'), handle: (message) => onContactErased(users, logger, message) },
    {
      queue: queueNamed('authorizer.institutions.v1'),
      handle: (message) => onInstitutionChanged(institutions, message),
    },
  ],
  background: ({ store, logger }, { keys, close }) => {
    const reading = repeat(unlessQuiet(store, 0, keys.load), {
      everyMs: KEY_REFRESH_MS,
      failed: (error) => logger.error('the signing keys could not be read', { error }),
    });
    return {
      close: async () => {
        await reading.close();
        await close();
      },
    };
  },
};
