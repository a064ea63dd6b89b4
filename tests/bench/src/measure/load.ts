import autocannon from 'autocannon';

/** A load of many connections on one address, for some seconds. */
interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Responses per second, latencies in milliseconds. @throws {Error} on any response other than 2xx or 304 */
interface Outcome {
  readonly rate: number;
  readonly p99: number;
}

export async function apply({ url, connections, seconds, headers }: Load): Promise<Outcome> {
  const result = await autocannon({ url, connections, duration: seconds, headers });
  const wrong = result.errors + result.timeouts + result['4xx'] + result['5xx'];
  if (wrong > 0 || result.requests.total === 0)
    throw new Error(`${url}: ${wrong} of ${result.requests.total} answers were errors`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}
