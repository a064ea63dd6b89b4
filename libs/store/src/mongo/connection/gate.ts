import { within } from '@boxoffice/runtime/time';
import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { StoreUnavailable } from '../../errors.ts';

/** Server codes of transient conditions: shutdown, step-down, lost quorum, exceeded time limit. */
const passing: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** The pool had no free connection in time; the driver does not export this class. */
const isCrowded = (error: unknown): boolean => error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';

const isUnavailable = (error: unknown): error is Error =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  isCrowded(error) ||
  (error instanceof MongoServerError && passing.has(Number(error.code)));

/** StoreUnavailable if the driver's error means that the database is unavailable; otherwise the error itself. */
export const inWordsOfThePort = (error: unknown): unknown =>
  isUnavailable(error) ? new StoreUnavailable(`MongoDB: ${error.message}`, { cause: error }) : error;

/** A call of the port as the engine executes it. */
export interface Call {
  /** True after the caller got its timeout: the call begins no further command. */
  readonly abandoned: boolean;
}

/** @throws StoreUnavailable if the call has timed out */
export const whileAwaited = ({ abandoned }: Call): void => {
  if (abandoned) throw new StoreUnavailable('MongoDB: the call has timed out');
};

/** Admits calls while open, and tracks those in flight. */
export type Gate = ReturnType<typeof createGate>;

/**
 * Settles like the call. At the time limit it calls `abandon` and rejects; the call itself continues until the driver
 * ends it.
 */
export const inTime = <R>(call: Promise<R>, ms: number, abandon: () => void = () => {}): Promise<R> =>
  within(call, ms, () => {
    abandon();
    throw new StoreUnavailable(`MongoDB did not answer within ${ms} ms`);
  });

/** An open gate. `what` names the closed object in the refusal; `answerMs` is the time limit of a call. */
export const createGate = (what: string, answerMs: number) => {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  const follow = async <R>(fn: (call: Call) => Promise<R>, ms: number | undefined): Promise<R> => {
    if (closed) throw new Error(`${what} is closed`);
    const own = { abandoned: false };
    const abandon = () => {
      own.abandoned = true;
    };
    const call = ms === undefined ? fn(own) : inTime(fn(own), ms, abandon);
    underWay.add(call);
    try {
      return await call;
    } catch (error) {
      throw inWordsOfThePort(error);
    } finally {
      underWay.delete(call);
    }
  };
  return {
    /**
     * Calls `fn` synchronously, so that it reads its arguments before this returns. Rejects after `close`, and with
     * StoreUnavailable if the database is unreachable or exceeds the time limit.
     */
    run: <R>(fn: (call: Call) => Promise<R>) => follow(fn, answerMs),
    /** The same without a time limit, for calls whose duration depends on their amount of work. */
    runLong: <R>(fn: (call: Call) => Promise<R>) => follow(fn, undefined),
    /** Refuses further calls, and resolves when those in flight have settled. */
    async close(): Promise<void> {
      closed = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
};
