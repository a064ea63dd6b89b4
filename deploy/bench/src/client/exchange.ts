import { type RequestOptions, request } from 'node:https';

/** A raw response and its duration. */
export interface Exchanged {
  readonly http: number;
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[];
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number;
}

/** One request over HTTPS, on a connection of the agent in `options`. */
export const exchange = (options: RequestOptions, text?: string): Promise<Exchanged> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
    const sent = request({ ...options, headers: { ...options.headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode = 0, rawHeaders, headers } = response;
        resolve({
          http: statusCode,
          rawHeaders,
          headers,
          body: Buffer.concat(chunks),
          ms: performance.now() - started,
        });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
