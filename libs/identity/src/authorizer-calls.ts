import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { type Addresses, createHttpClient, createTraceHeaders, type HttpCall } from '@boxoffice/runtime';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { KeySet } from './key-set.ts';

export const IDENTITIES_PATH = '/internal/identities';

export const DECISIONS_PATH = '/internal/decisions';

export const REVOCATIONS_PATH = '/internal/revocations';

export const API_KEYS_PATH = '/internal/api-keys';

export const PUBLIC_DECISIONS_PATH = '/internal/public-decisions';

export const ORIGINS_PATH = '/internal/origins';

export const USAGE_PATH = '/internal/usage';

export const CLIENT_SCOPES_PATH = '/internal/client-scopes';

export interface AuthorizerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly details: string | null;
  readonly data: unknown;
}

/** POST with a body, else GET. Resolves with any status below 500, else rejects with Fault `service_unavailable`. */
export type CallAuthorizer = (call: Omit<HttpCall, 'method'>) => Promise<AuthorizerAnswer>;

export interface AuthorizerCaller {
  readonly authorizerUrl: string;
  readonly service: string;
  readonly secret: string;
  readonly addresses?: Addresses;
}

export function formatServiceAuthorization(service: string, secret: string): string {
  return `Basic ${Buffer.from(`${service}:${secret}`).toString('base64')}`;
}

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

interface ServiceCall {
  readonly audience: string;
  /** Empty for data that belongs to no institution. */
  readonly institution: string;
  readonly operation: string;
}

export type ServiceCredentials = ReturnType<typeof createServiceCredentials>;

interface ServiceCredentialsOptions extends AuthorizerCaller {
  readonly keys?: Pick<KeySet, 'key'>;
  readonly now?: () => number;
}

interface Minted {
  readonly identity: string;
  readonly expiresAt: number;
  readonly kid: string | undefined;
}

/** How long before their expiry tokens are renewed; it covers the call that they are for. */
const SPARE_MS = 15_000;

const CACHE_SIZE = 10_000;

export function createServiceCredentials(options: ServiceCredentialsOptions) {
  const { service, keys, now = Date.now } = options;
  const callAuthorizer = createAuthorizerCalls(options);
  const minted = new LRUCache<string, Minted>({ maxSize: CACHE_SIZE, sizeCalculation: () => 1 });
  const underway = new Map<string, Promise<Minted>>();

  const mint = async (call: ServiceCall): Promise<Minted> => {
    const { audience, institution, operation } = call;
    const { status, details, data } = await callAuthorizer({
      path: IDENTITIES_PATH,
      headers: createTraceHeaders(),
      body: { audience, institution, operation },
    });
    if (status !== 200) {
      throw new Error(`the authorizer refused ${service} a call of ${operation} at ${audience}: ${details}`);
    }
    const { identity, expiresAt } = data as { readonly identity: string; readonly expiresAt: string };
    return { identity, expiresAt: Date.parse(expiresAt), kid: jwt.decode(identity, { complete: true })?.header.kid };
  };

  const counts = async ({ kid }: Minted): Promise<boolean> => {
    if (!keys || kid === undefined) return true;
    return keys.key(kid).then(Boolean, () => true);
  };

  return {
    /** Cached. Rejects with Fault `service_unavailable` without the authorizer, and with an Error if it refuses. */
    tokenFor: async (call: ServiceCall): Promise<string> => {
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

/** The message for the operator; names the secret's owner if it is another process's. */
export function describeRefusedSecret(details: string | null): string {
  const given = details?.replace(/\.$/, '') ?? '';
  const reason = given.includes('SERVICE_SECRET')
    ? given
    : `SERVICE_SECRET is not what the authorizer expects ${given}`;
  return `the authorizer refuses this process: ${reason.trim()}; it does not become ready, and its calls of others fail, until it has its own (operator service-secrets)`;
}

/** `unknown`: the authorizer does not respond, or fails itself. */
type SecretVerdict =
  | { readonly secret: 'right' | 'unknown' }
  | { readonly secret: 'wrong' /** One line, for the operator. */; readonly reason: string };

/** The operation is the gateway's: another service's valid secret gets 403, which suffices as proof. */
export function verifySecret(own: AuthorizerCaller, signal?: AbortSignal): Promise<SecretVerdict> {
  return createAuthorizerCalls(own)({ path: REVOCATIONS_PATH, signal }).then(
    ({ status, details }) =>
      status === 401 ? { secret: 'wrong', reason: describeRefusedSecret(details) } : { secret: 'right' },
    () => ({ secret: 'unknown' }),
  );
}
