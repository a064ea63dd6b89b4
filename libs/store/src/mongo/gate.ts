/** Lets calls through while open, and knows which are under way. */
export interface Gate {
  /** Calls `fn` at once, so that it reads its arguments before this returns; rejects after `close`. */
  run<R>(fn: () => Promise<R>): Promise<R>;
  /** Refuses further calls, and resolves when those under way have settled. */
  close(): Promise<void>;
}

/** An open gate. `what` names in the refusal what was closed. */
export const createGate = (what: string): Gate => {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  return {
    async run(fn) {
      if (closed) throw new Error(`${what} is closed`);
      const call = fn();
      underWay.add(call);
      try {
        return await call;
      } finally {
        underWay.delete(call);
      }
    },
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
