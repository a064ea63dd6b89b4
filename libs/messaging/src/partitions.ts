/** Work in order per key: one item of a key at a time, several keys at once. */
export type Partitions<T> = ReturnType<typeof createPartitions<T>>;

interface PartitionsOptions<T> {
  /** The number of items at work at once, over all keys. */
  readonly limit: number;
  /** Must not reject. A number: retry after so many milliseconds, before the later items of its key. */
  work(item: T): Promise<number | undefined>;
}

interface Partition<T> {
  readonly key: string;
  readonly items: T[];
  timer?: NodeJS.Timeout;
}

export function createPartitions<T>({ limit, work }: PartitionsOptions<T>) {
  const partitions = new Map<string, Partition<T>>();
  const ready: Partition<T>[] = [];
  let held = false;
  let working = 0;
  let size = 0;
  let waiters: (() => void)[] = [];

  const finish = (partition: Partition<T>): void => {
    if (partition.items.length > 0) ready.push(partition);
    else partitions.delete(partition.key);
  };
  const wakeWaiters = (): void => {
    if (size > 0) return;
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  };
  const postpone = (partition: Partition<T>, item: T, delayMs: number): void => {
    partition.items.unshift(item);
    partition.timer = setTimeout(() => {
      delete partition.timer;
      ready.push(partition);
      run();
    }, delayMs);
  };
  const begin = async (partition: Partition<T>, item: T): Promise<void> => {
    const again = await work(item);
    working--;
    if (again === undefined) {
      size--;
      finish(partition);
    } else {
      postpone(partition, item, again);
    }
    wakeWaiters();
    run();
  };
  const run = (): void => {
    while (!held && working < limit) {
      const partition = ready.shift();
      if (partition === undefined) return;
      const item = partition.items.shift();
      if (item === undefined) continue;
      working++;
      void begin(partition, item);
    }
  };

  return {
    push(key: string, item: T): void {
      size++;
      const partition = partitions.get(key);
      if (partition) {
        partition.items.push(item);
        return;
      }
      const fresh = { key, items: [item] };
      partitions.set(key, fresh);
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
      for (const partition of partitions.values()) {
        // A partition that waits for a retry has no running item, so it ends here.
        if (partition.timer) {
          clearTimeout(partition.timer);
          partitions.delete(partition.key);
        }
        dropped.push(...partition.items.splice(0));
      }
      for (const partition of ready.splice(0)) partitions.delete(partition.key);
      size -= dropped.length;
      wakeWaiters();
      return dropped;
    },
    quiet(): Promise<void> {
      return size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve));
    },
  };
}
