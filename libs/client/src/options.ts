import type { Fetch } from './http/exchange.ts';

export interface Connection {
  /** The address of the installation: `https://tickets.example.org`. */
  baseUrl: string;
  /** Sends the requests instead of the platform's `fetch`. */
  fetch?: Fetch;
  /** Ends every call of the client. */
  signal?: AbortSignal;
  /** Milliseconds that one attempt of a call may take. Default: 60,000. */
  timeoutMs?: number;
  /** Repetitions of one call at most. Default: 4. */
  retries?: number;
  /** Milliseconds that a repetition waits at most; a longer `Retry-After` is an error at once. Default: 60,000. */
  maxDelayMs?: number;
}

export interface TokenSet {
  readonly accessToken: string;
  /** Used once: each renewal gives the next one. */
  readonly refreshToken?: string;
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
}

/** Who calls: a client with its secret, a user with a token, or the public with an API key. */
export interface Credentials {
  /** With `clientSecret` it gets tokens of its own, with `refreshToken` those of a user. */
  clientId?: string;
  clientSecret?: string;
  /** The scopes of the token, separated by spaces. Default: all of the client. */
  scope?: string;
  /** A user's token, or a function that gives the one that is valid now. */
  accessToken?: string | (() => string | Promise<string>);
  /** Renews the access token; needs `clientId`, and `clientSecret` if the client has one. */
  refreshToken?: string;
  /** When `accessToken` expires, in epoch milliseconds. Without it a 401 leads to the renewal. */
  expiresAt?: number;
  /** Is given each new token, to store it: a refresh token is used once. The next request waits for it. */
  onTokens?: (tokens: TokenSet) => void | Promise<void>;
  /** Counts the requests, and gives public data where there is no token. */
  apiKey?: string;
}

export interface ClientOptions extends Connection, Credentials {}

/** The address without a slash at its end. @throws {TypeError} when it is none */
export function normaliseBaseUrl(baseUrl: string): string {
  const { protocol, search, hash } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol) || search || hash) throw new TypeError(`baseUrl is no address: ${baseUrl}`);
  return baseUrl.replace(/\/+$/, '');
}

export function combineSignals(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
