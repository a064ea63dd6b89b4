import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { commonHeaders } from '../exchange/answer.ts';
import { answered, type Exchange, type Step } from '../exchange/exchange.ts';
import { SESSION_HEADER } from '../limits/limits.ts';
import { addReturnedHeaders } from './headers.ts';
import { sendWhole } from './reply.ts';

/**
 * Header by which a service allows sharing a response, in milliseconds: with every request of equal path, query, host
 * and language, and without a session. Internal to gateway and services; `Cache-Control` stays what browsers use.
 */
export const CACHE_MS_HEADER = 'x-internal-keep';

/** Shared responses of family B, for the time that the service allows. */
export interface ResponseCache {
  /** Answers from the cache. */
  readonly step: Step;
  /** Caches a response while it is forwarded, if its service allows it. */
  store(exchange: Exchange, reply: IncomingMessage): void;
}

interface CachedResponse {
  /** Epoch milliseconds. */
  readonly until: number;
  /** Names and values in turn, without those of a single request. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Upper bound of the service's own value. */
const MOST_MS = 1_000;

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_OF_ONE = 256 * 1024;
const HEADER_BYTES = 1_024;

/** Everything in a request that a shared response depends on; undefined if the request may not be shared. */
const keyOf = ({ request: { method, headers }, family, target }: Exchange): string | undefined => {
  if (family !== 'B' || method !== 'GET' || headers[SESSION_HEADER] !== undefined) return undefined;
  const { 'x-service-host': host = '', 'accept-language': language = '', 'accept-encoding': coding = '' } = headers;
  return `${target.path}${target.query}\n${String(host)}\n${language}\n${String(coding)}`;
};

/** Makes the cache, bounded in bytes and time. */
export const createResponseCache = (lookedUp: (found: boolean) => void = () => undefined): ResponseCache => {
  const responses = new LRUCache<string, CachedResponse>({
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES_OF_ONE,
    sizeCalculation: ({ body }, key) => body.length + key.length + HEADER_BYTES,
  });
  return {
    step(exchange) {
      const key = keyOf(exchange);
      if (key === undefined) return undefined;
      const cached = responses.get(key);
      const isFresh = cached !== undefined && cached.until > exchange.now;
      lookedUp(isFresh);
      if (!isFresh) return undefined;
      const headers = commonHeaders(exchange);
      for (const part of cached.headers) headers.push(part);
      sendWhole(exchange.response, 200, headers, cached.body);
      return answered;
    },
    store(exchange, reply) {
      const ms = Math.min(MOST_MS, Number(reply.headers[CACHE_MS_HEADER] ?? 0));
      const key = ms > 0 && reply.statusCode === 200 ? keyOf(exchange) : undefined;
      if (key === undefined || Number(reply.headers['content-length'] ?? 0) > MOST_BYTES_OF_ONE) return;
      const headers: string[] = [];
      addReturnedHeaders(headers, reply);
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => {
        // The time counts from the request: the service may have computed the response then.
        if (reply.complete) responses.set(key, { until: exchange.now + ms, headers, body: Buffer.concat(chunks) });
      });
    },
  };
};
