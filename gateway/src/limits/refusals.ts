import { LRUCache } from 'lru-cache';
import { isAnswered } from '../exchange/drain-body.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** The recent requests of an address; each counts half as much after HALF_LIFE_MS. */
interface Recent {
  requests: number;
  refused: number;
  at: number;
}

const NOTHING = { requests: 0, refused: 0 };

const HALF_LIFE_MS = 30_000;

/** So many refused requests say something of an address; fewer are mistakes. */
const FEWEST = 20;

/** Maximum number of addresses; the least recently used are evicted. */
const ADDRESSES = 50_000;

/** Refused whoever asks: the request itself is wrong. */
const MALFORMED: ReadonlySet<number> = new Set([405, 408, 413, 415, 431]);

/**
 * Whether a request was refused and says nothing good of its address: it is malformed, leads nowhere, or has a wrong
 * token, key, secret or password. What a known caller is refused does not count, nor does a 400, 403 or 404 of a point of
 * sale: places that are gone, for instance.
 */
const isSuspicious = ({ response, claims, apiKey, route, family }: Exchange): boolean => {
  if (claims !== undefined || apiKey !== undefined) return false;
  const { statusCode } = response;
  if (statusCode === 404) return route === undefined;
  if (statusCode === 400) return family === 'A';
  return statusCode === 401 || MALFORMED.has(statusCode);
};

/** Whether the outcome says something of the address: not that of a limit, a failure, or a client that has left. */
const isTelling = ({ response }: Exchange): boolean =>
  isAnswered(response) && response.statusCode !== 429 && response.statusCode < 500;

/** The addresses most of whose requests are refused before anybody is identified. */
export interface Refusals {
  /** Counts a completed request of an address. */
  record(network: string, exchange: Exchange): void;
  /** Whether most recent requests of an address were refused. */
  areMost(network: string, now: number): boolean;
}

/** Makes the count of one gateway process. */
export const createRefusals = (): Refusals => {
  const addresses = new LRUCache<string, Recent>({ max: ADDRESSES });

  const faded = (recent: Recent, now: number): Recent => {
    // The clock may be set back.
    const part = 2 ** (Math.min(0, recent.at - now) / HALF_LIFE_MS);
    return { requests: recent.requests * part, refused: recent.refused * part, at: now };
  };

  return {
    record(network, exchange) {
      if (!isTelling(exchange)) return;
      const before = addresses.get(network);
      const { requests, refused, at } = before ? faded(before, exchange.now) : { ...NOTHING, at: exchange.now };
      addresses.set(network, { requests: requests + 1, refused: refused + (isSuspicious(exchange) ? 1 : 0), at });
    },
    areMost(network, now) {
      const recent = addresses.peek(network);
      if (!recent || recent.refused * 2 <= recent.requests) return false;
      return faded(recent, now).refused >= FEWEST;
    },
  };
};
