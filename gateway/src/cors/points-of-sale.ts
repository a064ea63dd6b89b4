import { IDENTITY_HEADER, type ServiceCredentials } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { LRUCache } from 'lru-cache';

/** The allowed origins of a point of sale: a list, or all. */
export type Origins = readonly string[] | 'all';

/** Reads the allowed origins of points of sale from the catalog. */
export interface PointsOfSale {
  /** The cached origins, or those that the catalog answers; undefined if neither exists. Never rejects. */
  origins(serviceHost: string): Promise<Origins | undefined> | Origins;
}

export interface PointsOfSaleOptions {
  readonly catalogUrl: string;
  readonly credentials: ServiceCredentials;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Known {
  readonly origins: Origins;
  /** Epoch milliseconds. */
  readonly until: number;
}

const HOSTS = 10_000;

/** A configuration change takes effect within 3 s. */
const KNOWN_MS = 2_000;

const TIMEOUT_MS = 1_000;

/** The longest host name (RFC 1035, 2.3.4). */
const LONGEST_HOST = 255;

const OPERATION = { audience: 'catalog', institution: '', operation: 'findPointOfSale' } as const;

const originsOf = (data: unknown): Origins => {
  const { corsOrigins } = (data ?? {}) as { readonly corsOrigins?: unknown };
  return Array.isArray(corsOrigins) && corsOrigins.length > 0 ? corsOrigins.map(String) : 'all';
};

/**
 * Makes the cache of allowed origins: bounded and seconds old at most, older only while the catalog does not answer.
 */
export const createPointsOfSale = ({ catalogUrl, credentials, logger }: PointsOfSaleOptions): PointsOfSale => {
  const known = new LRUCache<string, Known>({ max: HOSTS });
  const pendingLookups = new Map<string, Promise<Origins | undefined>>();

  const fetchOrigins = async (serviceHost: string): Promise<Origins> => {
    const identity = await credentials.tokenFor(OPERATION);
    const response = await fetch(new URL(`/internal/points-of-sale/${encodeURIComponent(serviceHost)}`, catalogUrl), {
      headers: { [IDENTITY_HEADER]: identity },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = (await response.json()) as { readonly data: unknown };
    // The service refuses an unknown host, and every front end may read that refusal.
    if (response.status === 404) return 'all';
    if (response.status !== 200) throw new Error(`the catalog answered ${response.status}`);
    return originsOf(answer.data);
  };

  const refresh = async (serviceHost: string): Promise<Origins | undefined> => {
    try {
      const origins = await fetchOrigins(serviceHost);
      known.set(serviceHost, { origins, until: Date.now() + KNOWN_MS });
      return origins;
    } catch (error) {
      logger.warn('the catalog does not answer the allowed origins of a point of sale', { error });
      return known.get(serviceHost)?.origins;
    } finally {
      pendingLookups.delete(serviceHost);
    }
  };

  return {
    origins(given) {
      if (given.length > LONGEST_HOST) return 'all';
      const serviceHost = given.toLowerCase();
      const found = known.get(serviceHost);
      if (found && Date.now() < found.until) return found.origins;
      const pending = pendingLookups.get(serviceHost) ?? refresh(serviceHost);
      pendingLookups.set(serviceHost, pending);
      return pending;
    },
  };
};
