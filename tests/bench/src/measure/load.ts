import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reply } from '@boxoffice/testkit';
import autocannon from 'autocannon';
import type { Recorded } from '../programs/bare.ts';
import { type Product, readCpuSeconds, startChild } from './processes.ts';
import { computeMedian } from './report.ts';

/** A load of many connections on one address, for some seconds. */
interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The result: responses per second, latencies in milliseconds. @throws {Error} on any response other than 2xx or 304
 */
interface Outcome {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Applies the load from this process. */
export async function apply({ url, connections, seconds, headers }: Load): Promise<Outcome> {
  const result = await autocannon({ url, connections, duration: seconds, headers });
  const wrong = result.errors + result.timeouts + result['4xx'] + result['5xx'];
  if (wrong > 0 || result.requests.total === 0)
    throw new Error(`${url}: ${wrong} of ${result.requests.total} answers were errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** The measurements of one round of a load. */
interface Measured {
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU time per request. */
  readonly cpu: number;
}

/** Applies a load to an origin whose processes have used `cpu()` seconds so far. */
export type Measure = (origin: string, cpu: () => number) => Promise<Measured>;

/** Headers of a connection, which a replayed response omits. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding']);

/** The medians of the product and of the baseline, and the median of their ratios. */
export interface Comparison {
  readonly ours: Measured;
  readonly bare: Measured;
  readonly ratio: number;
}

/**
 * Loads the product and the baseline alternately: a bare HTTPS proxy in front of a server that sends the recorded
 * responses, by `METHOD /path?query`. A first round, which warms both up, does not count.
 */
export async function compare(
  product: Product,
  answers: Readonly<Record<string, Reply>>,
  measure: Measure,
  rounds: number,
): Promise<Comparison> {
  const directory = dirname(product.caFile);
  const file = join(directory, 'recorded-answers.json');
  const recorded = Object.entries(answers).map(([name, answer]) => [name, recordedOf(answer)]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(recorded)));
  const server = await startChild<{ url: string }>('bare', ['same-bytes', file]);
  const [cert, key] = ['certificate', 'key'].map((name) => join(directory, `development-${name}.pem`));
  const proxy = await startChild<{ url: string }>('bare', ['proxy', server.announced.url, String(cert), String(key)]);
  const pairs: { ours: Measured; bare: Measured }[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const cpu = () => readCpuSeconds(server.child.pid) + readCpuSeconds(proxy.child.pid);
      const bare = await measure(proxy.announced.url, cpu);
      const ours = await measure(product.baseUrl, () => readCpuSeconds(product.pid));
      if (round > 0) pairs.push({ ours, bare });
    }
  } finally {
    for (const program of [proxy, server]) await program.stop();
  }
  return {
    ours: medians(pairs.map(({ ours }) => ours)),
    bare: medians(pairs.map(({ bare }) => bare)),
    ratio: computeMedian(pairs.map(({ ours, bare }) => ours.rate / bare.rate)),
  };
}

const recordedOf = ({ status, rawHeaders, bytes }: Reply): Recorded[string] => {
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return { status, headers, base64: bytes.toString('base64') };
};

const medians = (all: readonly Measured[]): Measured => {
  const of = (name: keyof Measured) => computeMedian(all.map((one) => one[name]));
  return { rate: of('rate'), p50: of('p50'), p99: of('p99'), cpu: of('cpu') };
};
