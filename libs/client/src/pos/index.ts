import type { Answer, Call, Options, RecordList } from '../call.ts';
import { ApiError, ConnectionError, type Refusal } from '../errors.ts';
import { table } from '../generated/pos-table.ts';
import type { Operations, StatusCode } from '../generated/pos-types.ts';
import type { Fetch } from '../http/exchange.ts';
import { createMethods } from '../http/methods.ts';
import { createTransport } from '../http/transport.ts';
import { type Connection, normaliseBaseUrl } from '../options.ts';

export type * from '../generated/pos-types.ts';
export { type Answer, type Call, ConnectionError, type Options, type RecordList };

export interface PosClientOptions extends Connection {
  /** The point of sale: what the shop sends as `X-Service-Host`. */
  serviceHost: string;
  /** The language of the answers. Default: the first one of the point of sale. */
  lang?: string;
  /** The session of an earlier page. */
  sessionToken?: string;
  /** Is given the token of each new session, to store it. */
  onSession?: (token: string) => void;
}

/** A visitor of a point of sale: a method per operation, and the session that they share. */
export interface PosClient extends Operations {
  /** The token of the session; undefined before there is one. */
  readonly sessionToken: string | undefined;
}

export type PosStatus = StatusCode | (string & Record<never, never>);

export class PosError extends ApiError {
  override readonly name = 'PosError';
  readonly errorCode: PosStatus;
  readonly errorMessage: string | null;
  /** Of a 500: whether the visitor was logged out. */
  readonly userLoggedOut: boolean;
  /** Of a 500: whether the order was cancelled. */
  readonly orderCancelled: boolean;

  constructor(refusal: Refusal) {
    super(refusal);
    this.errorCode = refusal.status;
    this.errorMessage = refusal.details;
    this.userLoggedOut = refusal.envelope.userLoggedOut === true;
    this.orderCancelled = refusal.envelope.orderCancelled === true;
  }
}

export function isPosError(error: unknown, ...codes: readonly PosStatus[]): error is PosError {
  return error instanceof PosError && (codes.length === 0 || codes.includes(error.errorCode));
}

/** Creates a visitor of a point of sale. @throws {TypeError} when the address is none */
export function createPosClient(options: PosClientOptions): PosClient {
  const { serviceHost, lang, onSession, timeoutMs = 60_000, retries = 4, maxDelayMs = 60_000, signal } = options;
  let session = options.sessionToken;
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const inSession: Fetch = async (url, init) => {
    const response = await send(url, init);
    const token = response.headers.get('x-auth-token');
    if (token && token !== session) {
      session = token;
      onSession?.(token);
    }
    return response;
  };
  const authentication = {
    headers: async () => ({ 'x-service-host': serviceHost, ...(session !== undefined && { 'x-auth-token': session }) }),
    renew: async () => false,
  };
  const fail = (refusal: Refusal) => new PosError(refusal);
  const transport = createTransport(inSession, authentication, { retries, maxDelayMs }, fail);
  const base = {
    baseUrl: normaliseBaseUrl(options.baseUrl),
    timeoutMs,
    signal,
    ...(lang !== undefined && { query: { lang } }),
  };
  return Object.defineProperties(createMethods<PosClient>(table, transport, base), {
    sessionToken: { get: () => session },
  });
}
