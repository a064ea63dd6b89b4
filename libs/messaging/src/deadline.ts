/** Waits for a promise, for at most `ms` milliseconds; then what `late` answers or throws counts instead. */
export const within = async <T, L>(promise: Promise<T>, ms: number, late: () => L): Promise<T | L> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<L>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
