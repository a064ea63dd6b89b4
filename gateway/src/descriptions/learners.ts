import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHttpClient, getErrorCode, type HttpAnswer, type Logger } from '@boxoffice/runtime';
import { isBuiltIn } from '@boxoffice/runtime/services';
import { type OpenApiDocument, requireDocument } from '../routing/description.ts';
import type { Upstream } from '../routing/router.ts';

/** A service's description and its validator. */
interface Description {
  readonly document: OpenApiDocument;
  readonly etag: string | undefined;
}

/** Stores the last usable description of each service, for a gateway that starts while a service is down. */
interface DescriptionCache {
  /** Undefined if no readable description is stored. */
  read(service: string): Promise<Description | undefined>;
  /** Rejects if the description cannot be written. */
  write(service: string, description: Description): Promise<void>;
}

/** A cache that stores nothing. */
export const noDescriptionCache: DescriptionCache = { read: async () => undefined, write: async () => undefined };

/**
 * Stores descriptions as files of a folder. Each file is replaced atomically, so that a crash leaves the old or the new
 * one.
 */
export function createDescriptionCache(folder: string): DescriptionCache {
  return {
    async read(service) {
      try {
        const stored = JSON.parse(await readFile(join(folder, `${service}.json`), 'utf8'));
        const { etag, document } = stored as { readonly etag?: unknown; readonly document?: unknown };
        return { document: requireDocument(document), etag: typeof etag === 'string' ? etag : undefined };
      } catch {
        return undefined;
      }
    },
    async write(service, { etag, document }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `${service}.json.${process.pid}.${Date.now()}`);
      try {
        await writeFile(draft, JSON.stringify({ etag, document }), { mode: 0o600, flush: true });
        await rename(draft, join(folder, `${service}.json`));
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

interface LearnOptions {
  readonly service: string;
  /** The base URL of the service. */
  readonly url: string;
  readonly descriptionCache: DescriptionCache;
  /** Called with every description that differs from the previous one. */
  readonly onDescription: (description: Description) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Interval between two reads once the service has been ready. Milliseconds. */
  readonly everyMs?: number;
  /** How long a service may lack only its broker before it counts as ready. Milliseconds; default 5 s. */
  readonly brokerMs?: number;
}

/** Follows the description and the readiness of one service. */
interface Learner {
  /**
   * Resolves when the service has been described and ready once. A service that has lacked only its broker for
   * `brokerMs` counts as ready: otherwise no gateway could start during an outage of the broker. A broker that starts
   * together with the services is connected before that.
   */
  readonly ready: Promise<void>;
  /** The health check: rejects until the service has been ready once. */
  check(): Promise<void>;
  /** Uses the cached description, if one exists. */
  restore(): Promise<void>;
  /** Starts reading the description regularly. */
  start(): void;
  close(): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 5_000;

/** The start time of a broker that starts together with the services. */
const BROKER_MS = 5_000;

/** Makes the learner: short intervals until the service has been ready, then conditional requests every few seconds. */
export function createLearner(options: LearnOptions): Learner {
  const {
    service,
    url,
    descriptionCache: cache,
    onDescription,
    logger,
    everyMs = 3_000,
    brokerMs = BROKER_MS,
  } = options;
  const end = new AbortController();
  let etag: string | undefined;
  let known: string | undefined;
  let wasReady = false;
  /** Since when only the broker is missing; monotonic clock. */
  let brokerMissingSince: number | undefined;
  const ready = Promise.withResolvers<void>();
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let lastFailure = '';

  const send = createHttpClient(url);
  const get = (path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    send({ path, headers, timeoutMs: TIMEOUT_MS, signal: end.signal });

  const describe = async (): Promise<void> => {
    const condition: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const { status, headers, text } = await get('/openapi.json', condition);
    if (status === 304) return;
    if (status !== 200) throw new Error(`GET /openapi.json answered ${status}`);
    // A service without ETags sends the same text each time.
    if (text === known) return;
    const document = requireDocument(JSON.parse(text));
    const description = { document, etag: headers.etag };
    onDescription(description);
    // Only after the description was accepted: an unusable one must be read again.
    etag = description.etag;
    known = text;
    await cache.write(service, description).catch((error: unknown) => {
      logger.warn('a description cannot be written to the cache', { upstream: service, error });
    });
  };

  const checkReady = async (): Promise<void> => {
    const answer = await get('/health/ready');
    if (answer.status !== 200) {
      brokerMissingSince = lacksOnlyBroker(answer) ? (brokerMissingSince ?? performance.now()) : undefined;
      if (brokerMissingSince === undefined || performance.now() - brokerMissingSince < brokerMs) return;
    }
    wasReady = true;
    ready.resolve();
    if (answer.status === 200) logger.info('a service is ready', { upstream: service });
    else logger.warn('a service is counted as ready without its broker', { upstream: service });
  };

  const refresh = async (): Promise<void> => {
    try {
      await describe();
      if (!wasReady) await checkReady();
      lastFailure = '';
    } catch (error) {
      const reason = getErrorCode(error);
      // The same failure is logged once.
      if (!end.signal.aborted && reason !== lastFailure)
        logger.warn('the description of a service cannot be read', { upstream: service, error });
      lastFailure = reason;
    }
  };

  const schedule = (): void => {
    if (end.signal.aborted) return;
    timer = setTimeout(
      () => refresh().finally(schedule),
      wasReady && lastFailure === '' ? everyMs : Math.min(pauseMs, everyMs),
    );
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  };

  return {
    ready: ready.promise,
    async check() {
      if (!wasReady) throw new Error(`${service} has not been ready yet`);
    },
    async restore() {
      const last = await cache.read(service);
      if (!last) return;
      try {
        onDescription(last);
        ({ etag } = last);
      } catch (error) {
        logger.warn('a cached description cannot be used', { upstream: service, error });
      }
    },
    start() {
      void refresh().finally(schedule);
    },
    close() {
      end.abort();
      clearTimeout(timer);
    },
  };
}

/** Whether an unready service answers requests and waits only for its broker. */
const lacksOnlyBroker = ({ status: http, text }: HttpAnswer): boolean => {
  if (http !== 503) return false;
  try {
    const { status, waitingFor } = JSON.parse(text) as { readonly status?: unknown; readonly waitingFor?: unknown };
    return status === 'starting' && Array.isArray(waitingFor) && waitingFor.length === 1 && waitingFor[0] === 'broker';
  } catch {
    return false;
  }
};

/** The learners of the services, which come and go with them. */
interface Learners {
  /** Those of the product's own services: the gateway is ready when they are. A team's service holds nothing up. */
  builtIn(): ReadonlyMap<string, Learner>;
  /** Replaces the services. Resolves when the cached descriptions of new ones are restored. */
  update(services: readonly Upstream[]): Promise<void>;
  /** Starts reading descriptions, now and of later services. */
  start(): void;
  close(): void;
}

/** Makes the learners, of no service yet. */
export function createLearners(make: (service: Upstream) => Learner): Learners {
  const running = new Map<string, { readonly url: string; readonly learner: Learner }>();
  let isStarted = false;
  return {
    builtIn: () =>
      new Map([...running].flatMap(([name, { learner }]) => (isBuiltIn(name) ? [[name, learner] as const] : []))),
    async update(services) {
      for (const [name, { url, learner }] of running)
        if (!services.some((row) => row.name === name && row.url === url)) {
          learner.close();
          running.delete(name);
        }
      const added = services.filter(({ name }) => !running.has(name)).map((row) => ({ row, learner: make(row) }));
      for (const { row, learner } of added) running.set(row.name, { url: row.url, learner });
      await Promise.all(added.map(({ learner }) => learner.restore()));
      // One that was replaced meanwhile is closed, and reads nothing.
      if (isStarted) for (const { learner } of added) learner.start();
    },
    start() {
      isStarted = true;
      for (const { learner } of running.values()) learner.start();
    },
    close() {
      for (const { learner } of running.values()) learner.close();
    },
  };
}
