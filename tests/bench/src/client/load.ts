import autocannon from 'autocannon';

/** A load of many connections on one address, for some seconds. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The result: responses per second, latencies in milliseconds. @throws {Error} on any response other than 2xx or 304
 */
export interface Outcome {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Applies the load from this process. */
export const apply = async ({
  url,
  connections,
  seconds,
  method = 'GET',
  headers = {},
  body,
}: Load): Promise<Outcome> => {
  const result = await autocannon({ url, connections, duration: seconds, method, headers, body });
  const wrong = result.errors + result.timeouts + result['4xx'] + result['5xx'];
  if (wrong > 0 || result.requests.total === 0)
    throw new Error(`${url}: ${wrong} of ${result.requests.total} answers were errors`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
};
