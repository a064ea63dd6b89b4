/** Lets so many in at once, and so many wait. */
export interface Turnstile {
  /** Runs `act` when there is room; undefined, at once, if too many wait already. */
  enter<Value>(act: () => Promise<Value>): Promise<Value> | undefined;
}

export const createTurnstile = (inside: number, waiting: number): Turnstile => {
  let busy = 0;
  const queue: (() => void)[] = [];
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else busy -= 1;
  };
  const run = <Value>(act: () => Promise<Value>): Promise<Value> => act().finally(leave);
  return {
    enter(act) {
      if (busy < inside) {
        busy += 1;
        return run(act);
      }
      if (queue.length >= waiting) return undefined;
      return new Promise<void>((resolve) => queue.push(resolve)).then(() => run(act));
    },
  };
};
