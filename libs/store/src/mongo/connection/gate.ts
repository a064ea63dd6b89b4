import { within } from '@boxoffice/runtime/time';
import { StoreUnavailable } from '../../port.ts';
import { inWordsOfThePort } from './unavailable.ts';

/** A call of the port as the engine carries it out. */
export interface Call {
  /** The caller has been told that its time is up: nothing more may be begun for it, and a mark set for it is withdrawn. */
  readonly abandoned: boolean;
}

/** The refusal of a call whose time is up. @throws StoreUnavailable if its caller waits no longer */
export const whileAwaited = ({ abandoned }: Call): void => {
  if (abandoned) throw new StoreUnavailable('MongoDB: the caller waits no longer');
};

/** Lets calls through while open, and knows which are under way. */
export interface Gate {
  /**
   * Calls `fn` at once, so that it reads its arguments before this returns; rejects after `close`, and with StoreUnavailable where the
   * database is not there or does not answer in time.
   */
  run<R>(fn: (call: Call) => Promise<R>): Promise<R>;
  /** The same for a call that may take as long as it has much to do. */
  runLong<R>(fn: (call: Call) => Promise<R>): Promise<R>;
  /** Refuses further calls, and resolves when those under way have settled. */
  close(): Promise<void>;
}

/** Settles like the call, or calls `abandon` and rejects when its time is up; the call itself goes on until the driver gives it up. */
export const inTime = <R>(call: Promise<R>, ms: number, abandon: () => void = () => {}): Promise<R> =>
  within(call, ms, () => {
    abandon();
    throw new StoreUnavailable(`MongoDB did not answer within ${ms} ms`);
  });

/** An open gate. `what` names in the refusal what was closed; `answerMs` is the time of a call. */
export const createGate = (what: string, answerMs: number): Gate => {
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
    run: (fn) => follow(fn, answerMs),
    runLong: (fn) => follow(fn, undefined),
    async close() {
      closed = true;
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
};

/** Runs `fn` on every item, at most `width` at a time. All are tried; then the first failure, if any, is thrown. */
export const eachOf = async <A>(items: readonly A[], width: number, fn: (item: A) => Promise<void>): Promise<void> => {
  const left = items.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of left) await fn(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
};
