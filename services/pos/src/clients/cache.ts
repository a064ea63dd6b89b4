import { LRUCache } from 'lru-cache';

export interface Dated<Value> {
  readonly value: Value;
  /** Epoch milliseconds. */
  readonly asOf: number;
}

interface CacheOptions {
  readonly maxAgeMs: number;
  /** Age in milliseconds from which a value is reloaded in the background. */
  readonly refreshMs: number;
  /** Maximum age in milliseconds of a value that is returned while loading fails; default: none is. */
  readonly staleMs?: number;
  /** Whether a failure of loading allows a stale value; default: every failure does. */
  readonly isTransient?: (error: unknown) => boolean;
  readonly max: number;
  readonly now?: () => number;
}

interface Entry<Value> {
  readonly dated: Dated<Value>;
  /** Epoch milliseconds. */
  startedAt: number;
  /** A stale value is then returned without waiting for the next load. */
  isFailing: boolean;
}

/** Reloads values before they are too old; concurrent callers share one load per key. */
export function createCache<Value>(options: CacheOptions) {
  const { maxAgeMs, refreshMs, staleMs = 0, isTransient = () => true, max, now = Date.now } = options;
  const entries = new LRUCache<string, Entry<Value>>({ max });
  // A value derived from a cached one is no younger if it is reloaded at once, and a failure rarely ends so soon.
  const pauseMs = refreshMs / 2;
  const loading = new Map<string, Promise<Dated<Value>>>();

  const reload = (key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> => {
    const running = loading.get(key);
    if (running) return running;
    const startedAt = now();
    const started = load()
      .then((dated) => {
        entries.set(key, { dated, startedAt, isFailing: false });
        return dated;
      })
      .finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  };

  const mayBeStale = (found: Entry<Value>): boolean => found.isFailing && now() - found.dated.asOf <= staleMs;

  const inBackground = (key: string, found: Entry<Value>, load: () => Promise<Dated<Value>>): void => {
    found.startedAt = now();
    reload(key, load).catch((error: unknown) => {
      // A failure of another kind rejects the next call that waits for a load.
      found.isFailing = isTransient(error);
    });
  };

  const waitFor = (key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> =>
    reload(key, load).catch((error: unknown) => {
      const found = entries.get(key);
      if (found) found.isFailing = isTransient(error);
      if (!found || !mayBeStale(found)) throw error;
      return found.dated;
    });

  return {
    /** At most `maxAgeMs` old, or `staleMs` while loading fails. `load` dates its result. Rejects as `load` does. */
    get(key: string, load: () => Promise<Dated<Value>>): Promise<Dated<Value>> | Dated<Value> {
      const found = entries.get(key);
      const age = found ? now() - found.dated.asOf : Number.POSITIVE_INFINITY;
      if (found && age <= maxAgeMs) {
        if (age > refreshMs && now() - found.startedAt >= pauseMs) inBackground(key, found, load);
        return found.dated;
      }
      if (!found || !mayBeStale(found)) return waitFor(key, load);
      if (now() - found.startedAt >= refreshMs) inBackground(key, found, load);
      return found.dated;
    },
  };
}

type Latest<Value> = (key: string, load: () => Promise<Value>) => Promise<Value>;

interface Lane<Value> {
  running: Promise<Value>;
  next: Promise<Value> | undefined;
}

/** At most one load per key at a time; calls during it share the next one, which starts when it has ended. */
export function createLatest<Value>(): Latest<Value> {
  const lanes = new Map<string, Lane<Value>>();
  const begin = (key: string, load: () => Promise<Value>): Promise<Value> => {
    const lane: Lane<Value> = { running: load(), next: undefined };
    lanes.set(key, lane);
    const end = () => {
      if (lane.next === undefined) lanes.delete(key);
    };
    lane.running.then(end, end);
    return lane.running;
  };
  return (key, load) => {
    const lane = lanes.get(key);
    if (!lane) return begin(key, load);
    lane.next ??= lane.running.then(
      () => begin(key, load),
      () => begin(key, load),
    );
    return lane.next;
  };
}
