import { Fault } from '@boxoffice/envelope';
import { type CallerUser, callerOfIdentity } from '@boxoffice/identity';
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Exchange, Step } from '../exchange/exchange.ts';

/** Responses without an end of their own, which last as long as their tokens are worth what they were. */
export interface Streams {
  /**
   * The response of this exchange is a stream: it ends once its token expires or is revoked, loses a scope, or its user
   * becomes another one in what bounds the data. Its service has decided once what the stream shows, so the client
   * connects again.
   */
  began(exchange: Exchange): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface StreamsOptions {
  /** The steps that a new request with the token would pass; the last one obtains the identity. */
  readonly checks: readonly Step[];
  readonly logger: Pick<Logger, 'error'>;
  readonly everyMs?: number;
}

/** Together with the age of cached decisions, it is below the five seconds that are promised. */
const EVERY_MS = 500;

/** Whether the token is worth nothing any more; an authorizer that does not answer decides nothing. */
const isRefused = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'unauthorized' || error.code === 'forbidden');

/** What bounds the data of a user, as text to compare. */
const boundsOf = (user: CallerUser | null): string =>
  JSON.stringify(user && [user.role, user.contact, user.pointsOfSale.toSorted()]);

/** Whether a service could show the caller of the later identity less than that of the earlier one. */
const isWorthLess = (later: string | undefined, earlier: string | undefined): boolean => {
  if (later === earlier || earlier === undefined) return false;
  const [now, before] = [later, earlier].map((identity) => identity && callerOfIdentity(identity));
  if (!now || !before) return true;
  return before.scopes.some((scope) => !now.scopes.includes(scope)) || boundsOf(now.user) !== boundsOf(before.user);
};

/** Watches the streams. */
export const createStreams = ({ checks, logger, everyMs = EVERY_MS }: StreamsOptions): Streams => {
  // With the last identity of each: the next one is compared with it.
  const open = new Map<Exchange, string | undefined>();

  const check = async ([exchange, identity]: readonly [Exchange, string | undefined]): Promise<void> => {
    const again: Exchange = { ...exchange, now: Date.now() };
    try {
      for (const step of checks) await step(again);
    } catch (error) {
      if (isRefused(error)) exchange.response.end();
      return;
    }
    if (!open.has(exchange)) return;
    if (isWorthLess(again.identity, identity)) exchange.response.end();
    else open.set(exchange, again.identity);
  };

  const watching = repeat(() => Promise.all([...open].map(check)), {
    everyMs,
    failed: (error) => logger.error('the tokens of streams could not be checked', { error }),
  });

  return {
    began(exchange) {
      open.set(exchange, exchange.identity);
      exchange.response.once('close', () => open.delete(exchange));
    },
    async close() {
      for (const { response } of open.keys()) response.end();
      await watching.close();
    },
  };
};
