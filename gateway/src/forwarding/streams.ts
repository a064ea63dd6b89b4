import { Fault } from '@boxoffice/envelope';
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Exchange, Step } from '../exchange/exchange.ts';

/** Responses without an end of their own, which last as long as their tokens are worth something. */
export interface Streams {
  /** The response of this exchange is a stream: it ends once its token expires, is revoked or loses the scope. */
  began(exchange: Exchange): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface StreamsOptions {
  /** The steps that a new request with the token would pass. */
  readonly checks: readonly Step[];
  readonly logger: Pick<Logger, 'error'>;
  readonly everyMs?: number;
}

/** Together with the age of cached decisions, it is below the five seconds that are promised. */
const EVERY_MS = 1_000;

/** Whether the token is worth nothing any more; an authorizer that does not answer decides nothing. */
const isRefused = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'unauthorized' || error.code === 'forbidden');

/** Watches the streams. */
export const createStreams = ({ checks, logger, everyMs = EVERY_MS }: StreamsOptions): Streams => {
  const open = new Set<Exchange>();

  const check = async (exchange: Exchange): Promise<void> => {
    const again: Exchange = { ...exchange, now: Date.now() };
    try {
      for (const step of checks) await step(again);
    } catch (error) {
      if (isRefused(error)) exchange.response.end();
    }
  };

  const watching = repeat(() => Promise.all([...open].map(check)), {
    everyMs,
    failed: (error) => logger.error('the tokens of streams could not be checked', { error }),
  });

  return {
    began(exchange) {
      open.add(exchange);
      exchange.response.once('close', () => open.delete(exchange));
    },
    async close() {
      for (const { response } of open) response.end();
      await watching.close();
    },
  };
};
