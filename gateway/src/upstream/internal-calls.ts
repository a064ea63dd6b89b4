import { type ClientRequest, type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Addresses } from './addresses.ts';
import { UpstreamTimeout } from './failure.ts';
import { Pool } from './pool.ts';
import { targetOf } from './target-address.ts';

/** A request of the gateway itself, not a forwarded one. */
export interface InternalCall {
  readonly method: 'GET' | 'POST';
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface InternalAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Calls internal operations of one service over pooled connections. */
export interface InternalCalls {
  /**
   * Resolves with any status; a 5xx or no answer counts as a failure of the address. Rejects with UpstreamTimeout, with
   * EveryAddressFailing when nothing was sent, or with the connection's error.
   */
  call(call: InternalCall): Promise<InternalAnswer>;
  close(): void;
}

export interface InternalCallsOptions {
  readonly url: string;
  readonly addresses: Addresses;
  /** For a whole call. Milliseconds. */
  readonly timeoutMs: number;
}

/** Makes the client of one service. */
export const createInternalCalls = ({ url, addresses, timeoutMs }: InternalCallsOptions): InternalCalls => {
  const target = targetOf(url);
  const { host } = new URL(url);
  const pool = new Pool({ ...target, addresses });
  const begin = target.protocol === 'https:' ? tlsRequest : plainRequest;

  const settle = (sent: ClientRequest, outcome: 'succeeded' | 'failed'): void => {
    pool.breakerOf(sent)?.[outcome](Date.now());
  };

  return {
    call: ({ method, path, headers, body = '' }) =>
      new Promise((resolve, reject) => {
        const all = { ...headers, host, 'content-length': `${Buffer.byteLength(body)}` };
        const sent = begin({ ...target, agent: pool, method, path, headers: all });
        const timer = setTimeout(() => sent.destroy(new UpstreamTimeout()), timeoutMs);
        const fail = (error: Error): void => {
          clearTimeout(timer);
          settle(sent, 'failed');
          reject(error);
        };
        sent.on('error', fail);
        sent.on('response', (reply) => {
          const { statusCode: status = 0 } = reply;
          pool.onResponse(reply.headers, reply.socket.remoteAddress);
          reply.toArray().then((chunks) => {
            clearTimeout(timer);
            settle(sent, status >= 500 ? 'failed' : 'succeeded');
            resolve({ status, headers: reply.headers, text: Buffer.concat(chunks).toString('utf8') });
          }, fail);
        });
        sent.end(body);
      }),
    close: () => pool.destroy(),
  };
};
