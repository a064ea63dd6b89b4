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
  /** Keys that are known at once. */
  readonly max: number;
  readonly now?: () => number;
}

/** Keeps what is expensive to know for a moment, and loads it once however many ask. */
export interface Fresh<Value> {
  /** The value as of `maxAgeMs` ago at most. `load` says itself as of when its answer is; rejects as it does. */
  get(key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> | Dated<Value>;
}

export const createFresh = <Value>({ maxAgeMs, refreshMs, max, now = Date.now }: FreshOptions): Fresh<Value> => {
  const known = new LRUCache<string, Dated<Value>>({ max });
  const loading = new Map<string, Promise<Dated<Value>>>();

  const reload = (key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> => {
    const running = loading.get(key);
    if (running) return running;
    const begun = load()
      .then((dated) => {
        known.set(key, dated);
        return dated;
      })
      .finally(() => loading.delete(key));
    loading.set(key, begun);
    return begun;
  };

  return {
    get(key, load) {
      const found = known.get(key);
      const age = found ? now() - found.asOf : Number.POSITIVE_INFINITY;
      if (found && age <= maxAgeMs) {
        // What fails in the background is met again by who has to wait.
        if (age > refreshMs) reload(key, load).catch(() => undefined);
        return found;
      }
      return reload(key, load);
    },
  };
};
