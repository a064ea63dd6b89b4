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

interface Called {
  readonly operation: string;
  readonly audience: string;
}

export interface ApiKeyFacts {
  readonly apiKeyId: string;
  readonly institution: string;
  /** Empty: the key may be used from any origin. */
  readonly origins: readonly string[];
  readonly ratePerMinute: number;
  readonly monthlyQuota: number | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
  /** The calendar month of `used`, UTC: `2027-03`. */
  readonly month: string;
  /** Requests that count against the quota in that month, as gateways have reported. */
  readonly used: number;
  /** The last report of this gateway that `used` includes. */
  readonly reportedUpTo: number;
}

export interface Rate {
  /** Consists of the policy's name and the key. */
  readonly caller: string;
  readonly perMinute: number;
  readonly used: number;
  /** Includes, at the present pace, what is refused here. */
  readonly wanted: number;
}

export interface Division {
  /** Gateways that have reported lately, this one included. */
  readonly gateways: number;
  /** This gateway's requests per minute, by caller. */
  readonly shares: Readonly<Record<string, number>>;
}

export interface Decision {
  readonly identity: string;
  readonly expiresAt: number;
}

export interface Changes {
  readonly tokens: readonly { readonly jti: string; readonly expiresAt: string }[];
  readonly clients: readonly { readonly clientId: string; readonly changedAt: string }[];
  readonly asOf: string;
}

/** The authorizer does not accept this gateway's SERVICE_SECRET. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
}

export type AuthorizerClient = ReturnType<typeof createAuthorizerClient>;

interface AuthorizerClientOptions {
  /** Undefined: every call rejects with service_unavailable. */
  readonly url: string | undefined;
  readonly secret: string;
  /** While all of them fail, decisions are refused at once. */
  readonly addresses: Addresses | undefined;
}

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden' } as const;

export function createAuthorizerClient({ url, secret, addresses }: AuthorizerClientOptions) {
  const call: CallAuthorizer =
    url === undefined
      ? () => Promise.reject(authorizerUnavailable())
      : createAuthorizerCalls({ authorizerUrl: url, service: 'gateway', secret, addresses });

  /** Only a fault of the installation could refuse such a call. */
  const requestData = async (path: string, body?: object): Promise<unknown> => {
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
    // A 401 without a challenge refuses this gateway's secret, which polling logs, not the client's token.
    if (status === 401 && answer.headers['www-authenticate'] === undefined) throw authorizerUnavailable();
    if (status === 401 || status === 403) throw relayRefusal(REFUSALS[status], answer);
    if (status !== 200 || !isDecision(data)) throw authorizerUnavailable();
    return { identity: data.identity, expiresAt: Date.parse(data.expiresAt) };
  };

  return {
    /** Rejects with the authorizer's own unauthorized or forbidden, or with service_unavailable. */
    decide: (request: Called & { readonly token: string; readonly scope: string }, trace: Trace) =>
      decideAt(DECISIONS_PATH, request, trace),
    /** Decides on an API key without a token. */
    decidePublic: (request: Called & { readonly keyHash: string }, trace: Trace) =>
      decideAt(PUBLIC_DECISIONS_PATH, request, trace),
    /** Undefined for a key that cannot be used. Rejects with service_unavailable. */
    async verifyApiKey(keyHash: string, gateway: string): Promise<ApiKeyFacts | undefined> {
      const data = await requestData(API_KEYS_PATH, { keyHash, gateway }).catch(() => {
        throw authorizerUnavailable();
      });
      return (data as { readonly apiKey: ApiKeyFacts | null }).apiKey ?? undefined;
    },
    /** Origins that clients and API keys name; undefined if `mark` is current. */
    async origins(mark: string) {
      const data = await requestData(`${ORIGINS_PATH}?mark=${encodeURIComponent(mark)}`);
      const { mark: next, origins } = data as { readonly mark: string; readonly origins: readonly string[] | null };
      return origins === null ? undefined : { mark: next, origins };
    },
    /** Resolves when it is durable. Undefined from an authorizer of the release before, which divides no limits. */
    async recordUsage(report: object): Promise<Division | undefined> {
      const division = (await requestData(USAGE_PATH, report)) as Partial<Division>;
      return division.gateways === undefined ? undefined : (division as Division);
    },
    /** Rejects with SecretRefused if SERVICE_SECRET is not the gateway's. */
    async changes(since: string | undefined): Promise<Changes> {
      const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
      return (await requestData(`${REVOCATIONS_PATH}${query}`)) as Changes;
    },
  };
}

const authorizerUnavailable = (): Fault => createUnavailableFault('The authorizer does not answer; try again later.');

/** Keeps the authorizer's details and challenge. */
const relayRefusal = (code: 'unauthorized' | 'forbidden', { details, headers }: AuthorizerAnswer): Fault => {
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
