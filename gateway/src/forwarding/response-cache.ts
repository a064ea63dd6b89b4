import type { IncomingMessage } from 'node:http';
import { SHARED_MS_HEADER } from '@boxoffice/http';
import { LRUCache } from 'lru-cache';
import { buildCommonHeaders } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { readVerifiedSession, SESSION_HEADER } from '../limits/callers.ts';
import { createNewest } from '../limits/newest.ts';
import { joinVary, sendWhole } from './reply.ts';

export type ResponseCache = ReturnType<typeof createResponseCache>;

interface CachedResponse {
  /** Epoch milliseconds. */
  readonly until: number;
  /** Names and values in turn, without those of a single request. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Bounds the service's own value. */
const MOST_MS = 1_000;

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_OF_ONE = 256 * 1024;
const HEADER_BYTES = 1_024;

const MOST_SESSIONS = 20_000;
/** Milliseconds without knowledge of a session after a request that may end it. */
const CHANGE_MS = 2_000;

/**
 * For the time that the service allows: of family B whatever the session, as long as that is alive, and public ones to
 * the API keys of an institution.
 */
export function createResponseCache(lookedUp: (found: boolean) => void = () => undefined) {
  const responses = new LRUCache<string, CachedResponse>({
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES_OF_ONE,
    sizeCalculation: ({ body }, key) => body.length + key.length + HEADER_BYTES,
  });
  const sessions = createSessions();
  return {
    /** Whether the cache could answer. */
    answer(exchange: Exchange): boolean {
      const session = readSession(exchange);
      if (session && exchange.request.method !== 'GET') sessions.recordChange(session, exchange.now);
      const key = toKey(exchange);
      if (key === undefined || (session && !sessions.isAlive(session, exchange.now))) return false;
      const cached = responses.get(key);
      const isFresh = cached !== undefined && cached.until > exchange.now;
      lookedUp(isFresh);
      if (!isFresh) return false;
      const headers = buildCommonHeaders(exchange);
      for (const part of cached.headers) headers.push(part);
      if (exchange.corsHeaders.length > 0) joinVary(headers);
      exchange.bytesOut = cached.body.length;
      sendWhole(exchange.response, 200, headers, cached.body);
      return true;
    },
    /** Stores what its service allows; `headers`: what passes of the response's. */
    store(exchange: Exchange, reply: IncomingMessage, headers: readonly string[]): void {
      const ms = Math.min(MOST_MS, Number(reply.headers[SHARED_MS_HEADER] ?? 0));
      const key = ms > 0 && reply.statusCode === 200 ? toKey(exchange) : undefined;
      if (key === undefined || reply.headers[SESSION_HEADER] !== undefined) return;
      const session = readVerifiedSession(exchange, reply) === undefined ? undefined : readSession(exchange);
      if (session) sessions.recordAlive(session, exchange.now, exchange.now + ms);
      if (Number(reply.headers['content-length'] ?? 0) > MOST_BYTES_OF_ONE) return;
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => {
        // Time counts from the request on: the service may have computed the response then.
        if (reply.complete) responses.set(key, { until: exchange.now + ms, headers, body: Buffer.concat(chunks) });
      });
    },
  };
}

/** Alive when their service last shared a response that it verified them for. */
const createSessions = () => {
  const aliveUntil = createNewest<number>(MOST_SESSIONS);
  const changingUntil = createNewest<number>(MOST_SESSIONS);
  return {
    isAlive: (session: string, now: number): boolean => (aliveUntil.get(session) ?? 0) > now,
    recordAlive(session: string, now: number, until: number): void {
      if ((changingUntil.get(session) ?? 0) <= now) aliveUntil.set(session, until);
    },
    recordChange(session: string, now: number): void {
      aliveUntil.delete(session);
      changingUntil.set(session, now + CHANGE_MS);
    },
  };
};

const readSession = ({ request: { headers } }: Exchange): string | undefined => {
  const token = headers[SESSION_HEADER];
  return token === undefined ? undefined : `${String(headers['x-service-host'])}\n${String(token)}`;
};

/** Contains all that a shared response depends on; undefined if the request may not be shared. */
const toKey = ({ request: { method, headers }, family, target, isPublic, apiKey }: Exchange): string | undefined => {
  const { 'x-service-host': host = '', 'accept-language': language = '', 'accept-encoding': coding = '' } = headers;
  // A client that has a response asks whether it is still current.
  const isShared = family === 'B' || (isPublic && headers['if-none-match'] === undefined);
  if (method !== 'GET' || !isShared) return undefined;
  const owner = family === 'B' ? String(host) : (apiKey?.institution ?? '');
  return `${family}${target.path}${target.query}\n${owner}\n${language}\n${String(coding)}`;
};
