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

/** A number of different requests to one address. */
export interface Batch {
  readonly url: string;
  readonly connections: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly amount: number;
  /** The body of the next request. */
  readonly nextBody?: () => string;
  /** Called with the headers of each response, by their lower-case names. */
  readonly received?: (headers: Readonly<Record<string, string>>) => void;
}

/** Sends the requests; resolves to responses per second. @throws {Error} if a response is none of these statuses */
export const applyBatch = async (batch: Batch, statuses: readonly number[]): Promise<number> => {
  const { url, connections, method, path, headers, amount, nextBody, received } = batch;
  const wrong = new Map<number, string>();
  const started = performance.now();
  // The end as autocannon knows it comes with its next sample.
  let last = started;
  const result = await autocannon({
    url,
    connections,
    amount,
    requests: [
      {
        method,
        path,
        headers,
        ...(nextBody && { setupRequest: (request) => ({ ...request, body: nextBody() }) }),
        onResponse: (status, body, _context, answered) => {
          last = performance.now();
          if (!statuses.includes(status)) wrong.set(status, body);
          received?.(Object.fromEntries(Object.entries(answered).map(([name, value]) => [name.toLowerCase(), value])));
        },
      },
    ],
  });
  const [first] = wrong;
  if (first || result.errors + result.timeouts > 0)
    throw new Error(`${url}${path}: ${first ? first.join(' ') : `${result.errors} connections failed`}`);
  return amount / ((last - started) / 1000);
};
