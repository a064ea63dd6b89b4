// Traces: the ids that connect the work of one request, its spans, and their export.

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The ids that connect everything that one request causes, across all processes. */
export interface Trace {
  /** Returned as X-Request-Id. */
  readonly requestId: string;
  /** W3C Trace Context, `00-<trace id>-<parent id>-<flags>`. */
  readonly traceparent: string;
  /** The service at work, where spans are recorded. */
  readonly service?: string;
}

const storage = new AsyncLocalStorage<Trace>();

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The request id of a header, if it is well-formed; a new one otherwise, never an error. */
export const requestIdFrom = (header: string | string[] | undefined): string =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();

/** 32 hexadecimal digits; randomUUID uses entropy that Node caches, at a fraction of the cost of randomBytes. */
const randomDigits = (): string => randomUUID().replaceAll('-', '');

/** A new trace's traceparent, marked as sampled. */
const makeTraceparent = (): string => `00-${randomDigits()}-${randomDigits().slice(-16)}-01`;

/** The parts of a well-formed traceparent (W3C Trace Context, 3.2.2); undefined for anything else. */
export const parseTraceparent = (
  header: string | string[] | undefined,
): { readonly traceId: string; readonly spanId: string; readonly flags: number } | undefined => {
  const match = typeof header === 'string' && header.length <= 256 ? TRACEPARENT.exec(header) : null;
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (!/[^0]/.test(traceId) || !/[^0]/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
};

/** The traceparent of a header, if it is well-formed. A new one otherwise. */
export const traceparentFrom = (header: string | string[] | undefined): string =>
  typeof header === 'string' && parseTraceparent(header) ? header : makeTraceparent();

/** The trace that a request belongs to, from its headers. */
export const traceFrom = (headers: IncomingHttpHeaders): Trace => ({
  requestId: requestIdFrom(headers['x-request-id']),
  traceparent: traceparentFrom(headers.traceparent),
});

/** Calls `fn` within a trace: everything that it awaits and starts belongs to it, too. */
export const runWithTrace = <Result>(trace: Trace, fn: () => Result): Result => storage.run(trace, fn);

/** The trace of the current call, or undefined outside of any. */
export const currentTrace = (): Trace | undefined => storage.getStore();

/** The headers that carry the current trace to another process; empty outside of any. */
export const traceHeaders = (): Readonly<Record<string, string>> => {
  const trace = currentTrace();
  return trace ? { 'x-request-id': trace.requestId, traceparent: trace.traceparent } : {};
};
