import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { oneOf, url } from './settings/kinds.ts';
import { settleWithin } from './time.ts';

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
export function readRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/** The parts of a well-formed traceparent (W3C Trace Context, 3.2.2); undefined for anything else. */
export function parseTraceparent(
  header: string | string[] | undefined,
): { readonly traceId: string; readonly spanId: string; readonly flags: number } | undefined {
  const match = typeof header === 'string' && header.length <= 256 ? TRACEPARENT.exec(header) : null;
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (!/[^0]/.test(traceId) || !/[^0]/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function readTraceparent(header: string | string[] | undefined): string {
  return typeof header === 'string' && parseTraceparent(header) ? header : makeTraceparent();
}

const makeTraceparent = (): string => `00-${randomDigits()}-${randomDigits().slice(-16)}-01`;

/** 32 hexadecimal digits; randomUUID uses entropy that Node caches, at a fraction of the cost of randomBytes. */
const randomDigits = (): string => randomUUID().replaceAll('-', '');

export function readTrace(headers: IncomingHttpHeaders): Trace {
  return {
    requestId: readRequestId(headers['x-request-id']),
    traceparent: readTraceparent(headers.traceparent),
  };
}

/** Calls `fn` within a trace: everything that it awaits and starts belongs to it, too. */
export function runWithTrace<Result>(trace: Trace, fn: () => Result): Result {
  return storage.run(trace, fn);
}

export function getCurrentTrace(): Trace | undefined {
  return storage.getStore();
}

export function createTraceHeaders(): Readonly<Record<string, string>> {
  const trace = getCurrentTrace();
  return trace ? { 'x-request-id': trace.requestId, traceparent: trace.traceparent } : {};
}

/** Attribute names follow OpenTelemetry's conventions; paths, queries and ids of persons are never values. */
export interface Span {
  /** The traceparent for calls that the span causes. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Call once. `failure` marks the span as failed, with a word of low cardinality. */
  end(failure?: string): void;
}

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
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
export function recordSpans(by: Recorder | undefined): void {
  recorder = by;
}

/** Starts spans: `getRecorder()?.({…})`. Undefined while spans are not recorded. */
export function getRecorder(): Recorder | undefined {
  return recorder;
}

/** A span only for a request that has a trace already: periodic ones (descriptions, keys, revocations) have none. */
export function beginAnswer({ headers, method }: IncomingMessage, service: string, operation?: string) {
  const trace = readTrace(headers);
  if (!recorder || headers.traceparent !== trace.traceparent) return { trace, span: undefined };
  const span = recorder({
    service,
    kind: 'server',
    name: operation ?? String(method),
    parent: trace.traceparent,
    attributes: { 'http.request.method': String(method) },
  });
  return { trace: { requestId: trace.requestId, traceparent: span.traceparent, service }, span };
}

/** Ends the span of an answer when its connection is done with it; only a status from 500 on is a failure. */
export function endAnswer(span: Span, operation: string, response: ServerResponse): void {
  const { statusCode, writableFinished } = response;
  span.rename(operation);
  if (writableFinished) span.set({ 'http.response.status_code': statusCode });
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
}

/** Within the current trace; undefined without one, and while spans are not recorded. */
export function beginCall(name: string, attributes: Attributes): Span | undefined {
  const trace = recorder && getCurrentTrace();
  if (!trace || !parseTraceparent(trace.traceparent)) return undefined;
  return recorder?.({ service: trace.service, kind: 'client', name, parent: trace.traceparent, attributes });
}

/** The library itself reads this and the other standard variables (headers, sampler, service name). */
const otlpEndpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', { optional: true });

const otlpProtocol = oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf', 'http/json'], {
  default: 'http/protobuf',
});

export const traceSettings = { otlpEndpoint, otlpProtocol };

interface TracesOptions {
  readonly otlpEndpoint: string | undefined;
  readonly otlpProtocol: 'http/protobuf' | 'http/json';
  readonly logger: Record<'info' | 'warn', (message: string, fields?: { readonly error?: unknown }) => void>;
}

const LAST_MS = 3_000;

const KINDS = { server: 1, client: 2, producer: 3, consumer: 4 } as const;

const STATUS_ERROR = 2;

/** The library is loaded only with an endpoint. `close` sends the remaining spans within 3 s. */
export async function startTraces(options: TracesOptions): Promise<{ close(): Promise<void> }> {
  if (options.otlpEndpoint === undefined) return { close: async () => undefined };
  const { record, processor } = await makeRecorder(options);
  recordSpans(record);
  return {
    async close() {
      recordSpans(undefined);
      await settleWithin(processor.shutdown(), LAST_MS, () => undefined);
    },
  };
}

const makeRecorder = async ({ otlpProtocol: protocol, logger }: TracesOptions) => {
  const [api, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  const processor = new sdk.BatchSpanProcessor(loggedOnce(new OTLPTraceExporter(), logger));
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, which override the program's names.
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const tracerOf = (service: string) =>
    new sdk.BasicTracerProvider({
      resource: resources
        .defaultResource()
        .merge(resources.resourceFromAttributes({ 'service.name': service, 'service.namespace': 'boxoffice' }))
        .merge(given),
      spanProcessors: [processor],
    }).getTracer('boxoffice');
  const tracers = new Map<string, ReturnType<typeof tracerOf>>();

  const parentOf = (traceparent: string | undefined) => {
    const parsed = traceparent === undefined ? undefined : parseTraceparent(traceparent);
    if (!parsed) return api.ROOT_CONTEXT;
    const { traceId, spanId, flags } = parsed;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
  };

  const record: Recorder = ({ service = 'boxoffice', kind, name, parent, attributes = {} }) => {
    const tracer = tracers.get(service) ?? tracerOf(service);
    tracers.set(service, tracer);
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, parentOf(parent));
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      rename: (better) => void span.updateName(better),
      set: (more) => void span.setAttributes({ ...more }),
      end(failure) {
        if (failure !== undefined) {
          span.setAttribute('error.type', failure);
          span.setStatus({ code: STATUS_ERROR });
        }
        span.end();
      },
    };
  };
  return { record, processor };
};

/** Logs the first failure and the recovery once each; meanwhile spans are dropped. */
const loggedOnce = (exporter: SpanExporter, { info, warn }: TracesOptions['logger']): SpanExporter => {
  let failing = false;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, ({ code, error }) => {
        if (code !== 0 && !failing) warn('traces cannot be delivered; spans are dropped meanwhile', { error });
        if (code === 0 && failing) info('traces are delivered again');
        failing = code !== 0;
        done({ code: 0 });
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
};
