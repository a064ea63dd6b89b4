import { X509Certificate } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gauge } from 'prom-client';
import type { Check } from './listen/health.ts';
import { settleWithin } from './time.ts';

type Labels = Readonly<Record<string, string | number>>;

export interface Meter {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type Observe = (request: IncomingMessage, response: ServerResponse) => void;

export interface Reading {
  readonly value: number;
  readonly labels?: Labels;
}

/** Requesting a meter again returns the same one: several services may share a process. */
export interface Metrics {
  counter(meter: Meter): (labels?: Labels, by?: number) => void;
  histogram(meter: Meter & { readonly buckets?: number[] }): (value: number, labels?: Labels) => void;
  /** Read at each scrape, so that an idle process does no work. No value if it rejects or takes longer than 2 s. */
  watch(meter: Meter, read: () => readonly Reading[] | Promise<readonly Reading[]>): void;
  /** `status` as `toStatusClass` returns it, `seconds` since the request arrived. */
  answers(service: string): (operation: string, status: string, seconds: number) => void;
  /** In a process with several services a request counts at the gateway and at each service that it reaches. */
  requests(service: string): Observe;
  text(): Promise<{ readonly type: string; readonly text: string }>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Timeout of one gauge's reading: a scrape waits for the slowest. */
const READ_MS = 2_000;

const NOTHING: readonly Reading[] = [];

/** Milliseconds between two samples of the delay. At 20 ms an idle process would spend 0.3 % of a core on them. */
const LAG_SAMPLE_MS = 500;

/** What Node computes of the times between two runs of that timer. */
const LAGS = ['min', 'max', 'mean', 'p50', 'p90', 'p99'];

const OPERATION = Symbol('operation');

interface Named {
  [OPERATION]?: string;
}

/** Sets the operation label of the metrics. The names come from route tables, so they are few. */
export function nameOperation(response: ServerResponse, operation: string): void {
  (response as Named)[OPERATION] = operation;
}

/** The class of an answer's status, `2xx` to `5xx`; `gone` if its client went away before it was out. */
export function toStatusClass({ writableFinished, statusCode }: ServerResponse): string {
  return writableFinished ? `${Math.floor(statusCode / 100)}xx` : 'gone';
}

/** Loads the library on demand: most installations have no operations port. */
export async function createMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  for (const name of LAGS) {
    const lag = registry.getSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
    if (lag instanceof Gauge) setWithoutPause(lag);
  }
  const shape = ({ name, help, labels = [] }: Meter) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const meters = new Map<string, unknown>();
  const findOrMake = <Value>(name: string, make: () => Value): Value => {
    const found = (meters.get(name) as Value | undefined) ?? make();
    meters.set(name, found);
    return found;
  };
  const watched = new Map<
    string,
    { readonly gauge: Gauge; readonly isLabelled: boolean; readonly reads: Parameters<Metrics['watch']>[1][] }
  >();
  const look = async (): Promise<void> => {
    const looks = [...watched.values()].map(async ({ gauge, isLabelled, reads }) => {
      const readings = (await Promise.all(reads.map(inTime))).flat();
      gauge.reset();
      // After a reset a gauge without labels would be 0, also where its value is unknown.
      if (readings.length === 0 && !isLabelled) gauge.remove();
      for (const { value, labels = {} } of readings) gauge.set(labels, value);
    });
    await Promise.all(looks);
  };
  let looking: Promise<void> | undefined;
  const seconds = new Histogram({
    ...shape({
      name: 'http_server_request_duration_seconds',
      help: 'Time to answer, by operation and class of status',
      labels: ['service', 'operation', 'status'],
    }),
    buckets: SECONDS,
  });
  const answers: Metrics['answers'] = (service) => (operation, status, duration) =>
    seconds.observe({ service, operation, status }, duration);
  return {
    counter(meter) {
      const counter = findOrMake(meter.name, () => new Counter(shape(meter)));
      return (labels = {}, by = 1) => counter.inc(labels, by);
    },
    histogram(meter) {
      const histogram = findOrMake(
        meter.name,
        () => new Histogram({ ...shape(meter), buckets: meter.buckets ?? SECONDS }),
      );
      return (value, labels = {}) => histogram.observe(labels, value);
    },
    watch(meter, read) {
      const one = watched.get(meter.name) ?? {
        gauge: new Gauge(shape(meter)),
        isLabelled: Boolean(meter.labels?.length),
        reads: [],
      };
      watched.set(meter.name, one);
      one.reads.push(read);
    },
    answers,
    requests: (service) => {
      const answered = answers(service);
      return (_request, response) => {
        const started = performance.now();
        response.once('close', () => {
          answered(operationOf(response), toStatusClass(response), (performance.now() - started) / 1000);
        });
      };
    },
    async text() {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** Sets the gauge to the timer's delay: Node's own values include the interval. */
const setWithoutPause = (gauge: Gauge): void => {
  const set: (labels: object, value: number) => void = gauge.set.bind(gauge);
  gauge.set = (labels: number | object, value?: number) =>
    set(labels as object, Math.max(0, Number(value) - LAG_SAMPLE_MS / 1_000));
};

const inTime = async (read: () => readonly Reading[] | Promise<readonly Reading[]>): Promise<readonly Reading[]> => {
  try {
    return await settleWithin(Promise.resolve(read()), READ_MS, () => NOTHING);
  } catch {
    return NOTHING;
  }
};

const operationOf = (response: ServerResponse): string => (response as Named)[OPERATION] ?? 'none';

/** Less than the timeout of a gauge, so that an unresponsive dependency is reported as well. */
const PATIENCE_MS = 1_000;

const answers = async (check: Check): Promise<boolean> => {
  const answered = check().then(
    () => true,
    () => false,
  );
  return settleWithin(answered, PATIENCE_MS, () => false);
};

export function watchSurroundings(
  metrics: Metrics,
  { name, version }: { readonly name: string; readonly version: string },
  checks: Readonly<Record<string, Check>>,
): void {
  const info = { name: 'service_info', help: 'The version that runs; always 1', labels: ['service', 'version'] };
  metrics.watch(info, () => [{ value: 1, labels: { service: name, version } }]);
  const up = {
    name: 'dependency_up',
    help: 'Whether what the service depends on answers',
    labels: ['service', 'dependency'],
  };
  for (const [dependency, check] of Object.entries(checks)) {
    metrics.watch(up, async () => {
      return [{ value: (await answers(check)) ? 1 : 0, labels: { service: name, dependency } }];
    });
  }
}

/** Until when the served certificate (PEM) is valid; no value where HTTP is served. */
export function watchCertificate(metrics: Metrics, service: string, served: () => string | undefined): void {
  const name = 'certificate_expiry_timestamp_seconds';
  const meter = { name, help: 'Until when the certificate that is served is good', labels: ['service'] };
  metrics.watch(meter, () => {
    const pem = served();
    if (pem === undefined) return [];
    return [{ value: new X509Certificate(pem).validToDate.getTime() / 1_000, labels: { service } }];
  });
}

export function watchDirectory(metrics: Metrics, directory: string): void {
  const room = async () => statfs(directory);
  const free = { name: 'data_directory_free_bytes', help: 'Room left in the file system of the data directory' };
  metrics.watch(free, async () => {
    const { bavail, bsize } = await room();
    return [{ value: bavail * bsize }];
  });
  const size = { name: 'data_directory_size_bytes', help: 'Size of the file system of the data directory' };
  metrics.watch(size, async () => {
    const { blocks, bsize } = await room();
    return [{ value: blocks * bsize }];
  });
}
