import { createHttpClient, type HttpAnswer, type Logger, reasonOf } from '@boxoffice/runtime';
import { asDocument } from '../routing/description.ts';
import type { Description, DescriptionCache } from './description-cache.ts';

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
export interface Learner {
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

/** Makes the learner: short intervals until the service has been ready, then conditional requests every few seconds. */
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
    const document = asDocument(JSON.parse(text));
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
      const reason = reasonOf(error);
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
};
