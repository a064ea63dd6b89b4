// One request: the facts that the middleware have found out about it. `request.exchange` has it from the first one on.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import type { AccessClaims } from '@boxoffice/identity';
import type { Span, Trace } from '@boxoffice/runtime';
import type { KnownApiKey } from '../authorization/api-keys.ts';
import type { Family } from './faults.ts';
import type { Target } from './target.ts';

/** A public operation. */
export interface Route {
  readonly method: string;
  /** Path with `{parameters}`. */
  readonly template: string;
  /** The operationId. */
  readonly operation: string;
  readonly service: string;
  /** Required scopes, separated by spaces; undefined for operations without a token. */
  readonly scope: string | undefined;
  /** Whether an API key suffices, for public data. */
  readonly isPublic: boolean;
  /** Whether a repeat with the same Idempotency-Key has no second effect. */
  readonly takesKey: boolean;
  /** Milliseconds that it may take to begin its response, if that is longer than usual. */
  readonly answersWithinMs?: number | undefined;
  /** Described media types of its responses other than JSON; of web pages, whatever the service sends. */
  readonly mediaTypes: ReadonlySet<string> | 'any';
  /** Service, operation and scope: the cache key of a decision. */
  readonly key: string;
}

/** The state of one rate limit for one key. */
export interface Quota {
  /** The limit's policy. */
  readonly policy: Policy;
  readonly allowed: boolean;
  /** Remaining requests. */
  readonly left: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

export interface Policy {
  readonly name: string;
  /** The value of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  readonly field: string;
}

/** The value of `RateLimit`. */
export function formatRateLimit({ policy, left, resetSeconds }: Quota): string {
  return `"${policy.name}";r=${left};t=${resetSeconds}`;
}

/** One request and what is known about it so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: Trace;
  /** Undefined unless spans are recorded. */
  readonly span: Span | undefined;
  /** Monotonic clock, milliseconds. */
  readonly startedAt: number;
  /** Epoch milliseconds: when it began, or had its turn. */
  now: number;
  /** Whether the request came over TLS to the gateway or to a trusted proxy. */
  readonly secure: boolean;
  /** The value of `Strict-Transport-Security`; undefined where it is not sent. */
  readonly hsts: string | undefined;
  /** The `Host` that the client named. */
  readonly host: string | undefined;
  /** The client's address as trusted proxies report it. */
  readonly address: string;
  /** Whether browsers are led to this raw request target, so that its errors are pages. */
  readonly hasErrorPages: (url: string | undefined) => boolean;
  /** Why the request's origin is refused, if it is; thrown after the route is known. */
  originRefusal: Fault | undefined;
  family: Family;
  target: Target;
  /** The quota in the response headers: the address's, until a narrower one is counted. */
  quota: Quota | undefined;
  route: Route | undefined;
  claims: AccessClaims | undefined;
  /** The valid API key of the request: beside a token it is of the same institution, and only counted. */
  apiKey: KnownApiKey | undefined;
  /** What became of the request's API key, for the metrics; undefined without one. */
  keyOutcome: KeyOutcome | undefined;
  /** Whether the API key, and no token, identifies the caller. */
  isPublic: boolean;
  token: string;
  /** SHA-256 of the token, base64url. */
  tokenHash: string;
  /** The authorizer's signed identity for the service. */
  identity: string | undefined;
  /** When the request was forwarded; monotonic clock, 0 before. */
  forwardedAt: number;
  /** The API key against whose quota the request counts while it is in flight. */
  admittedKey: string | undefined;
  /** Headers of the response for its reader's origin; names and values in turn. */
  corsHeaders: readonly string[];
  /** Bytes of the response's body. */
  bytesOut: number;
  /** Notified when the response is sent or the client has disconnected. */
  proxied: ProxiedExchange | undefined;
}

/** What can become of an API key: `counted` if a token decides, or none is needed. */
export const keyOutcomes = ['admitted', 'counted', 'not_public', 'invalid', 'origin', 'rate', 'quota'] as const;
type KeyOutcome = (typeof keyOutcomes)[number];

/** The forwarder's state of an exchange. */
export interface ProxiedExchange {
  end(): void;
}

/**
 * Finds out something about a request, or throws or rejects with a Fault to refuse it. Returns no promise where the
 * outcome is known at once, so most requests pass all middleware synchronously.
 */
export type Check = (exchange: Exchange) => undefined | Promise<undefined>;

declare global {
  namespace Express {
    interface Request {
      /** Made by the first middleware; the others read it and add to it. */
      exchange: Exchange;
    }
  }
}
