import type { IncomingMessage, ServerResponse } from 'node:http';

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

/** Makes a registry with Node's own figures. The library is loaded here, since most installations have no operations port. */
export const createMetrics = async (): Promise<Metrics> => {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  // At its default of 10 ms the event loop's delay costs more than all else of an idle process.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
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
