import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { oneOf, url } from '../settings/kinds.ts';
import { within } from '../time/index.ts';
import { type Recorder, recordSpans } from './spans.ts';
import { parseTraceparent } from './trace.ts';

/**
 * The endpoint that traces are sent to. The library itself reads this and the other standard variables (headers,
 * sampler, service name).
 */
export const otlpEndpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', { optional: true });

/** The format of the export. */
export const otlpProtocol = oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf', 'http/json'], {
  default: 'http/protobuf',
});

/** The settings of traces, for every program that records them. */
export const traceSettings = { otlpEndpoint, otlpProtocol };

interface TracesOptions {
  readonly otlpEndpoint: string | undefined;
  readonly otlpProtocol: 'http/protobuf' | 'http/json';
  readonly logger: Record<'info' | 'warn', (message: string, fields?: { readonly error?: unknown }) => void>;
}

/** Time to send the remaining spans when the program stops. */
const LAST_MS = 3_000;

const KINDS = { server: 1, client: 2, producer: 3, consumer: 4 } as const;

const STATUS_ERROR = 2;

/**
 * The exporter. It logs the first failure and the recovery once each; meanwhile spans are dropped, without other
 * effects.
 */
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

/**
 * Records spans and sends them to the endpoint, if one is set; only then is the library loaded. Resolves to the
 * function that stops recording, and sends the remaining spans within 3 s.
 */
export const startTraces = async (options: TracesOptions): Promise<{ close(): Promise<void> }> => {
  if (options.otlpEndpoint === undefined) return { close: async () => undefined };
  const { record, processor } = await makeRecorder(options);
  recordSpans(record);
  return {
    async close() {
      recordSpans(undefined);
      await within(processor.shutdown(), LAST_MS, () => undefined);
    },
  };
};
