import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentTrace, parseTraceparent, type Trace, traceFrom } from './trace.ts';

/**
 * Spans: the timed parts of a trace, for a recorder (OpenTelemetry, see export.ts). While nothing records,
 * `recording()` is undefined and costs nothing. Attribute names follow OpenTelemetry's semantic conventions; paths,
 * queries and ids of persons are never values, as in logs.
 */
export interface Span {
  /** The traceparent for calls that the span causes. */
  readonly traceparent: string;
  /** Sets attributes that are known only at the end. */
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Call once. `failure` marks the span as failed, with a word of low cardinality. */
  end(failure?: string): void;
}

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
  /** The service that the span belongs to; default: the program. */
  readonly service?: string | undefined;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly name: string;
  /** A well-formed traceparent; without one a trace begins. */
  readonly parent?: string | undefined;
  readonly attributes?: Attributes;
}

export type Recorder = (start: SpanStart) => Span;

let recorder: Recorder | undefined;

/** Records spans with this recorder from now on, in the whole process; undefined ends that. */
export const recordSpans = (by: Recorder | undefined): void => {
  recorder = by;
};

/** Starts spans: `recording()?.({…})`. Undefined while spans are not recorded. */
export const recording = (): Recorder | undefined => recorder;

/** A request's trace, and the span of its answer if one is recorded. */
interface Traced {
  readonly trace: Trace;
  readonly span: Span | undefined;
}

/**
 * The trace of a request that a service answers. A span is recorded only for a request that has a trace already:
 * periodic requests (for descriptions, keys, revocations) have none. `operation` may be set at the end, see {@link
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

/** Ends the span of an answer when its connection is done with it; only a status from 500 on is a failure. */
export const endAnswer = (span: Span, operation: string, response: ServerResponse): void => {
  const { statusCode, writableFinished } = response;
  span.rename(operation);
  if (writableFinished) span.set({ 'http.response.status_code': statusCode });
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
};

/**
 * Starts the span of a call to another process, within the current trace; undefined without a trace, and while spans
 * are not recorded.
 */
export const beginCall = (name: string, attributes: Attributes): Span | undefined => {
  const trace = recorder && currentTrace();
  if (!trace || !parseTraceparent(trace.traceparent)) return undefined;
  return recorder?.({ service: trace.service, kind: 'client', name, parent: trace.traceparent, attributes });
};
