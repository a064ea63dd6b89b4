import { networkOf } from '@boxoffice/runtime';
import { LRUCache } from 'lru-cache';
import { isAnswered } from '../exchange/drain-body.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Recent requests; each counts half as much after HALF_LIFE_MS. */
interface Recent {
  requests: number;
  refused: number;
  at: number;
}

const NOTHING = { requests: 0, refused: 0 };

const HALF_LIFE_MS = 30_000;

/** So many refused requests say something of their sender; fewer are mistakes. */
const FEWEST = 20;

/** Maximum number of addresses, and of clients; the least recently used are evicted. */
const MOST = 50_000;

/** Refused whoever asks: the request itself is wrong. */
const MALFORMED: ReadonlySet<number> = new Set([405, 408, 413, 415, 431]);

/** Not the sender's mistake: the present state of a resource, a limit. */
const STATE: ReadonlySet<number> = new Set([409, 412, 429]);

/** Whether the outcome says something of the sender: not that of a limit, a failure, or a client that has left. */
const isTelling = ({ response }: Exchange): boolean =>
  isAnswered(response) && response.statusCode !== 429 && response.statusCode < 500;

/**
 * Whether a request of nobody known was refused and says nothing good of its address: it is malformed, leads nowhere,
 * or has a wrong token, key, secret or password. A 400, 403 or 404 of a point of sale does not count: places that are
 * gone, for instance.
 */
const isSuspicious = ({ response, claims, apiKey, route, family }: Exchange): boolean => {
  if (claims !== undefined || apiKey !== undefined) return false;
  const { statusCode } = response;
  if (statusCode === 404) return route === undefined;
  if (statusCode === 400) return family === 'A';
  return statusCode === 401 || MALFORMED.has(statusCode);
};

const createRecent = () => {
  const all = new LRUCache<string, Recent>({ max: MOST });
  const faded = (recent: Recent, now: number): Recent => {
    // A long request is counted by its beginning, and the clock may be set back.
    const part = 2 ** (Math.min(0, recent.at - now) / HALF_LIFE_MS);
    return { requests: recent.requests * part, refused: recent.refused * part, at: Math.max(recent.at, now) };
  };
  return {
    add(key: string, isRefused: boolean, now: number): void {
      const before = all.get(key);
      const { requests, refused, at } = before ? faded(before, now) : { ...NOTHING, at: now };
      all.set(key, { requests: requests + 1, refused: refused + (isRefused ? 1 : 0), at });
    },
    areMostRefused(key: string, now: number): boolean {
      const recent = all.peek(key);
      if (!recent || recent.refused * 2 <= recent.requests) return false;
      return faded(recent, now).refused >= FEWEST;
    },
  };
};

/** Addresses and clients most of whose recent requests were refused. */
export interface Refusals {
  /** Counts a completed request. */
  record(exchange: Exchange): void;
  /** Whether most requests from an address were refused before anybody was identified. */
  ofAddress(network: string, now: number): boolean;
  /** Whether most requests of an identified client were refused. */
  ofClient(clientId: string, now: number): boolean;
}

/** Makes the count of one gateway process. */
export const createRefusals = (): Refusals => {
  const addresses = createRecent();
  const clients = createRecent();
  return {
    record(exchange) {
      if (!isTelling(exchange)) return;
      const { address, claims, now, response } = exchange;
      addresses.add(networkOf(address), isSuspicious(exchange), now);
      if (!claims) return;
      clients.add(claims.client_id, response.statusCode >= 400 && !STATE.has(response.statusCode), now);
    },
    ofAddress: addresses.areMostRefused,
    ofClient: clients.areMostRefused,
  };
};
