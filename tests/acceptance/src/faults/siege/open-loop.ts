/** The intended start of an arrival at a fixed rate, in milliseconds after the first one's. */
export const intendedAt = (index: number, perSecond: number): number => (index * 1_000) / perSecond;

/** How many arrivals are due after a time (milliseconds), of those that start within `seconds`. */
export const dueAfter = (elapsedMs: number, perSecond: number, seconds: number): number => {
  const last = Math.ceil(seconds * perSecond);
  return Math.min(last, Math.floor((elapsedMs * perSecond) / 1_000) + 1);
};

export interface OpenLoop {
  /** Arrivals per second. */
  readonly rate: number;
  readonly seconds: number;
  /** One arrival; `intended` is its planned start by the loop's clock. It does not reject. */
  readonly arrive: (index: number, intended: number) => Promise<void>;
  /** The most arrivals in progress: a further one is skipped, so that a product that hangs does not exhaust memory. */
  readonly most?: number;
  /** Milliseconds. */
  readonly now?: () => number;
  readonly pause?: () => Promise<void>;
}

/** What an open loop started. */
export interface Started {
  readonly started: number;
  /** Arrivals that were due while too many were in progress. */
  readonly skipped: number;
}

const PAUSE_MS = 4;

/**
 * Starts arrivals at a fixed rate, whether earlier ones have ended or not, so that a product that stalls is not spared
 * its load. Resolves when all have ended.
 */
export const openLoop = async (options: OpenLoop): Promise<Started> => {
  const { rate, seconds, arrive, most = 4_000, now = () => performance.now() } = options;
  const pause = options.pause ?? (() => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)));
  const inProgress = new Set<Promise<void>>();
  const from = now();
  const last = Math.ceil(seconds * rate);
  let skipped = 0;
  for (let next = 0; next < last; ) {
    for (const due = dueAfter(now() - from, rate, seconds); next < due; next++) {
      if (inProgress.size >= most) {
        skipped += 1;
        continue;
      }
      const one = arrive(next, from + intendedAt(next, rate)).finally(() => inProgress.delete(one));
      inProgress.add(one);
    }
    if (next < last) await pause();
  }
  await Promise.all(inProgress);
  return { started: last - skipped, skipped };
};
