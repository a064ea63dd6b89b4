/**
 * Settles like the promise, for at most `ms` milliseconds; after them with the result of `late`, which may throw. The
 * work behind the promise continues, and its later rejection is not reported as unhandled. The timer is cleared as soon
 * as the promise settles.
 */
export const within = async <T, L>(promise: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> => {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, ms);
  try {
    return await Promise.race([promise, deadline.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
};
