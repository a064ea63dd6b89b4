import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import type { AccessClaims } from '@boxoffice/identity';
import type { Span, Trace } from '@boxoffice/runtime';
import type { Quota } from './quota.ts';
import type { Route } from './route.ts';
import type { Family, Target } from './target.ts';

/** One request and what the steps have learned of it so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: Trace;
  /** Where spans are recorded. */
  readonly span: Span | undefined;
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether it came over TLS to us, or to a proxy that we trust. */
  readonly secure: boolean;
  /** The value of `Strict-Transport-Security`; undefined where it is not sent. */
  readonly hsts: string | undefined;
  /** The client's address, behind trusted proxies. */
  readonly address: string;
  /** Why the request's origin is not let in, if it is not: said once its operation is known. */
  originRefusal: Fault | undefined;
  family: Family;
  target: Target;
  /** The quota that the answer tells of: the address's, until something narrower is known. */
  quota: Quota | undefined;
  route: Route | undefined;
  claims: AccessClaims | undefined;
  token: string;
  /** SHA-256 of the token, base64url. */
  tokenHash: string;
  /** The authorizer's word for the service. */
  identity: string | undefined;
  /** When it was passed on to a service, by the monotonic clock; 0 until then. */
  forwardedAt: number;
  /** Told when the answer is out, or the client gone. */
  proxied: ProxiedExchange | undefined;
}

/** Something that ends with its exchange. */
export interface ProxiedExchange {
  end(): void;
}

/** What a step says when it has answered the request, or will: no further step runs. */
export const answered = Symbol('answered');

/**
 * One step of the pipeline. It throws or rejects with a Fault to refuse the request. Steps that know the answer at once
 * return no promise: most requests pass all of them without leaving the stack.
 */
export type Step = (exchange: Exchange) => typeof answered | undefined | Promise<typeof answered | undefined>;
