import { hash, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { createInsufficientScopeFault } from '@boxoffice/http';
import {
  createInvalidTokenFault,
  IDENTITY_LIFETIME_SECONDS,
  type SignedCaller,
  type SigningKey,
  signIdentity,
} from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';
import { mayCall, type ServiceList } from '@boxoffice/runtime/services';
import type { ApiKeyLookup } from '../api-keys/api-keys.ts';
import { type FailedAuthentication, isBasic, readBasic } from '../clients/authentication.ts';
import { findMissingScopes, readScopes } from '../domain/scopes.ts';
import type { TokenStatus } from '../tokens/status.ts';

/** A positive decision: a signed identity for one operation of one service. */
interface Decision {
  readonly identity: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** The operation that is called, and its service. */
interface Called {
  readonly operation: string;
  readonly audience: string;
}

interface DecisionDependencies {
  readonly tokens: TokenStatus;
  readonly apiKeys: Pick<ApiKeyLookup, 'find'>;
  readonly signingKey: () => SigningKey;
  /** Whose rows say which service may call what. */
  readonly services: Pick<ServiceList, 'rows'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type Decisions = ReturnType<typeof createDecisions>;

/** Makes the decisions of an instance. */
export function createDecisions({ tokens, apiKeys, signingKey, services, now }: DecisionDependencies) {
  /** An identity that ends after its lifetime, or at `endsAt` (epoch seconds) before. */
  const identityOf = (audience: string, caller: SignedCaller, endsAt = Number.POSITIVE_INFINITY): Decision => {
    const issuedAt = Math.floor(now() / 1000);
    const lifetime = Math.min(IDENTITY_LIFETIME_SECONDS, endsAt - issuedAt);
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt, lifetime }),
      expiresAt: new Date((issuedAt + lifetime) * 1000).toISOString(),
    };
  };

  return {
    /**
     * May the bearer of this token call an operation that needs these scopes (separated by spaces)? Verifies the token,
     * then checks that it is not revoked, that the client secret that obtained it still exists, that its user may still
     * sign in, and that client and role hold the scopes. The identity has the bounds that the client has now.
     * @throws {Fault} unauthorized, forbidden, which the gateway relays
     */
    decide: async (request: Called & { readonly token: string; readonly scope: string }): Promise<Decision> => {
      const { token, operation, scope, audience } = request;
      const claims = await tokens.verify(token);
      const checked = await tokens.check(claims);
      if (!checked.active) throw createInvalidTokenFault(checked.reason);
      const missing = findMissingScopes(readScopes(scope), checked.scopes);
      if (missing.length > 0) {
        const named = missing.join(' and ');
        const text = `This operation needs the scope ${named}, which the token does not have or its client or user no longer holds.`;
        throw createInsufficientScopeFault(text, missing);
      }
      const { institution, client_id: client, exp } = claims;
      const { scopes, user, bounds } = checked;
      return identityOf(audience, { institution, client, service: null, scopes, operation, user, bounds }, exp);
    },
    /**
     * The identity of a request with an API key and no token, by the key's SHA-256 in base64url: without client and
     * scopes, of the key's institution. The service knows which of its operations are public, and accepts it for no
     * other.
     * @throws {Fault} unauthorized for a key that cannot be used
     */
    decidePublic: async ({
      keyHash,
      operation,
      audience,
    }: Called & { readonly keyHash: string }): Promise<Decision> => {
      const apiKey = await apiKeys.find(keyHash);
      if (!apiKey) throw new Fault('unauthorized', 'The API key is not valid.', { 'WWW-Authenticate': 'Bearer' });
      const { institution } = apiKey;
      return identityOf(audience, { institution, client: null, service: null, scopes: [], operation, isPublic: true });
    },
    /**
     * The identity of a service for a call of its own; `institution` is empty for an operation without one.
     * @throws {Fault} forbidden for a call that is not in the list of allowed ones
     */
    identifyService: (service: string, request: Called & { readonly institution: string }): Decision => {
      const { audience, institution, operation } = request;
      if (!mayCall(services.rows(), service, audience, operation))
        throw new Fault('forbidden', `${service} may not call ${operation} of ${audience}.`);
      // A service has no scopes, which belong to clients: it may call this one operation.
      return identityOf(audience, { institution, client: null, service, scopes: [], operation });
    },
  };
}

/**
 * Creates the authentication of services: HTTP Basic with the service's name and its own SERVICE_SECRET, which is
 * derived from the root secret (SERVICE_ROOT_SECRET). Returns the name of one that may call the operation. Secrets are
 * compared in constant time.
 * @throws {Fault} unauthorized, with a reason that names the service that the secret belongs to, if it is another one;
 * forbidden
 */
export function createServiceAuthentication(
  rootSecret: string,
  services: Pick<ServiceList, 'rows'>,
  onFailure: FailedAuthentication,
) {
  const digests = new Map<string, Buffer>();
  const digestOf = (name: string): Buffer => {
    const found = digests.get(name) ?? digest(deriveServiceSecret(rootSecret, name));
    digests.set(name, found);
    return found;
  };
  /** Every process that authenticates, each with its own secret; the authorizer has the root. */
  const present = () => services.rows().flatMap(({ name }) => (name === 'authorizer' ? [] : [name]));
  const root = digest(rootSecret);

  /** What is wrong with a service's secret; undefined if it is right. */
  const problemOf = (service: string, secret: string): string | undefined => {
    const offered = digest(secret);
    const isRoot = timingSafeEqual(offered, root);
    const known = present();
    const owners = known.filter((name) => timingSafeEqual(offered, digestOf(name)));
    if (!known.includes(service)) return 'this installation has no process of this name';
    if (owners.includes(service)) return undefined;
    if (owners[0] !== undefined) return `SERVICE_SECRET is that of ${owners[0]}, not of ${service}`;
    if (isRoot) return `SERVICE_SECRET is the root secret itself, not the one derived for ${service}`;
    return `SERVICE_SECRET is not the one that the authorizer derives for ${service}`;
  };

  const refuse = (reason: string, details: string): never => {
    onFailure({ clientId: undefined, reason });
    throw new Fault('unauthorized', details);
  };

  return (authorization: string | undefined, operation: string): string => {
    const credentials = isBasic(authorization) ? readBasic(authorization) : undefined;
    if (!credentials)
      return refuse(
        'a service without valid HTTP Basic credentials',
        'This operation requires HTTP Basic with a service’s name and its SERVICE_SECRET.',
      );
    const problem = problemOf(credentials.id, credentials.secret);
    if (problem !== undefined) return refuse(problem, `${problem}.`);
    const only = findOnlyCaller(operation) ?? credentials.id;
    if (credentials.id !== only) throw new Fault('forbidden', `Only the process ${only} may call this operation.`);
    return credentials.id;
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The one caller of each of the authorizer's own internal operations; any process may call the others. */
const ONLY_FOR: ReadonlyMap<string, string> = new Map([
  ['decide', 'gateway'],
  ['decidePublic', 'gateway'],
  ['getClientScopes', 'events'],
  ['listOrigins', 'gateway'],
  ['listRevocations', 'gateway'],
  ['recordUsage', 'gateway'],
  ['verifyApiKey', 'gateway'],
]);

/** The one process that may call this operation of the authorizer; undefined: any. */
export function findOnlyCaller(operation: string): string | undefined {
  return ONLY_FOR.get(operation);
}
