import { LRUCache } from 'lru-cache';

/** A value and when it was true. */
export interface Dated<Value> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly asOf: number;
}

export interface FreshOptions {
  /** Nothing older is given, in milliseconds. */
  readonly maxAgeMs: number;
  /** From this age on it is loaded anew while the known one is still given. */
  readonly refreshMs: number;
  /** While loading fails, what is known is given up to this age, in milliseconds; default: not at all. */
  readonly staleMs?: number;
  /** Which failures of loading that is for; default: all. */
  readonly isPassing?: (error: unknown) => boolean;
  /** Keys that are known at once. */
  readonly max: number;
  readonly now?: () => number;
}

/** Keeps what is expensive to know for a moment, and loads it once however many ask. */
export interface Fresh<Value> {
  /** The value as of `maxAgeMs` ago at most, or `staleMs` while loading fails. `load` says itself as of when its answer is; rejects as it does. */
  get(key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> | Dated<Value>;
}

interface Known<Value> {
  readonly dated: Dated<Value>;
  /** When it was last begun to be loaded. */
  begunAt: number;
  /** Loading it failed the last time: nobody waits for the next one. */
  isFailing: boolean;
}

export const createFresh = <Value>(options: FreshOptions): Fresh<Value> => {
  const { maxAgeMs, refreshMs, staleMs = 0, isPassing = () => true, max, now = Date.now } = options;
  const known = new LRUCache<string, Known<Value>>({ max });
  // What is made of something that is itself on its way is no younger for being made again at once, nor does a failure end so soon.
  const pauseMs = refreshMs / 2;
  const loading = new Map<string, Promise<Dated<Value>>>();

  const reload = (key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> => {
    const running = loading.get(key);
    if (running) return running;
    const begunAt = now();
    const begun = load()
      .then((dated) => {
        known.set(key, { dated, begunAt, isFailing: false });
        return dated;
      })
      .finally(() => loading.delete(key));
    loading.set(key, begun);
    return begun;
  };

  /** What is known of it may be given although it is old: its source is not there. */
  const isStillGood = (found: Known<Value>): boolean => found.isFailing && now() - found.dated.asOf <= staleMs;

  const inBackground = (key: string, found: Known<Value>, load: () => Promise<Dated<Value>>): void => {
    found.begunAt = now();
    reload(key, load).catch((error: unknown) => {
      // What fails for another reason is met again by who has to wait.
      found.isFailing = isPassing(error);
    });
  };

  const waitFor = (key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> =>
    reload(key, load).catch((error: unknown) => {
      const found = known.get(key);
      if (found) found.isFailing = isPassing(error);
      if (!found || !isStillGood(found)) throw error;
      return found.dated;
    });

  return {
    get(key, load) {
      const found = known.get(key);
      const age = found ? now() - found.dated.asOf : Number.POSITIVE_INFINITY;
      if (found && age <= maxAgeMs) {
        if (age > refreshMs && now() - found.begunAt >= pauseMs) inBackground(key, found, load);
        return found.dated;
      }
      if (!found || !isStillGood(found)) return waitFor(key, load);
      if (now() - found.begunAt >= refreshMs) inBackground(key, found, load);
      return found.dated;
    },
  };
};
