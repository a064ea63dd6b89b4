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

interface Known<Value> {
  readonly dated: Dated<Value>;
  /** When it was last begun to be loaded. */
  begunAt: number;
}

export const createFresh = <Value>({ maxAgeMs, refreshMs, max, now = Date.now }: FreshOptions): Fresh<Value> => {
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
        known.set(key, { dated, begunAt });
        return dated;
      })
      .finally(() => loading.delete(key));
    loading.set(key, begun);
    return begun;
  };

  return {
    get(key, load) {
      const found = known.get(key);
      const age = found ? now() - found.dated.asOf : Number.POSITIVE_INFINITY;
      if (found && age <= maxAgeMs) {
        if (age > refreshMs && now() - found.begunAt >= pauseMs) {
          found.begunAt = now();
          // What fails in the background is met again by who has to wait.
          reload(key, load).catch(() => undefined);
        }
        return found.dated;
      }
      return reload(key, load);
    },
  };
};
