import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gauge } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

export interface Meter<Method extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Never set: the kind of meter. */
  readonly kind?: Method;
}

/** Told of every request as it comes. */
export type Observe = (request: IncomingMessage, response: ServerResponse) => void;

/** The program's figures, for Prometheus. Asking for a meter again gives the same one: several services may share a process. */
export interface Metrics {
  counter(meter: Meter<'counter'>): (labels?: Labels, by?: number) => void;
  gauge(meter: Meter<'gauge'>): (value: number, labels?: Labels) => void;
  histogram(meter: Meter<'histogram'> & { readonly buckets?: number[] }): (value: number, labels?: Labels) => void;
  /**
   * Counts and times the requests of a service, each when its answer is out. In a process of several services a request is one at the
   * gateway and one more at each service that it reaches.
   */
  requests(service: string): Observe;
  /** Everything in Prometheus' text format, and its media type. */
  text(): Promise<{ readonly type: string; readonly text: string }>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The event loop's delay is measured by a timer of this many milliseconds: one that is late by no more goes unnoticed. At 20 an idle process
 * spends 0.3 % of a core on it, at the library's own 10 twice as much.
 */
const LAG_SAMPLE_MS = 20;

/** The figures that Node makes of the times from one run of that timer to the next. (The deviation is the same with and without its pause.) */
const LAGS = ['min', 'max', 'mean', 'p50', 'p90', 'p99'];

/** Sets the gauge to how late the timer was: Node's own figures contain the pause that it was to make. */
const setWithoutPause = (gauge: Gauge): void => {
  const set: (labels: object, value: number) => void = gauge.set.bind(gauge);
  gauge.set = (labels: number | object, value?: number) =>
    set(labels as object, Math.max(0, Number(value) - LAG_SAMPLE_MS / 1_000));
};

/** Makes a registry with Node's own figures. The library is loaded here, since most installations have no operations port. */
export const createMetrics = async (): Promise<Metrics> => {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  for (const name of LAGS) {
    const lag = registry.getSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
    if (lag instanceof Gauge) setWithoutPause(lag);
  }
  const shape = ({ name, help, labels = [] }: Meter<string>) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const meters = new Map<string, unknown>();
  const known = <Value>(name: string, make: () => Value): Value => {
    const found = (meters.get(name) as Value | undefined) ?? make();
    meters.set(name, found);
    return found;
  };
  const seconds = new Histogram({
    ...shape({
      name: 'http_server_request_duration_seconds',
      help: 'Time to answer',
      labels: ['service', 'method', 'status'],
    }),
    buckets: SECONDS,
  });
  return {
    counter(meter) {
      const counter = known(meter.name, () => new Counter(shape(meter)));
      return (labels = {}, by = 1) => counter.inc(labels, by);
    },
    gauge(meter) {
      const gauge = known(meter.name, () => new Gauge(shape(meter)));
      return (value, labels = {}) => gauge.set(labels, value);
    },
    histogram(meter) {
      const histogram = known(meter.name, () => new Histogram({ ...shape(meter), buckets: meter.buckets ?? SECONDS }));
      return (value, labels = {}) => histogram.observe(labels, value);
    },
    requests: (service) => (request, response) => {
      const started = performance.now();
      response.once('close', () => {
        const labels = { service, method: String(request.method), status: String(response.statusCode) };
        seconds.observe(labels, (performance.now() - started) / 1000);
      });
    },
    text: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
};
