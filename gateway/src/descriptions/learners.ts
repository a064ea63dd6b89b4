import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHttpClient, getErrorCode, type HttpAnswer, type Logger } from '@boxoffice/runtime';
import { isBuiltIn } from '@boxoffice/runtime/services';
import { type OpenApiDocument, requireDocument } from '../routing/description.ts';
import type { Upstream } from '../routing/router.ts';

interface Description {
  readonly document: OpenApiDocument;
  readonly etag: string | undefined;
}

/** Stores the last usable description of each service, for a start while the service is down. */
interface DescriptionCache {
  /** Undefined if no readable description is stored. */
  read(service: string): Promise<Description | undefined>;
  write(service: string, description: Description): Promise<void>;
}

export const noDescriptionCache: DescriptionCache = { read: async () => undefined, write: async () => undefined };

/** Files are replaced atomically. */
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
  readonly url: string;
  readonly descriptionCache: DescriptionCache;
  readonly onDescription: (description: Description) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between two reads once the service has been ready. */
  readonly everyMs?: number;
  /** Milliseconds for which a service may lack only its broker before it counts as ready; default 5 s. */
  readonly brokerMs?: number;
}

type Learner = ReturnType<typeof createLearner>;

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 5_000;

const BROKER_MS = 5_000;

/** Asks often until the service has been ready, then by conditional requests every few seconds. */
export function createLearner(options: LearnOptions) {
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
  /** By the monotonic clock. */
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
    // Set after the description was accepted: an unusable one must be read again.
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
    /** Also after `brokerMs` without its broker alone: otherwise no gateway could start during its outage. */
    ready: ready.promise,
    /** Rejects until the service has been ready once. */
    async check(): Promise<void> {
      if (!wasReady) throw new Error(`${service} has not been ready yet`);
    },
    /** Uses the cached description, if one exists. */
    async restore(): Promise<void> {
      const last = await cache.read(service);
      if (!last) return;
      try {
        onDescription(last);
        ({ etag } = last);
      } catch (error) {
        logger.warn('a cached description cannot be used', { upstream: service, error });
      }
    },
    start(): void {
      void refresh().finally(schedule);
    },
    close(): void {
      end.abort();
      clearTimeout(timer);
    },
  };
}

const lacksOnlyBroker = ({ status: http, text }: HttpAnswer): boolean => {
  if (http !== 503) return false;
  try {
    const { status, waitingFor } = JSON.parse(text) as { readonly status?: unknown; readonly waitingFor?: unknown };
    return status === 'starting' && Array.isArray(waitingFor) && waitingFor.length === 1 && waitingFor[0] === 'broker';
  } catch {
    return false;
  }
};

export function createLearners(make: (service: Upstream) => Learner) {
  const running = new Map<string, { readonly url: string; readonly learner: Learner }>();
  let isStarted = false;
  return {
    /** The gateway is ready once these are. A team's service holds nothing up. */
    builtIn: () =>
      new Map([...running].flatMap(([name, { learner }]) => (isBuiltIn(name) ? [[name, learner] as const] : []))),
    /** Resolves when the cached descriptions of new ones are restored. */
    async update(services: readonly Upstream[]): Promise<void> {
      for (const [name, { url, learner }] of running)
        if (!services.some((row) => row.name === name && row.url === url)) {
          learner.close();
          running.delete(name);
        }
      const added = services.filter(({ name }) => !running.has(name)).map((row) => ({ row, learner: make(row) }));
      for (const { row, learner } of added) running.set(row.name, { url: row.url, learner });
      await Promise.all(added.map(({ learner }) => learner.restore()));
      // A learner that was replaced meanwhile reads nothing.
      if (isStarted) for (const { learner } of added) learner.start();
    },
    start(): void {
      isStarted = true;
      for (const { learner } of running.values()) learner.start();
    },
    close(): void {
      for (const { learner } of running.values()) learner.close();
    },
  };
}
