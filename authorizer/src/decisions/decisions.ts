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

interface Decision {
  readonly identity: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

interface Called {
  readonly operation: string;
  readonly audience: string;
}

interface DecisionDependencies {
  readonly tokens: TokenStatus;
  readonly apiKeys: Pick<ApiKeyLookup, 'find'>;
  readonly signingKey: () => SigningKey;
  readonly services: Pick<ServiceList, 'rows'>;
  readonly now: () => number;
}

export type Decisions = ReturnType<typeof createDecisions>;

export function createDecisions({ tokens, apiKeys, signingKey, services, now }: DecisionDependencies) {
  /** An identity that ends after its lifetime, or at `endsAt` (epoch seconds) before. */
  const signFor = (audience: string, caller: SignedCaller, endsAt = Number.POSITIVE_INFINITY): Decision => {
    const issuedAt = Math.floor(now() / 1000);
    const lifetime = Math.min(IDENTITY_LIFETIME_SECONDS, endsAt - issuedAt);
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt, lifetime }),
      expiresAt: new Date((issuedAt + lifetime) * 1000).toISOString(),
    };
  };

  return {
    /**
     * Also that it is not revoked, its secret exists, its user may sign in, and client and role hold the scopes now.
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
      return signFor(audience, { institution, client, service: null, scopes, operation, user, bounds }, exp);
    },
    /** By the key's SHA-256 in base64url. Without client and scopes: for public operations only. @throws {Fault} */
    decidePublic: async ({
      keyHash,
      operation,
      audience,
    }: Called & { readonly keyHash: string }): Promise<Decision> => {
      const apiKey = await apiKeys.find(keyHash);
      if (!apiKey) throw new Fault('unauthorized', 'The API key is not valid.', { 'WWW-Authenticate': 'Bearer' });
      const { institution } = apiKey;
      return signFor(audience, { institution, client: null, service: null, scopes: [], operation, isPublic: true });
    },
    /** `institution` is empty for an operation without one. @throws {Fault} forbidden for a call that no row allows */
    identifyService: (service: string, request: Called & { readonly institution: string }): Decision => {
      const { audience, institution, operation } = request;
      if (!mayCall(services.rows(), service, audience, operation))
        throw new Fault('forbidden', `${service} may not call ${operation} of ${audience}.`);
      // A service has no scopes, which belong to clients: it may call this one operation.
      return signFor(audience, { institution, client: null, service, scopes: [], operation });
    },
  };
}

/**
 * HTTP Basic with the service's name and SERVICE_SECRET, compared in constant time. Returns the name.
 * @throws {Fault} unauthorized, with a reason that names the owner of a secret of another service; forbidden
 */
export function createServiceAuthentication(
  rootSecret: string,
  services: Pick<ServiceList, 'rows'>,
  onFailure: FailedAuthentication,
) {
  const digests = new Map<string, Buffer>();
  const getDigest = (name: string): Buffer => {
    const found = digests.get(name) ?? digest(deriveServiceSecret(rootSecret, name));
    digests.set(name, found);
    return found;
  };
  /** Every process that authenticates, each with its own secret; the authorizer has the root. */
  const listProcesses = () => services.rows().flatMap(({ name }) => (name === 'authorizer' ? [] : [name]));
  const root = digest(rootSecret);

  const findProblem = (service: string, secret: string): string | undefined => {
    const offered = digest(secret);
    const isRoot = timingSafeEqual(offered, root);
    const known = listProcesses();
    const owners = known.filter((name) => timingSafeEqual(offered, getDigest(name)));
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
    const problem = findProblem(credentials.id, credentials.secret);
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

export function findOnlyCaller(operation: string): string | undefined {
  return ONLY_FOR.get(operation);
}
