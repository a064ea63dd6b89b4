import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import type { AccessClaims } from '@boxoffice/identity';
import type { Span, Trace } from '@boxoffice/runtime';
import type { KnownApiKey } from '../authorization/api-keys.ts';
import type { Family } from './faults.ts';
import type { Target } from './target.ts';

export interface Route {
  readonly method: string;
  /** Path with `{parameters}`. */
  readonly template: string;
  readonly operation: string;
  readonly service: string;
  /** Separated by spaces; undefined for operations without a token. */
  readonly scope: string | undefined;
  /** An API key suffices for public data. */
  readonly isPublic: boolean;
  readonly takesKey: boolean;
  /** Milliseconds until the response begins, if that is longer than usual. */
  readonly answersWithinMs?: number | undefined;
  /** Media types other than JSON; of web pages, whatever the service sends. */
  readonly mediaTypes: ReadonlySet<string> | 'any';
  readonly key: string;
}

export interface Quota {
  readonly policy: Policy;
  readonly allowed: boolean;
  readonly left: number;
  readonly resetSeconds: number;
}

export interface Policy {
  readonly name: string;
  readonly field: string;
}

export function formatRateLimit({ policy, left, resetSeconds }: Quota): string {
  return `"${policy.name}";r=${left};t=${resetSeconds}`;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: Trace;
  /** Undefined unless spans are recorded. */
  readonly span: Span | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number;
  /** Epoch milliseconds: when the request began, or had its turn. */
  now: number;
  /** True over TLS to the gateway or to a trusted proxy. */
  readonly secure: boolean;
  /** Undefined where `Strict-Transport-Security` is not sent. */
  readonly hsts: string | undefined;
  readonly host: string | undefined;
  /** The address as trusted proxies report it. */
  readonly address: string;
  /** True if browsers are led to this raw request target. */
  readonly hasErrorPages: (url: string | undefined) => boolean;
  /** It is thrown after the route is known. */
  originRefusal: Fault | undefined;
  family: Family;
  target: Target;
  /** The quota of the address, until a narrower one is counted. */
  quota: Quota | undefined;
  route: Route | undefined;
  claims: AccessClaims | undefined;
  /** A valid key; beside a token it is of the same institution, and only counted. */
  apiKey: KnownApiKey | undefined;
  /** Read by the metrics; undefined without a key. */
  keyOutcome: KeyOutcome | undefined;
  isPublic: boolean;
  token: string;
  /** SHA-256 of the token, base64url. */
  tokenHash: string;
  identity: string | undefined;
  /** By the monotonic clock, 0 before. */
  forwardedAt: number;
  /** The quota of this key counts the request while it is in flight. */
  admittedKey: string | undefined;
  /** Names and values in turn. */
  corsHeaders: readonly string[];
  bytesOut: number;
  /** It is notified when the response is sent or the client has disconnected. */
  proxied: ProxiedExchange | undefined;
}

/** `counted` if a token decides, or none is needed. */
export const keyOutcomes = ['admitted', 'counted', 'not_public', 'invalid', 'origin', 'rate', 'quota'] as const;
type KeyOutcome = (typeof keyOutcomes)[number];

export interface ProxiedExchange {
  end(): void;
}

/**
 * Throws or rejects with a Fault to refuse the request. Returns no promise where the outcome is known at once, so most
 * requests pass all middleware synchronously.
 */
export type Check = (exchange: Exchange) => undefined | Promise<undefined>;

declare global {
  namespace Express {
    interface Request {
      exchange: Exchange;
    }
  }
}
