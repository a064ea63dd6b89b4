/** Work in order per key: one item of a key at a time, several keys at once. */
export type Lanes<T> = ReturnType<typeof createLanes<T>>;

interface LanesOptions<T> {
  /** The number of items at work at once, over all keys. */
  readonly limit: number;
  /** Must not reject. A number: retry after so many milliseconds, before the later items of its key. */
  work(item: T): Promise<number | undefined>;
}

interface Lane<T> {
  readonly key: string;
  readonly items: T[];
  timer?: NodeJS.Timeout;
}

export function createLanes<T>({ limit, work }: LanesOptions<T>) {
  const lanes = new Map<string, Lane<T>>();
  const ready: Lane<T>[] = [];
  let held = false;
  let working = 0;
  let size = 0;
  let waiters: (() => void)[] = [];

  const finishLane = (lane: Lane<T>): void => {
    if (lane.items.length > 0) ready.push(lane);
    else lanes.delete(lane.key);
  };
  const settle = (): void => {
    if (size > 0) return;
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  };
  const later = (lane: Lane<T>, item: T, delayMs: number): void => {
    lane.items.unshift(item);
    lane.timer = setTimeout(() => {
      delete lane.timer;
      ready.push(lane);
      run();
    }, delayMs);
  };
  const begin = async (lane: Lane<T>, item: T): Promise<void> => {
    const again = await work(item);
    working--;
    if (again === undefined) {
      size--;
      finishLane(lane);
    } else {
      later(lane, item, again);
    }
    settle();
    run();
  };
  const run = (): void => {
    while (!held && working < limit) {
      const lane = ready.shift();
      if (lane === undefined) return;
      const item = lane.items.shift();
      if (item === undefined) continue;
      working++;
      void begin(lane, item);
    }
  };

  return {
    push(key: string, item: T): void {
      size++;
      const lane = lanes.get(key);
      if (lane) {
        lane.items.push(item);
        return;
      }
      const fresh = { key, items: [item] };
      lanes.set(key, fresh);
      ready.push(fresh);
      run();
    },
    /** Items not finished yet, those at work included. */
    get size(): number {
      return size;
    },
    hold(): void {
      held = true;
    },
    resume(): void {
      held = false;
      run();
    },
    drop(): T[] {
      const dropped: T[] = [];
      for (const lane of lanes.values()) {
        // A lane that waits for a retry has no running item, so it ends here.
        if (lane.timer) {
          clearTimeout(lane.timer);
          lanes.delete(lane.key);
        }
        dropped.push(...lane.items.splice(0));
      }
      for (const lane of ready.splice(0)) lanes.delete(lane.key);
      size -= dropped.length;
      settle();
      return dropped;
    },
    quiet(): Promise<void> {
      return size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve));
    },
  };
}
