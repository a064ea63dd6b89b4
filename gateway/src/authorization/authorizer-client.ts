import { Fault } from '@boxoffice/envelope';
import {
  API_KEYS_PATH,
  type AuthorizerAnswer,
  type CallAuthorizer,
  createAuthorizerCalls,
  DECISIONS_PATH,
  describeRefusedSecret,
  ORIGINS_PATH,
  PUBLIC_DECISIONS_PATH,
  REVOCATIONS_PATH,
  USAGE_PATH,
} from '@boxoffice/identity';
import { type Addresses, getRecorder, type Trace } from '@boxoffice/runtime';
import { createUnavailableFault } from '../exchange/faults.ts';

/** A decision request: may the bearer of the token call this operation of this service? */
interface DecisionRequest {
  readonly token: string;
  readonly operation: string;
  readonly scope: string;
  readonly audience: string;
}

/** A decision request of a public request: an API key, by its hash, in the place of a token. */
interface PublicDecisionRequest {
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

/** What one gateway reports about a key whose limit it shares with others. Requests per minute. */
export interface Rate {
  /** The policy's name and the key. */
  readonly caller: string;
  readonly perMinute: number;
  /** Admitted here in the last minute. */
  readonly used: number;
  /** The same and, at the present pace, what is refused here. */
  readonly wanted: number;
}

/** How the authorizer divides the limits of keys among the gateways that report. */
export interface Division {
  /** The gateways that have reported lately, this one included. */
  readonly gateways: number;
  /** The shares of this gateway in requests per minute, by caller. */
  readonly shares: Readonly<Record<string, number>>;
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
  /** Rejects with the authorizer's own unauthorized or forbidden, or with service_unavailable if it does not answer. */
  decide(request: DecisionRequest, trace: Trace): Promise<Decision>;
  /** The same for a request with an API key and no token. */
  decidePublic(request: PublicDecisionRequest, trace: Trace): Promise<Decision>;
  /** Undefined for a key that cannot be used. Rejects with service_unavailable if the authorizer does not answer. */
  verifyApiKey(keyHash: string, gateway: string): Promise<ApiKeyFacts | undefined>;
  /** The origins that clients and API keys name, and their mark; undefined if `mark` is current. Rejects otherwise. */
  origins(mark: string): Promise<{ readonly mark: string; readonly origins: readonly string[] } | undefined>;
  /**
   * Resolves when the authorizer has recorded the report durably; rejects otherwise. Undefined from an authorizer of
   * the release before, which divides no limits.
   */
  recordUsage(report: object): Promise<Division | undefined>;
  /**
   * Rejects with SecretRefused if SERVICE_SECRET is not the gateway's; with another error if the authorizer does not
   * answer.
   */
  changes(since: string | undefined): Promise<Changes>;
}

interface AuthorizerClientOptions {
  /** Undefined if no authorizer is configured; every call then rejects with service_unavailable. */
  readonly url: string | undefined;
  readonly secret: string;
  /** The authorizer's addresses for these calls: while all of them fail, decisions are refused at once. */
  readonly addresses: Addresses | undefined;
}

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden' } as const;

/** Makes the client of the authorizer's internal operations. */
export function createAuthorizerClient({ url, secret, addresses }: AuthorizerClientOptions): AuthorizerClient {
  const call: CallAuthorizer =
    url === undefined
      ? () => Promise.reject(authorizerUnavailable())
      : createAuthorizerCalls({ authorizerUrl: url, service: 'gateway', secret, addresses });

  /** The data of a call that only a fault of the installation could refuse. */
  const dataOf = async (path: string, body?: object): Promise<unknown> => {
    const { status, details, data } = await call({ path, body });
    if (status === 401) throw new SecretRefused(describeRefusedSecret(details));
    if (status !== 200) throw new Error(`the authorizer answered ${status}`);
    return data;
  };

  const decideAt = async (path: string, body: object, trace: Trace): Promise<Decision> => {
    if (addresses?.refuses()) throw authorizerUnavailable();
    const span = getRecorder()?.({
      service: 'gateway',
      kind: 'client',
      name: 'decide',
      parent: trace.traceparent,
      attributes: { 'http.request.method': 'POST', 'server.address': 'authorizer' },
    });
    const headers = { 'x-request-id': trace.requestId, traceparent: span?.traceparent ?? trace.traceparent };
    const answer = await call({ path, headers, body }).catch(() => undefined);
    if (answer) span?.set({ 'http.response.status_code': answer.status });
    span?.end(answer ? undefined : 'unavailable');
    if (!answer) throw authorizerUnavailable();
    const { status, data } = answer;
    // A 401 without a challenge refuses this gateway's secret, not the client's token. Polling logs that.
    if (status === 401 && answer.headers['www-authenticate'] === undefined) throw authorizerUnavailable();
    if (status === 401 || status === 403) throw relayed(REFUSALS[status], answer);
    if (status !== 200 || !isDecision(data)) throw authorizerUnavailable();
    return { identity: data.identity, expiresAt: Date.parse(data.expiresAt) };
  };

  return {
    decide: (request, trace) => decideAt(DECISIONS_PATH, request, trace),
    decidePublic: (request, trace) => decideAt(PUBLIC_DECISIONS_PATH, request, trace),
    async verifyApiKey(keyHash, gateway) {
      const data = await dataOf(API_KEYS_PATH, { keyHash, gateway }).catch(() => {
        throw authorizerUnavailable();
      });
      return (data as { readonly apiKey: ApiKeyFacts | null }).apiKey ?? undefined;
    },
    async origins(mark) {
      const data = await dataOf(`${ORIGINS_PATH}?mark=${encodeURIComponent(mark)}`);
      const { mark: next, origins } = data as { readonly mark: string; readonly origins: readonly string[] | null };
      return origins === null ? undefined : { mark: next, origins };
    },
    async recordUsage(report) {
      const division = (await dataOf(USAGE_PATH, report)) as Partial<Division>;
      return division.gateways === undefined ? undefined : (division as Division);
    },
    async changes(since) {
      const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
      return (await dataOf(`${REVOCATIONS_PATH}${query}`)) as Changes;
    },
  };
}

const authorizerUnavailable = (): Fault => createUnavailableFault('The authorizer does not answer; try again later.');

/** The authorizer's refusal as a Fault with its details and challenge. */
const relayed = (code: 'unauthorized' | 'forbidden', { details, headers }: AuthorizerAnswer): Fault => {
  const challenge = headers['www-authenticate'];
  return new Fault(
    code,
    details ?? 'The authorizer refused the request.',
    challenge ? { 'WWW-Authenticate': challenge } : {},
  );
};

const isDecision = (data: unknown): data is { readonly identity: string; readonly expiresAt: string } => {
  const { identity, expiresAt } = (data ?? {}) as { readonly identity?: unknown; readonly expiresAt?: unknown };
  return typeof identity === 'string' && typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
};
