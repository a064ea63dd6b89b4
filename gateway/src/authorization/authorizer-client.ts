import { Fault } from '@boxoffice/envelope';
import {
  API_KEYS_PATH,
  DECISIONS_PATH,
  ORIGINS_PATH,
  PUBLIC_DECISIONS_PATH,
  REVOCATIONS_PATH,
  refusedSecret,
  serviceAuthorization,
  USAGE_PATH,
} from '@boxoffice/identity';
import { recording, type Trace } from '@boxoffice/runtime';
import { unavailable } from '../exchange/faults.ts';
import type { AddressFactory } from '../upstream/address-factory.ts';
import type { Addresses } from '../upstream/addresses.ts';
import { UpstreamTimeout } from '../upstream/failure.ts';
import { createInternalCalls, type InternalAnswer } from '../upstream/internal-calls.ts';

/** A decision request: may the bearer of the token call this operation of this service? */
export interface DecisionRequest {
  readonly token: string;
  readonly operation: string;
  readonly scope: string;
  readonly audience: string;
}

/** A decision request of a public request: an API key, by its hash, in the place of a token. */
export interface PublicDecisionRequest {
  readonly keyHash: string;
  readonly operation: string;
  readonly audience: string;
}

/** A usable API key, as the authorizer knows it. */
export interface ApiKeyFacts {
  readonly apiKeyId: string;
  readonly institution: string;
  /** Empty: any origin. */
  readonly origins: readonly string[];
  readonly ratePerMinute: number;
  readonly monthlyQuota: number | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
  /** The calendar month of `used`, UTC: `2027-03`. */
  readonly month: string;
  /** Requests of that month that count against the quota, as gateways have reported them. */
  readonly used: number;
  /** The last report of this gateway that `used` includes. */
  readonly reportedUpTo: number;
}

/** A positive decision: a signed identity for the service. */
export interface Decision {
  readonly identity: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Revoked tokens and changed clients. */
export interface Changes {
  readonly tokens: readonly { readonly jti: string; readonly expiresAt: string }[];
  readonly clients: readonly { readonly clientId: string; readonly changedAt: string }[];
  /** The `since` of the next request. */
  readonly asOf: string;
}

/** The authorizer does not accept this gateway's SERVICE_SECRET. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
}

/** The authorizer's internal operations, as the gateway calls them. */
export interface AuthorizerClient {
  /** The authorizer's addresses; undefined if none is configured. */
  readonly addresses: Addresses | undefined;
  /** Rejects with the authorizer's own unauthorized or forbidden, or with service_unavailable if it does not answer. */
  decide(request: DecisionRequest, trace: Trace): Promise<Decision>;
  /** The same for a request with an API key and no token. */
  decidePublic(request: PublicDecisionRequest, trace: Trace): Promise<Decision>;
  /** Undefined for a key that cannot be used. Rejects with service_unavailable if the authorizer does not answer. */
  verifyApiKey(keyHash: string, gateway: string): Promise<ApiKeyFacts | undefined>;
  /** The origins that clients and API keys name, and their mark; undefined if `mark` is current. Rejects otherwise. */
  origins(mark: string): Promise<{ readonly mark: string; readonly origins: readonly string[] } | undefined>;
  /** Resolves when the authorizer has recorded the report durably; rejects otherwise. */
  recordUsage(report: object): Promise<void>;
  /**
   * Rejects with SecretRefused if SERVICE_SECRET is not the gateway's; with another error if the authorizer does not
   * answer.
   */
  changes(since: string | undefined): Promise<Changes>;
  /** Closes the pooled connections. */
  close(): void;
}

export interface AuthorizerClientOptions {
  /** Undefined if no authorizer is configured; every decision is then refused with 503. */
  readonly url: string | undefined;
  readonly secret: string;
  readonly addressesOf: AddressFactory;
  readonly timeoutMs?: number;
}

const authorizerUnavailable = (): Fault => unavailable('The authorizer does not answer; try again later.');

interface Envelope {
  readonly details: string | null;
  readonly data: unknown;
}

/** The authorizer's refusal as a Fault with its details and challenge. */
const relayed = (
  code: 'unauthorized' | 'forbidden',
  { details }: Envelope,
  headers: InternalAnswer['headers'],
): Fault => {
  const challenge = headers['www-authenticate'];
  return new Fault(
    code,
    details ?? 'The authorizer refused the request.',
    challenge ? { 'WWW-Authenticate': challenge } : {},
  );
};

const parsed = (text: string): Envelope | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
};

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden' } as const;

const isDecision = (data: unknown): data is { readonly identity: string; readonly expiresAt: string } => {
  const { identity, expiresAt } = (data ?? {}) as { readonly identity?: unknown; readonly expiresAt?: unknown };
  return typeof identity === 'string' && typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
};

/** Makes the client of the authorizer's internal operations. */
export const createAuthorizerClient = ({
  url,
  secret,
  addressesOf,
  timeoutMs = 3_000,
}: AuthorizerClientOptions): AuthorizerClient => {
  const authorization = serviceAuthorization('gateway', secret);
  const addresses = url === undefined ? undefined : addressesOf('authorizer', url);
  const calls = url === undefined || !addresses ? undefined : createInternalCalls({ url, addresses, timeoutMs });

  const post = async (path: string, body: string, trace?: Trace): Promise<InternalAnswer> => {
    if (!calls) throw authorizerUnavailable();
    const headers = {
      authorization,
      'content-type': 'application/json',
      ...(trace && { 'x-request-id': trace.requestId, traceparent: trace.traceparent }),
    };
    return calls.call({ method: 'POST', path, headers, body });
  };

  /** For requests without effect: repeated once after a connection error. */
  const postWithRetry = (path: string, body: string, trace?: Trace): Promise<InternalAnswer> =>
    post(path, body, trace).catch((error: Error) => {
      if (error instanceof UpstreamTimeout) throw error;
      return post(path, body, trace);
    });

  const decideAt = async (path: string, request: object, trace: Trace): Promise<Decision> => {
    if (!addresses || addresses.refuses(Date.now())) throw authorizerUnavailable();
    const span = recording()?.({
      service: 'gateway',
      kind: 'client',
      name: 'decide',
      parent: trace.traceparent,
      attributes: { 'http.request.method': 'POST', 'server.address': 'authorizer' },
    });
    const within = span ? { requestId: trace.requestId, traceparent: span.traceparent } : trace;
    const reply = await postWithRetry(path, JSON.stringify(request), within).catch(() => undefined);
    if (reply) span?.set({ 'http.response.status_code': reply.status });
    span?.end(reply && reply.status < 500 ? undefined : String(reply?.status ?? 'unavailable'));
    const envelope = reply && reply.status < 500 ? parsed(reply.text) : undefined;
    if (!reply || !envelope) throw authorizerUnavailable();
    const { status, headers } = reply;
    // A 401 without a challenge refuses this gateway's secret, not the client's token. Polling logs that.
    if (status === 401 && headers['www-authenticate'] === undefined) throw authorizerUnavailable();
    if (status === 401 || status === 403) throw relayed(REFUSALS[status], envelope, headers);
    if (status !== 200 || !isDecision(envelope.data)) throw authorizerUnavailable();
    return { identity: envelope.data.identity, expiresAt: Date.parse(envelope.data.expiresAt) };
  };

  return {
    addresses,
    decide: (request, trace) => decideAt(DECISIONS_PATH, request, trace),
    decidePublic: (request, trace) => decideAt(PUBLIC_DECISIONS_PATH, request, trace),
    async verifyApiKey(keyHash, gateway) {
      const body = JSON.stringify({ keyHash, gateway });
      const reply = await postWithRetry(API_KEYS_PATH, body).catch(() => undefined);
      const envelope = reply?.status === 200 ? parsed(reply.text) : undefined;
      if (!envelope) throw authorizerUnavailable();
      return (envelope.data as { readonly apiKey: ApiKeyFacts | null }).apiKey ?? undefined;
    },
    async origins(mark) {
      if (!calls) throw authorizerUnavailable();
      const path = `${ORIGINS_PATH}?mark=${encodeURIComponent(mark)}`;
      const { status, text } = await calls.call({ method: 'GET', path, headers: { authorization } });
      if (status !== 200) throw new Error(`the authorizer answered ${status}`);
      const { data } = JSON.parse(text) as { data: { mark: string; origins: readonly string[] | null } };
      return data.origins === null ? undefined : { mark: data.mark, origins: data.origins };
    },
    async recordUsage(report) {
      const { status } = await post(USAGE_PATH, JSON.stringify(report));
      if (status !== 200) throw new Error(`the authorizer answered ${status}`);
    },
    async changes(since) {
      if (!calls) throw authorizerUnavailable();
      const path = since === undefined ? REVOCATIONS_PATH : `${REVOCATIONS_PATH}?since=${encodeURIComponent(since)}`;
      const { status, text } = await calls.call({ method: 'GET', path, headers: { authorization } });
      if (status === 401) throw new SecretRefused(await refusedSecret(new Response(text)));
      if (status !== 200) throw new Error(`the authorizer answered ${status}`);
      return (JSON.parse(text) as { readonly data: Changes }).data;
    },
    close: () => calls?.close(),
  };
};
