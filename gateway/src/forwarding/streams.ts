import { Fault } from '@boxoffice/envelope';
import { type Caller, decodeCaller } from '@boxoffice/identity';
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Check, Exchange } from '../exchange/exchange.ts';
import { createUnavailableFault } from '../exchange/faults.ts';

export type Streams = ReturnType<typeof createStreams>;

interface StreamsOptions {
  /** A new request with the token would have to pass them; the last one obtains the identity. */
  readonly checks: readonly Check[];
  readonly logger: Pick<Logger, 'error'>;
  readonly everyMs?: number;
}

/** Together with the age of cached decisions below the five seconds that are promised. */
const EVERY_MS = 500;

interface Watched {
  identity: string | undefined;
  readonly end: (fault: Fault) => void;
}

/** Responses without an end, and requests that wait long: they last while their tokens are worth what they were. */
export function createStreams({ checks, logger, everyMs = EVERY_MS }: StreamsOptions) {
  const open = new Map<Exchange, Watched>();

  const check = async ([exchange, watched]: readonly [Exchange, Watched]): Promise<void> => {
    const again: Exchange = { ...exchange, now: Date.now() };
    try {
      for (const pass of checks) await pass(again);
    } catch (error) {
      if (isRefusal(error)) watched.end(error);
      return;
    }
    if (!open.has(exchange)) return;
    if (hasFewerRights(again.identity, watched.identity)) watched.end(createChangedFault());
    else watched.identity = again.identity;
  };

  const watch = (exchange: Exchange, end: (fault: Fault) => void): void => {
    if (!open.has(exchange)) exchange.response.once('close', () => open.delete(exchange));
    open.set(exchange, { identity: exchange.identity, end });
  };

  const watching = repeat(() => Promise.all([...open].map(check)), {
    everyMs,
    failed: (error) => logger.error('the tokens of streams could not be checked', { error }),
  });

  return {
    /**
     * It ends once its token expires or is revoked, loses a scope, or its client or user becomes another one in what
     * bounds the data, which its service has decided once: the client connects again.
     */
    began: (exchange: Exchange): void => watch(exchange, () => void exchange.response.end()),
    /** It is refused in the same cases, with what the token would be told now, or 503 if a repeat would be answered. */
    waits: watch,
    async close(): Promise<void> {
      for (const { response } of open.keys()) if (response.headersSent) response.end();
      await watching.close();
    },
  };
}

/** An authorizer that does not answer decides nothing. */
const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && (error.code === 'unauthorized' || error.code === 'forbidden');

/** True if a service could show the caller of the later identity less. */
const hasFewerRights = (later: string | undefined, earlier: string | undefined): boolean => {
  if (later === earlier || earlier === undefined) return false;
  const [now, before] = [later, earlier].map((identity) => identity && decodeCaller(identity));
  if (!now || !before) return true;
  return before.scopes.some((scope) => !now.scopes.includes(scope)) || describeBounds(now) !== describeBounds(before);
};

const describeBounds = ({ user, bounds }: Caller): string =>
  JSON.stringify([user && [user.role, user.contact, user.pointsOfSale.toSorted()], bounds]);

const createChangedFault = (): Fault =>
  createUnavailableFault('What this token may read has changed while the request waited: send it again.');
