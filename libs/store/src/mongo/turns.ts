/** Runs `fn` after every earlier call for the same name has settled. */
export type Turns = <R>(name: string, fn: () => Promise<R>) => Promise<R>;

/**
 * Lets the updates of one document in this process take turns, so that they do not lose races against each other: of
 * 32 that swap at once 31 would start again. Between processes the swap alone decides.
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
