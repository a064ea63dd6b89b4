import { createIdentityVerifier } from '@boxoffice/identity';
import { requireQueue } from '@boxoffice/messaging';
import { createPagesFront } from '@boxoffice/pages';
import { declareInstallationSecret, integer, readVersion, repeat, serviceRootSecret, url } from '@boxoffice/runtime';
import { builtInRows, followServices, getCalls, servicesFile, watchServicesFile } from '@boxoffice/runtime/services';
import type { Retentions, ServiceDefinition } from '@boxoffice/service';
import { skipWhenQuiet } from '@boxoffice/store';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { createRoutes } from './commands.ts';
import { KEY_REFRESH_MS } from './domain/key-schedule.ts';
import { SESSION_IDLE_MS } from './domain/user.ts';
import { eraseUserContact, recordInstitution } from './reactions.ts';
import { collections } from './store.ts';
import { describeOAuthFault, isOAuthPath } from './tokens/endpoints.ts';
import { catalogApi } from './users/generated/catalog.ts';
import { contactsApi } from './users/generated/contacts.ts';
import { forgetInvitation } from './users/invitations.ts';

/** Tolerance for other processes' clocks. Milliseconds. */
const CLOCKS_MS = 60_000;

export const retention: Retentions = {
  clients: { retained: 'for good; deleted ones without scopes and secrets' },
  revocations: {
    retained: 'until the token would have expired (`ACCESS_TOKEN_LIFETIME_SECONDS`)',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  users: {
    retained: 'until they are deleted; those of role `customer` also until the data of their contact is erased',
  },
  invitations: {
    retained: 'seven days (`INVITATION_MS`), or until they are accepted or replaced',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
    along: (store, { id, institution }) => forgetInvitation(store, institution, id),
  },
  admin_departures: { retained: 'for good; one per institution, of seconds' },
  grants: {
    retained:
      'a code for 60 seconds (`CODE_MS`); tokens until the last has expired: 30 days after the last refresh (`REFRESH_IDLE_MS`), ' +
      'at most 90 (`REFRESH_ABSOLUTE_MS`), or until the user is deleted',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  sessions: {
    retained:
      '30 minutes after the last use (`SESSION_IDLE_MS`), at most 12 hours (`SESSION_ABSOLUTE_MS`), or until the user ' +
      'is deleted',
    ends: [
      { field: 'expiresAt', afterMs: CLOCKS_MS },
      { field: 'lastSeenAt', afterMs: SESSION_IDLE_MS + CLOCKS_MS },
    ],
  },
  consents: { retained: 'until the user is deleted' },
  sent_forms: { retained: 'ten minutes (`FORM_MS`)', ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }] },
  institutions: { retained: 'for good' },
  login_attempts: {
    retained: '15 minutes after the last wrong password (`WINDOW_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
  api_keys: { retained: 'for good; deleted ones without origins, so that their usage keeps a name' },
  api_key_uses: { retained: 'as long as their keys' },
  usage: {
    retained: 'per minute 3 days, per hour 92 days, per day 3 years',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  gateways: { retained: 'a minute after their last report', ends: [{ field: 'reportedAt', afterMs: CLOCKS_MS }] },
  limit_shares: {
    retained: 'two minutes after the last report (`KEPT_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
  signing_keys: { retained: 'for good; a compromised one until its rotation' },
};

/** The authorizer's own settings, beside those of every service. */
const settings = {
  /** Where points of sale and contacts are, which users of the institution API refer to; without them, none can. */
  catalogUrl: url('CATALOG_URL', { origin: true, optional: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true, optional: true }),
  /** Lifetime of an access token in seconds. Changed scopes and revocations take effect earlier. */
  accessTokenLifetime: integer('ACCESS_TOKEN_LIFETIME_SECONDS', { default: 900, min: 1, max: 86_400 }),
  /** Wrong passwords of one address at an institution within 15 minutes; then its attempts are refused. */
  loginFailuresPerAddress: integer('LOGIN_FAILURES_PER_ADDRESS', { default: 300, min: 1 }),
  keyEncryptionKey: declareInstallationSecret('KEY_ENCRYPTION_KEY'),
  serviceRootSecret,
  servicesFile,
};

export const authorizer: ServiceDefinition<typeof settings, Authorizer> = {
  name: 'authorizer',
  version: readVersion(import.meta.url),
  collections,
  retention: () => retention,
  settings,
  onFault: (path, fault) => (isOAuthPath(path) ? describeOAuthFault(fault) : undefined),
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
  operations: ({ store }, context) => createRoutes(store, context),
  identify: (_parts, { keySet }) => createIdentityVerifier({ keys: keySet, audience: 'authorizer' }),
  authenticateService: (_parts, { authenticateService }) => authenticateService,
  front: (next, { logger, publicUrl }, { pages }) => {
    const options = { service: 'authorizer', roots: [...pages.keys()], publicUrl, logger };
    return createPagesFront({ ...options, find: (path) => pages.get(path) })(next);
  },
  // Gateways of 0.3.0 also ask every two seconds.
  withdrawnFacts: ['client.changed', 'token.revoked'],
  calls: [catalogApi, contactsApi],
  permits: Object.fromEntries(builtInRows.map((row) => [row.name, getCalls(row)])),
  queues: [requireQueue('authorizer.contact-erased.v1'), requireQueue('authorizer.institutions.v1')],
  reactions: ({ logger }, { users, institutions }) => [
    {
      queue: requireQueue('authorizer.contact-erased.v1'),
      handle: (message) => eraseUserContact(users, logger, message),
    },
    {
      queue: requireQueue('authorizer.institutions.v1'),
      handle: (message) => recordInstitution(institutions, message),
    },
  ],
  background: ({ store, logger }, { keys, close }) => {
    const reading = repeat(skipWhenQuiet(store, 0, keys.load), {
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
