import { settleWithin } from '@boxoffice/runtime/time';
import { MongoClient, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { StoreUnavailable } from '../engines.ts';

/** Milliseconds of a call: a request whose second call stalls must be answered within the gateway's timeout of 15 s. */
export const ANSWER_MS = 6_000;

/** Options of a command whose duration depends on the amount of its work: at most ten minutes. */
export const LONG_TIMEOUT = { timeoutMS: 600_000 } as const;

/** The URL without user and password, for messages. */
export function removeCredentials(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}

/** `<prefix>_<service>`: the prefix is the database in the URL, or `boxoffice`. */
export function toDatabaseName(url: string, service: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(service)) throw new Error(`${JSON.stringify(service)} is not a store name`);
  const path = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]*)/.exec(url)?.[1];
  return `${path ? decodeURIComponent(path) : 'boxoffice'}_${service}`;
}

/** With the port's read and write concerns, whatever the URL has. @throws an Error with the address and the reason */
export async function connect(url: string, service: string, answerMs: number) {
  const { serverSelectionTimeoutMS, ...limits } = limitsOf(answerMs);
  const impatient = /[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS };
  const name = toDatabaseName(url, service);
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, {
      appName: `boxoffice ${service}`,
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      ignoreUndefined: true,
      ...limits,
      ...impatient,
    });
    await client.connect();
    await client.db(name).command({ ping: 1 });
    return { client, database: client.db(name) };
  } catch (error) {
    await client?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`MongoDB at ${removeCredentials(url)}: ${reason}`, { cause: error });
  }
}

/** Shorter than a call's limit, whose error would say less. A more patient caller has a more patient driver. */
const limitsOf = (answerMs: number) => {
  const patientMs = Math.max(answerMs, ANSWER_MS);
  return {
    // The driver opens two connections at a time: after the server was silent, calls wait this long for those two.
    connectTimeoutMS: patientMs / 2,
    // For the answer to a command without a limit of its own, such as those with which a connection authenticates.
    socketTimeoutMS: patientMs - 1_000,
    waitQueueTimeoutMS: patientMs - 1_000,
    serverSelectionTimeoutMS: patientMs - 1_000,
    writeConcern: { w: 'majority', j: true, wtimeoutMS: patientMs - 1_000 },
  } as const;
};

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

/** StoreUnavailable if the driver's error means that the database is unavailable; otherwise the error itself. */
export function toPortError(error: unknown): unknown {
  return isUnavailable(error) ? new StoreUnavailable(`MongoDB: ${error.message}`, { cause: error }) : error;
}

const isUnavailable = (error: unknown): error is Error =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  isCrowded(error) ||
  (error instanceof MongoServerError && passing.has(Number(error.code)));

/** The pool had no free connection in time; the driver does not export this class. */
const isCrowded = (error: unknown): boolean => error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';

export interface Call {
  /** True after the caller got its timeout: the call starts no further command. */
  readonly timedOut: boolean;
}

/** @throws StoreUnavailable if the call has timed out */
export function requireInTime({ timedOut }: Call): void {
  if (timedOut) throw new StoreUnavailable('MongoDB: the call has timed out');
}

export type Gate = ReturnType<typeof createGate>;

/** At the time limit calls `abandon` and rejects; the call itself continues until the driver ends it. */
export function requireAnswerWithin<R>(call: Promise<R>, ms: number, abandon: () => void = () => {}): Promise<R> {
  return settleWithin(call, ms, () => {
    abandon();
    throw new StoreUnavailable(`MongoDB did not answer within ${ms} ms`);
  });
}

/** An open gate. `what` names the closed object in the refusal; `answerMs` is the time limit of a call. */
export function createGate(what: string, answerMs: number) {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  const follow = async <R>(fn: (call: Call) => Promise<R>, ms: number | undefined): Promise<R> => {
    if (closed) throw new Error(`${what} is closed`);
    const own = { timedOut: false };
    const abandon = () => {
      own.timedOut = true;
    };
    const call = ms === undefined ? fn(own) : requireAnswerWithin(fn(own), ms, abandon);
    underWay.add(call);
    try {
      return await call;
    } catch (error) {
      throw toPortError(error);
    } finally {
      underWay.delete(call);
    }
  };
  return {
    /** `fn` reads its arguments before this returns. Rejects after `close`, and with StoreUnavailable. */
    run: <R>(fn: (call: Call) => Promise<R>) => follow(fn, answerMs),
    /** The same without a time limit, for calls whose duration depends on their amount of work. */
    runLong: <R>(fn: (call: Call) => Promise<R>) => follow(fn, undefined),
    /** Refuses further calls, and resolves when those in flight have settled. */
    async close(): Promise<void> {
      closed = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
