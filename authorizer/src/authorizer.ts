import type { KeySet } from '@boxoffice/identity';
import type { Logger, Metrics } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { type ApiKeys, createApiKeys } from './api-keys/api-keys.ts';
import { createApiKeyLookup } from './api-keys/lookup.ts';
import {
  createClientAuthentication,
  createClientIdentification,
  type FailedAuthentication,
} from './authentication/authenticate-client.ts';
import { createServiceAuthentication } from './authentication/service-secrets.ts';
import { type Clients, createClients } from './clients/clients.ts';
import { createClientDirectory } from './clients/directory.ts';
import { createReadOrigins } from './clients/origins.ts';
import { CLIENT_ID } from './clients/secrets.ts';
import { applicationOf } from './clients/uris.ts';
import { createDecisions } from './decisions/decide.ts';
import type { InternalRouteDependencies } from './decisions/routes.ts';
import { createGrants } from './grants/grants.ts';
import { createRefreshTokens } from './grants/secrets.ts';
import { createUserTokens } from './grants/user-tokens.ts';
import { createKeyRing, type KeyRing } from './keys/key-ring.ts';
import { createAuthorizerMetrics, watchAuthorizer } from './metrics.ts';
import type { PageHandler } from './pages/front.ts';
import { createInstitutions, type Institutions } from './sign-in/institutions.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createIntrospect, createRevoke } from './tokens/introspect.ts';
import { createIssueToken } from './tokens/issue.ts';
import { createRevocations } from './tokens/revocations.ts';
import type { OAuthRouteDependencies } from './tokens/routes.ts';
import { createTokenStatus } from './tokens/status.ts';
import { createRecordUsage } from './usage/record.ts';
import { type Accounts, createAccounts } from './users/accounts.ts';
import { createInvitationPage } from './users/invitation-page.ts';
import { INVITATION_PATH } from './users/invitations.ts';
import { createReferences, type ReferencesOptions } from './users/references.ts';
import { createUsers, type Users } from './users/users.ts';

/**
 * No key is withdrawn while a token that it may have signed is valid, even one from before the lifetime was shortened.
 * Seconds.
 */
const LEAST_OVERLAP_SECONDS = 900;

export interface AuthorizerOptions {
  readonly store: Store;
  /** The public base URL, which is the issuer (`iss`). */
  readonly issuer: string;
  /** The secret that every process's SERVICE_SECRET is derived from. */
  readonly serviceRootSecret: string;
  readonly keyEncryptionKey: string;
  /** Seconds. */
  readonly accessTokenLifetime: number;
  /** See createAccounts. */
  readonly loginFailuresPerAddress: number;
  /** See createReferences. */
  readonly serviceUrls: ReferencesOptions['urls'];
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics?: Metrics | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** One instance of the authorizer, without HTTP. */
export interface Authorizer {
  readonly clients: Clients;
  readonly users: Users;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly institutions: Institutions;
  readonly keys: KeyRing;
  readonly oauth: OAuthRouteDependencies;
  readonly internal: InternalRouteDependencies;
  /** See createServiceAuthentication. */
  readonly authenticateService: ReturnType<typeof createServiceAuthentication>;
  /** Web pages by path. */
  readonly pages: ReadonlyMap<string, PageHandler>;
  readonly keySet: KeySet;
  /** Finishes pending background work. */
  close(): Promise<void>;
}

/** The audit log of failed authentications: the claimed client and the reason. */
const auditTo =
  (logger: Pick<Logger, 'warn'>): FailedAuthentication =>
  ({ clientId, reason }) => {
    const client = clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : null;
    logger.warn('authentication failed', { event: 'audit.authentication_failed', client, reason });
  };

/** Joins the parts of an instance. The keys are available after `keys.load()`. */
export const createAuthorizer = (options: AuthorizerOptions): Authorizer => {
  const { store, issuer, serviceRootSecret, keyEncryptionKey, accessTokenLifetime: lifetime, logger } = options;
  const now = options.now ?? Date.now;
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
    audit: ({ institution, ip }, event) =>
      logger.info('login refused', { event: `audit.${event}`, institution, peer: ip }),
    now,
  });
  const grants = createGrants(store, createRefreshTokens(keyEncryptionKey), now);
  const institutions = createInstitutions(store);
  const { keySet } = keys;
  const tokens = createTokenStatus({ keySet, issuer, clients: directory, accounts, revocations, grants, now });
  const apiKeyLookup = createApiKeyLookup(store, now);
  const decisions = createDecisions({ tokens, apiKeys: apiKeyLookup, signingKey: () => keys.signing(), now });
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
  return {
    clients: createClients(store, now, directory.forget),
    users,
    accounts,
    apiKeys: createApiKeys(store, now),
    institutions,
    keys,
    keySet,
    oauth: {
      issuer,
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
      clients: directory,
    },
    authenticateService: createServiceAuthentication(serviceRootSecret, audit),
    pages: new Map([
      ...createSignIn({
        store,
        issuer,
        keyEncryptionKey,
        clients: directory,
        institutions,
        accounts,
        grants,
        keySet,
        metrics,
        now,
      }),
      [
        INVITATION_PATH,
        createInvitationPage({
          users,
          profile: institutions.profile,
          applicationOf: (institution) => applicationOf(store, institution, issuer),
        }),
      ],
    ]),
    close: () => directory.settle(),
  };
};
