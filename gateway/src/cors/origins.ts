import { createServiceCredentials, IDENTITY_HEADER, type KeySet, type ServiceCredentials } from '@boxoffice/identity';
import { createHttpClient, type Logger, repeat } from '@boxoffice/runtime';
import type { AuthorizerClient } from '../authorization/authorizer-client.ts';
import { createNewest } from '../limits/newest.ts';

export type Origins = readonly string[] | 'all';

export type PointsOfSale = ReturnType<typeof createPointsOfSale>;

interface PointsOfSaleOptions {
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

/** Milliseconds: a configuration change takes effect within 3 s. */
const KNOWN_MS = 2_000;

const TIMEOUT_MS = 1_000;

/** RFC 1035, 2.3.4. */
const LONGEST_HOST = 255;

const OPERATION = { audience: 'catalog', institution: '', operation: 'findPointOfSale' } as const;

interface GatewayParts {
  readonly urls: ReadonlyMap<string, string>;
  readonly serviceSecret: string;
  readonly keys: KeySet | undefined;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Undefined without the catalog or the authorizer, which gives the gateway its identity there: then no foreign origin
 * is allowed, and a gateway that serves family B warns of it.
 */
export function connectPointsOfSale({ urls, serviceSecret, keys, logger }: GatewayParts): PointsOfSale | undefined {
  const [catalogUrl, authorizerUrl] = [urls.get('catalog'), urls.get('authorizer')];
  if (catalogUrl !== undefined && authorizerUrl !== undefined) {
    const credentials = createServiceCredentials({ authorizerUrl, service: 'gateway', secret: serviceSecret, keys });
    return createPointsOfSale({ catalogUrl, credentials, logger });
  }
  if (urls.has('pos')) {
    const missing = (['catalog', 'authorizer'] as const).filter((name) => !urls.has(name));
    const settings = missing.map((name) => `${name.toUpperCase()}_URL`).join(' and ');
    logger.warn(
      `POS_URL is set without ${settings}: every request of family B with a foreign Origin is refused. Set ${settings}, so that the ` +
        'gateway can read the corsOrigins of points of sale',
    );
  }
  return undefined;
}

/** Origins are seconds old at most, older only while the catalog does not answer. */
const createPointsOfSale = ({ catalogUrl, credentials, logger }: PointsOfSaleOptions) => {
  const callCatalog = createHttpClient(catalogUrl);
  const known = createNewest<Known>(HOSTS);
  const pendingLookups = new Map<string, Promise<Origins | undefined>>();

  const fetchOrigins = async (serviceHost: string): Promise<Origins> => {
    const identity = await credentials.tokenFor(OPERATION);
    const { status, text } = await callCatalog({
      path: `/internal/points-of-sale/${encodeURIComponent(serviceHost)}`,
      headers: { [IDENTITY_HEADER]: identity },
      timeoutMs: TIMEOUT_MS,
    });
    // The service refuses an unknown host, and every front end may read that refusal.
    if (status === 404) return 'all';
    if (status !== 200) throw new Error(`the catalog answered ${status}`);
    return toOrigins((JSON.parse(text) as { readonly data: unknown }).data);
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
    /** Cached origins, or those that the catalog answers; undefined if neither exists. Never rejects. */
    origins(given: string): Promise<Origins | undefined> | Origins {
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

const toOrigins = (data: unknown): Origins => {
  const { corsOrigins } = (data ?? {}) as { readonly corsOrigins?: unknown };
  return Array.isArray(corsOrigins) && corsOrigins.length > 0 ? corsOrigins.map(String) : 'all';
};

export type NamedOrigins = ReturnType<typeof followOrigins>;

interface NamedOriginsOptions {
  /** Undefined: no origin is named. */
  readonly authorizerClient: Pick<AuthorizerClient, 'origins'> | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds: a change takes effect within five seconds. */
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;

const FIRST_MS = 1_000;

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$/;

/** While the authorizer does not answer, the last ones count. */
export function followOrigins({ authorizerClient, logger, everyMs = EVERY_MS }: NamedOriginsOptions) {
  let origins: ReadonlySet<string> = new Set();
  let mark = '';
  let isRead = false;
  let isReachable = true;
  const firstRead = Promise.withResolvers<void>();

  const read = async (): Promise<void> => {
    const changed = await authorizerClient?.origins(mark);
    if (changed) {
      mark = changed.mark;
      origins = new Set(changed.origins);
    }
    isRead = true;
    isReachable = true;
    firstRead.resolve();
  };
  const reading =
    authorizerClient &&
    repeat(read, {
      everyMs,
      atOnce: true,
      failed: (error) => {
        if (isReachable) logger.warn('the origins of clients and API keys cannot be read', { error });
        isReachable = false;
      },
    });

  const isNamed = (origin: string): boolean => {
    if (origins.has(origin)) return true;
    const [, host] = LOOPBACK.exec(origin) ?? [];
    return host !== undefined && origins.has(`http://${host}:*`);
  };

  return {
    /** True if a client or API key names the origin; waits for the first reading, at most a second. */
    has(origin: string): boolean | Promise<boolean> {
      if (isRead || !reading) return isNamed(origin);
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, FIRST_MS).unref();
      });
      return Promise.race([firstRead.promise, late]).then(() => isNamed(origin));
    },
    close: async () => {
      await reading?.close();
    },
  };
}
