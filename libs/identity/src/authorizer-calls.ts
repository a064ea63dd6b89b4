import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { type Addresses, createHttpClient, type HttpCall, traceHeaders } from '@boxoffice/runtime';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { KeySet } from './key-set.ts';

/** Where a service gets an identity token for a call of its own. */
export const IDENTITIES_PATH = '/internal/identities';

/** Where the gateway gets a decision, and with it the identity token of the forwarded request. */
export const DECISIONS_PATH = '/internal/decisions';

/** Where the gateway polls for revocations, in case the broker is down. */
export const REVOCATIONS_PATH = '/internal/revocations';

/** Where the gateway finds an API key by its hash. */
export const API_KEYS_PATH = '/internal/api-keys';

/** Where the gateway gets the identity token of a public request, which has an API key and no token. */
export const PUBLIC_DECISIONS_PATH = '/internal/public-decisions';

/** Where the gateway polls the web origins that clients and API keys name. */
export const ORIGINS_PATH = '/internal/origins';

/** Where the gateway reports the requests that it has counted. */
export const USAGE_PATH = '/internal/usage';

/** Where the events service learns which scopes a client has at present. */
export const CLIENT_SCOPES_PATH = '/internal/client-scopes';

/** What the authorizer answered to a call of one of its internal operations. */
export interface AuthorizerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly details: string | null;
  readonly data: unknown;
}

/**
 * Calls an internal operation of the authorizer: POST with a body, else GET. Resolves with any status below 500;
 * rejects with Fault `service_unavailable` if the authorizer does not answer, or fails itself.
 */
export type CallAuthorizer = (call: Omit<HttpCall, 'method'>) => Promise<AuthorizerAnswer>;

/** A process towards the authorizer. */
export interface AuthorizerCaller {
  readonly authorizerUrl: string;
  /** The name of the process. */
  readonly service: string;
  /** Its SERVICE_SECRET. */
  readonly secret: string;
  /** The authorizer's addresses, for a caller that reads their breakers. */
  readonly addresses?: Addresses;
}

/** The Authorization header of a process towards the authorizer's internal operations. */
export function formatServiceAuthorization(service: string, secret: string): string {
  return `Basic ${Buffer.from(`${service}:${secret}`).toString('base64')}`;
}

/** Makes the calls of one process. */
export function createAuthorizerCalls(caller: AuthorizerCaller): CallAuthorizer {
  const { authorizerUrl, service, secret, addresses } = caller;
  const send = createHttpClient(authorizerUrl, addresses);
  const authorization = formatServiceAuthorization(service, secret);
  const unavailable = (): Fault =>
    new Fault('service_unavailable', 'The authorizer does not answer at the moment.', { 'Retry-After': '1' });

  return async (call) => {
    const method = call.body ? 'POST' : 'GET';
    try {
      const { status, headers, text } = await send({ ...call, method, headers: { ...call.headers, authorization } });
      if (status >= 500) throw unavailable();
      const { details, data } = JSON.parse(text) as { readonly details: string | null; readonly data: unknown };
      return { status, headers, details, data };
    } catch {
      throw unavailable();
    }
  };
}

/** A service's call on its own behalf. */
interface ServiceCall {
  /** The service that is called. */
  readonly audience: string;
  /** The institution whose data it may touch; empty for data that belongs to none. */
  readonly institution: string;
  /** The id of the one operation that is called. */
  readonly operation: string;
}

/** The credentials of a service towards other services. */
export interface ServiceCredentials {
  /**
   * An identity token for the call, cached until shortly before it expires. Rejects with Fault `service_unavailable` if
   * the authorizer does not respond, and with a plain Error if it refuses: then the installation is misconfigured.
   */
  tokenFor(call: ServiceCall): Promise<string>;
}

interface ServiceCredentialsOptions extends AuthorizerCaller {
  /**
   * The published keys: a cached token whose key was withdrawn is discarded, since the other service would refuse it.
   */
  readonly keys?: Pick<KeySet, 'key'>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

interface Minted {
  readonly identity: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly kid: string | undefined;
}

/** How long before their expiry tokens are renewed; it covers the call that they are for. */
const SPARE_MS = 15_000;

const CACHE_SIZE = 10_000;

/** Creates the credentials of one service. */
export function createServiceCredentials(options: ServiceCredentialsOptions): ServiceCredentials {
  const { service, keys, now = Date.now } = options;
  const callAuthorizer = createAuthorizerCalls(options);
  const minted = new LRUCache<string, Minted>({ maxSize: CACHE_SIZE, sizeCalculation: () => 1 });
  const underway = new Map<string, Promise<Minted>>();

  const mint = async (call: ServiceCall): Promise<Minted> => {
    const { audience, institution, operation } = call;
    const { status, details, data } = await callAuthorizer({
      path: IDENTITIES_PATH,
      headers: traceHeaders(),
      body: { audience, institution, operation },
    });
    if (status !== 200) {
      throw new Error(`the authorizer refused ${service} a call of ${operation} at ${audience}: ${details}`);
    }
    const { identity, expiresAt } = data as { readonly identity: string; readonly expiresAt: string };
    return { identity, expiresAt: Date.parse(expiresAt), kid: jwt.decode(identity, { complete: true })?.header.kid };
  };

  /** Whether its key may still be valid, as far as is known. */
  const counts = async ({ kid }: Minted): Promise<boolean> => {
    if (!keys || kid === undefined) return true;
    return keys.key(kid).then(Boolean, () => true);
  };

  return {
    tokenFor: async (call) => {
      const key = JSON.stringify([call.audience, call.institution, call.operation]);
      const known = minted.get(key);
      if (known && now() < known.expiresAt - SPARE_MS && (await counts(known))) return known.identity;
      const pending =
        underway.get(key) ??
        mint(call).finally(() => {
          underway.delete(key);
        });
      underway.set(key, pending);
      const fresh = await pending;
      minted.set(key, fresh);
      return fresh.identity;
    },
  };
}

/**
 * The operator's message for a process whose secret the authorizer refuses, from the details of its answer; names the
 * secret's owner if it is another process's.
 */
export function describeRefusedSecret(details: string | null): string {
  const given = details?.replace(/\.$/, '') ?? '';
  const reason = given.includes('SERVICE_SECRET')
    ? given
    : `SERVICE_SECRET is not what the authorizer expects ${given}`;
  return `the authorizer refuses this process: ${reason.trim()}; it does not become ready, and its calls of others fail, until it has its own (operator service-secrets)`;
}

/** Whether the authorizer accepts a process's secret; `unknown` when it does not respond, or fails itself. */
type SecretVerdict =
  | { readonly secret: 'right' | 'unknown' }
  | { readonly secret: 'wrong' /** One line, for the operator. */; readonly reason: string };

/**
 * Verifies a service's secret with the authorizer. The operation is the gateway's, so another service with a valid
 * secret gets 403, which suffices as proof. `signal` aborts the request.
 */
export function verifySecret(own: AuthorizerCaller, signal?: AbortSignal): Promise<SecretVerdict> {
  return createAuthorizerCalls(own)({ path: REVOCATIONS_PATH, signal }).then(
    ({ status, details }) =>
      status === 401 ? { secret: 'wrong', reason: describeRefusedSecret(details) } : { secret: 'right' },
    () => ({ secret: 'unknown' }),
  );
}
