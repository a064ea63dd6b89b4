import { IDENTITY_HEADER, type ServiceCredentials } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { LRUCache } from 'lru-cache';

/** The origins that a point of sale lets in: a list, or all of them. */
export type Origins = readonly string[] | 'all';

/** Asks the catalog how points of sale are configured. */
export interface PointsOfSale {
  /** What is known now or, if that is too old, what the catalog says; undefined if nobody can say. Never rejects. */
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

/** A change takes effect within 3 s. */
const KNOWN_MS = 2_000;

const TIMEOUT_MS = 1_000;

/** Nobody's host is longer (RFC 1035, 2.3.4). */
const LONGEST_HOST = 255;

const OPERATION = { audience: 'catalog', institution: '', operation: 'findPointOfSale' } as const;

const originsOf = (data: unknown): Origins => {
  const { corsOrigins } = (data ?? {}) as { readonly corsOrigins?: unknown };
  return Array.isArray(corsOrigins) && corsOrigins.length > 0 ? corsOrigins.map(String) : 'all';
};

/** Makes the memory of points of sale: bounded, seconds old at most, older only while the catalog does not answer. */
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
    // An unknown host is the service's to refuse, and every front end may read that refusal.
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
      logger.warn('the catalog tells nothing of a point of sale', { error });
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
