import type { Logger, Metrics, Reading } from '@boxoffice/runtime';
import { createFixedServices, type ServiceList } from '@boxoffice/runtime/services';
import type { Store } from '@boxoffice/store';
import { createApiKeyLookup, createApiKeys } from './api-keys/api-keys.ts';
import {
  CLIENT_ID,
  createClientAuthentication,
  createClientDirectory,
  createClientIdentification,
  type FailedAuthentication,
} from './clients/authentication.ts';
import { createClients } from './clients/clients.ts';
import { createReadOrigins, findApplicationUrl } from './clients/uris.ts';
import { createDecisions, createServiceAuthentication } from './decisions/decisions.ts';
import { formatMonth } from './domain/api-key.ts';
import { listDomainScopes } from './domain/scopes.ts';
import { createAuthorize, type SignInOutcome, signInOutcomes } from './sign-in/authorize.ts';
import { createForms } from './sign-in/forms.ts';
import { createInstitutions } from './sign-in/institutions.ts';
import { createLogout, createReadIdTokenHint } from './sign-in/logout.ts';
import { createConsents, createSessions } from './sign-in/sessions.ts';
import { apiKeyUsesCollection, sessionsCollection } from './store.ts';
import { PATHS } from './tokens/endpoints.ts';
import { createGrants } from './tokens/grants.ts';
import { createIssueToken } from './tokens/issue.ts';
import { createKeyRing } from './tokens/signing-keys.ts';
import { createIntrospect, createRevocations, createRevoke, createTokenStatus } from './tokens/status.ts';
import { createUserTokens, type GrantOutcome, type GrantType, grantOutcomes } from './tokens/user-tokens.ts';
import { createDivideLimits, createRecordUsage } from './usage/report.ts';
import { createAccounts } from './users/accounts.ts';
import { createInvitationPage, INVITATION_PATH } from './users/invitations.ts';
import { createReferences, type ReferencesOptions } from './users/references.ts';
import { createUsers } from './users/users.ts';

/** API keys whose requests are a metric of their own: the most used ones, so that the series stay few. */
const MOST_KEYS = 10;

/** Seconds. No key is withdrawn while a token that it may have signed is valid, even of a longer lifetime before. */
const LEAST_OVERLAP_SECONDS = 900;

interface AuthorizerOptions {
  readonly store: Store;
  /** The public base URL, which is the issuer (`iss`). */
  readonly issuer: string;
  readonly serviceRootSecret: string;
  readonly keyEncryptionKey: string;
  /** Seconds. */
  readonly accessTokenLifetime: number;
  readonly loginFailuresPerAddress: number;
  readonly serviceUrls: ReferencesOptions['urls'];
  /** The services of the installation; default: the built-in ones. Closed with the instance. */
  readonly services?: ServiceList;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics?: Metrics | undefined;
  readonly now?: () => number;
}

export type Authorizer = ReturnType<typeof createAuthorizer>;

/** Joins the parts of an instance. The keys are available after `keys.load()`. */
export function createAuthorizer(options: AuthorizerOptions) {
  const { store, issuer, serviceRootSecret, keyEncryptionKey, accessTokenLifetime: lifetime, logger } = options;
  const now = options.now ?? Date.now;
  const services = options.services ?? createFixedServices();
  const knownScopes = () => listDomainScopes(services.rows().flatMap(({ domains }) => domains));
  const metrics = createAuthorizerMetrics(options.metrics);
  if (options.metrics) watchAuthorizer(store, options.metrics);
  const directory = createClientDirectory(store, now);
  const revocations = createRevocations(store, now);
  const longestLifetimeMs = Math.max(lifetime, LEAST_OVERLAP_SECONDS) * 1000;
  const keys = createKeyRing({ store, secret: keyEncryptionKey, longestLifetimeMs, now });
  const audit = auditTo(logger);
  const authenticate = createClientAuthentication(directory, audit);
  const accounts = createAccounts(store, {
    mostPerAddress: options.loginFailuresPerAddress,
    knownScopes,
    audit: ({ institution, ip }, event) =>
      logger.info('login refused', { event: `audit.${event}`, institution, peer: ip }),
    now,
  });
  const grants = createGrants(store, keyEncryptionKey, now);
  const institutions = createInstitutions(store);
  const { keySet } = keys;
  const tokens = createTokenStatus({ keySet, issuer, clients: directory, accounts, revocations, grants, now });
  const apiKeyLookup = createApiKeyLookup(store, now);
  const decisions = createDecisions({ tokens, apiKeys: apiKeyLookup, signingKey: () => keys.signing(), services, now });
  const references = createReferences({
    urls: options.serviceUrls,
    credentials: { tokenFor: async (call) => decisions.identifyService('authorizer', call).identity },
    logger,
  });
  const users = createUsers(store, { publicUrl: issuer, references, now });
  const identify = createClientIdentification(directory, authenticate, audit);
  const issuing = { clients: directory, keys, issuer, lifetime, now };
  const userTokens = createUserTokens({
    ...issuing,
    identify,
    grants,
    accounts,
    grantUsed: metrics.grantUsed,
    onReplay: ({ grant: { institution, clientId, id }, grantType }) =>
      logger.warn('a code or refresh token was used twice; its tokens end', {
        event: 'audit.grant_replayed',
        institution,
        client: clientId,
        type: grantType,
        id,
      }),
  });
  const pages = {
    institutions,
    getClient: async (clientId: string) => directory.cached(clientId) ?? directory.current(clientId),
    sessions: createSessions(store, accounts, now),
    consents: createConsents(store, now),
    forms: createForms(store, keyEncryptionKey, now),
    readHint: createReadIdTokenHint(keySet, issuer),
    findApplication: (institution: string | undefined) => findApplicationUrl(store, institution, issuer),
  };
  return {
    clients: createClients(store, { references, now, changed: directory.forget }),
    users,
    accounts,
    apiKeys: createApiKeys(store, now),
    institutions,
    keys,
    keySet,
    knownScopes,
    oauth: {
      issuer,
      knownScopes,
      keys,
      accounts,
      issue: createIssueToken({ ...issuing, authenticate, identify, userTokens }),
      introspect: createIntrospect({ authenticate, tokens }),
      revoke: createRevoke({ authenticate, identify, tokens, revocations, grants }),
    },
    internal: {
      decisions,
      revocations,
      apiKeys: apiKeyLookup,
      readOrigins: createReadOrigins(store, now),
      recordUsage: createRecordUsage(store, now),
      divideLimits: createDivideLimits(store, now),
      clients: directory,
    },
    authenticateService: createServiceAuthentication(serviceRootSecret, services, audit),
    pages: new Map([
      [PATHS.authorize, createAuthorize({ ...pages, issuer, grants, accounts, countSignIn: metrics.signIn, now })],
      [PATHS.logout, createLogout(pages)],
      [INVITATION_PATH, createInvitationPage({ ...pages, users })],
    ]),
    close: async () => {
      await services.close();
      await directory.settle();
    },
  };
}

/** Counts what the authorizer does for users. Every series begins with 0, so that its first increase is seen. */
const createAuthorizerMetrics = (metrics: Metrics | undefined) => {
  const signIns = metrics?.counter({
    name: 'authorizer_sign_ins_total',
    help: 'Logins and passwords sent to the sign-in page, by outcome',
    labels: ['outcome'],
  });
  const grants = metrics?.counter({
    name: 'authorizer_grants_used_total',
    help: 'Codes and refresh tokens sent to the token endpoint, by outcome',
    labels: ['grant_type', 'outcome'],
  });
  for (const outcome of signInOutcomes) signIns?.({ outcome }, 0);
  for (const [grant_type, outcomes] of Object.entries(grantOutcomes)) {
    for (const outcome of outcomes) grants?.({ grant_type, outcome }, 0);
  }
  return {
    signIn: (outcome: SignInOutcome): void => signIns?.({ outcome }),
    grantUsed: (grant_type: GrantType, outcome: GrantOutcome): void => grants?.({ grant_type, outcome }),
  };
};

/** Over all institutions, from an index on scrape. Every instance reports the same: aggregate with `max`, not `sum`. */
const watchAuthorizer = (store: Store, metrics: Metrics): void => {
  const sessions = store.collection(sessionsCollection).acrossInstitutions;
  metrics.watch({ name: 'authorizer_sessions', help: 'Sessions of users that have not expired' }, async () => [
    { value: await sessions.count({ expiresAt: { gt: Date.now() } }) },
  ]);
  const uses = store.collection(apiKeyUsesCollection).acrossInstitutions;
  const keys = {
    name: 'authorizer_api_key_requests',
    help: 'Requests of this calendar month with the most used API keys',
    labels: ['institution', 'api_key'],
  };
  metrics.watch(keys, async (): Promise<readonly Reading[]> => {
    const where = { month: formatMonth(Date.now()) };
    const most = await uses.find({ where, orderBy: 'used', descending: true, limit: MOST_KEYS });
    return most.map(({ id, institution, used }) => ({ value: used, labels: { institution, api_key: id } }));
  });
};

const auditTo =
  (logger: Pick<Logger, 'warn'>): FailedAuthentication =>
  ({ clientId, reason }) => {
    const client = clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : null;
    logger.warn('authentication failed', { event: 'audit.authentication_failed', client, reason });
  };
