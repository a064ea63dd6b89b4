/** Runs `fn` after every earlier call for the same name has settled. */
export type Turns = <R>(name: string, fn: () => Promise<R>) => Promise<R>;

/**
 * Serializes the updates of one document within this process, so that they do not lose races against each other: of 32
 * concurrent swaps 31 would retry. Between processes the swap alone decides.
 */
export const createTurns = (): Turns => {
  const last = new Map<string, Promise<unknown>>();
  return async (name, fn) => {
    const before = last.get(name) ?? Promise.resolve();
    const own = before.then(fn, fn);
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
};
