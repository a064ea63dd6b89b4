import { type Logger, reasonOf } from '@boxoffice/runtime';
import { asDocument } from '../routing/description.ts';
import type { ServiceName } from '../services.ts';
import type { Description, DescriptionCache } from './description-cache.ts';

export interface LearnOptions {
  readonly service: ServiceName;
  /** The origin of the service. */
  readonly url: string;
  readonly descriptionCache: DescriptionCache;
  /** Called with every description that differs from the one before. */
  readonly onDescription: (description: Description) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Between two looks at a service that has been ready. */
  readonly everyMs?: number;
  /** How long a service that serves may wait for its broker before it counts as having been ready all the same. Default: 5 s. */
  readonly brokerMs?: number;
}

/** What is known of one service. */
export interface Learner {
  /**
   * Resolves when the service has been described and ready, once; stays pending if it never is. Ready is what says so itself. Without
   * the broker no service says so, although each answers requests; were the gateway to wait for that, an outage of the broker would
   * keep every gateway out that starts meanwhile. So a service that has lacked nothing but the broker for some seconds counts as well;
   * a broker that merely starts beside the services is there by then.
   */
  readonly ready: Promise<void>;
  /** Rejects until then. */
  check(): Promise<void>;
  /** Takes over what was kept, if anything. */
  restore(): Promise<void>;
  /** Begins to look. */
  start(): void;
  close(): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 5_000;

/** As long as a broker takes that starts together with the services. */
const BROKER_MS = 5_000;

/** More than any description; a longer reply is not read to its end. */
const MAX_BYTES = 8_000_000;

const readText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the description is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** Whether a service that is not ready answers requests and waits for the broker alone. */
const lacksOnlyBroker = async (response: Response): Promise<boolean> => {
  if (response.status !== 503) return false;
  const text = await readText(response);
  try {
    const { status, waitingFor } = JSON.parse(text) as { readonly status?: unknown; readonly waitingFor?: unknown };
    return status === 'starting' && Array.isArray(waitingFor) && waitingFor.length === 1 && waitingFor[0] === 'broker';
  } catch {
    return false;
  }
};

/** Follows what a service says about itself: often while it has not been ready yet, then every few seconds, cheaply. */
export const createLearner = (options: LearnOptions): Learner => {
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
  /** Since when it lacks the broker alone, by the monotonic clock. */
  let brokerMissingSince: number | undefined;
  const ready = Promise.withResolvers<void>();
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let lastFailure = '';

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL(path, url), {
      headers,
      redirect: 'error',
      signal: AbortSignal.any([end.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });

  const describe = async (): Promise<void> => {
    const response = await get('/openapi.json', etag === undefined ? {} : { 'if-none-match': etag });
    if (response.status === 304) return;
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`its description answers ${response.status}`);
    }
    const text = await readText(response);
    // A service without validators says the same again and again.
    if (text === known) return;
    const document = asDocument(JSON.parse(text));
    const description = { document, etag: response.headers.get('etag') ?? undefined };
    onDescription(description);
    // Only now: had it been unusable, the next look would have to read it again.
    etag = description.etag;
    known = text;
    await cache.write(service, description).catch((error: unknown) => {
      logger.warn('a description cannot be kept', { upstream: service, error });
    });
  };

  const checkReady = async (): Promise<void> => {
    const response = await get('/health/ready');
    if (response.status !== 200) {
      brokerMissingSince = (await lacksOnlyBroker(response)) ? (brokerMissingSince ?? performance.now()) : undefined;
      if (brokerMissingSince === undefined || performance.now() - brokerMissingSince < brokerMs) return;
    }
    await response.body?.cancel().catch(() => undefined);
    wasReady = true;
    ready.resolve();
    if (response.status === 200) logger.info('a service is ready', { upstream: service });
    else logger.warn('a service serves without its broker', { upstream: service });
  };

  const refresh = async (): Promise<void> => {
    try {
      await describe();
      if (!wasReady) await checkReady();
      lastFailure = '';
    } catch (error) {
      const reason = reasonOf((error as Error).cause ?? error);
      // Told once, and again when it is another trouble.
      if (!end.signal.aborted && reason !== lastFailure)
        logger.warn('a service cannot be described', { upstream: service, error });
      lastFailure = reason;
    }
  };

  const schedule = (): void => {
    if (end.signal.aborted) return;
    timer = setTimeout(() => refresh().finally(schedule), wasReady && lastFailure === '' ? everyMs : pauseMs);
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
      onDescription(last);
      ({ etag } = last);
    },
    start() {
      void refresh().finally(schedule);
    },
    close() {
      end.abort();
      clearTimeout(timer);
    },
  };
};
