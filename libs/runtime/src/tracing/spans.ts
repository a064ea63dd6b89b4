import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentTrace, parseTraceparent, type Trace, traceFrom } from './trace.ts';

/**
 * Spans: what took how long within a trace, for whoever records them (OpenTelemetry, see traces.ts). While nobody does,
 * a caller finds `recording()` undefined and is done. Names of attributes are those of OpenTelemetry's semantic
 * conventions; paths, queries and ids of persons are never among the values, for the same reason for which they are in
 * no log.
 */
export interface Span {
  /** What goes along to whatever the span causes. */
  readonly traceparent: string;
  /** For what is known only at the end. */
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Once. `failure` says that it failed, and how, in a word that is the same for many. */
  end(failure?: string): void;
}

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
  /** Whose span it is; default: the program's. */
  readonly service?: string | undefined;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly name: string;
  /** A traceparent that is well-formed; without one a trace begins. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

export type Recorder = (start: SpanStart) => Span;

let recorder: Recorder | undefined;

/** Has spans recorded from now on, in the whole process; undefined: no longer. */
export const recordSpans = (by: Recorder | undefined): void => {
  recorder = by;
};

/** Begins spans: `recording()?.({…})`. Undefined while spans are not recorded. */
export const recording = (): Recorder | undefined => recorder;

/** A request's trace, and the span of its answer if one is recorded. */
export interface Traced {
  readonly trace: Trace;
  readonly span: Span | undefined;
}

/**
 * The trace of a request that a service answers. A span is recorded of what belongs to a trace already: what only looks
 * now and then (for descriptions, keys, revocations) brings none along. `operation` may be named at the end, see {@link
 * endAnswer}.
 */
export const beginAnswer = ({ headers, method }: IncomingMessage, service: string, operation?: string): Traced => {
  const trace = traceFrom(headers);
  if (!recorder || headers.traceparent !== trace.traceparent) return { trace, span: undefined };
  const span = recorder({
    service,
    kind: 'server',
    name: operation ?? String(method),
    parent: trace.traceparent,
    attributes: { 'http.request.method': String(method) },
  });
  return { trace: { requestId: trace.requestId, traceparent: span.traceparent, service }, span };
};

/** Ends the span of an answer, when its connection is done with it; only a status from 500 on is a failure. */
export const endAnswer = (span: Span, operation: string, response: ServerResponse): void => {
  const { statusCode, writableFinished } = response;
  span.rename(operation);
  if (writableFinished) span.set({ 'http.response.status_code': statusCode });
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
};

/**
 * Begins the span of a call to another process, within the current trace; undefined outside of any, and while none are
 * recorded.
 */
export const beginCall = (name: string, attributes: Attributes): Span | undefined => {
  const trace = recorder && currentTrace();
  if (!trace || !parseTraceparent(trace.traceparent)) return undefined;
  return recorder?.({ service: trace.service, kind: 'client', name, parent: trace.traceparent, attributes });
};
