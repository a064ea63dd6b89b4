import { type Logger, repeat } from '@boxoffice/runtime';
import type { AuthorizerClient } from '../authorization/authorizer-client.ts';

/** The origins that clients and API keys of the installation name. */
export interface NamedOrigins {
  /** Whether some client or key names the origin; waits for the first reading, at most a second. */
  has(origin: string): boolean | Promise<boolean>;
  close(): Promise<void>;
}

interface NamedOriginsOptions {
  /** Undefined without an authorizer: then no origin is named. */
  readonly authorizerClient: Pick<AuthorizerClient, 'origins'> | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  /** Interval between two readings: a change takes effect within five seconds. Milliseconds. */
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;

const FIRST_MS = 1_000;

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$/;

/** Starts reading the origins regularly. While the authorizer does not answer, the last ones count. */
export const followOrigins = ({ authorizerClient, logger, everyMs = EVERY_MS }: NamedOriginsOptions): NamedOrigins => {
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
    has(origin) {
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
};
