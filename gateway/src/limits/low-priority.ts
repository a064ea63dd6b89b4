/** Why a request of low priority has not got its turn. */
export type NoTurn = 'waited_long' | 'queue_full' | 'client_left';

/**
 * Lets requests of low priority wait while the event loop is busy and there are others. Turns go round the addresses.
 */
export interface LowPriority {
  /** Counts a request of ordinary priority, which never waits. */
  ordinary(now: number): void;
  /**
   * Resolves when a request of this address has its turn, and with the reason when it gets none. `hasLeft`: whether its
   * client has closed the connection. Undefined: it need not wait.
   */
  enter(network: string, now: number, hasLeft: () => boolean): Promise<NoTurn | undefined> | undefined;
  /** Gives the turns that there is time for; called every TICK_MS while requests wait. */
  tick(now: number): void;
  readonly waiting: number;
}

export interface LowPriorityOptions {
  /** The part of the time since the last call in which the event loop was busy, from 0 to 1. */
  readonly utilization: () => number;
}

/** Milliseconds between two looks at the event loop. */
export const TICK_MS = 10;

/** From this utilization on, the event loop is busy. */
const BUSY = 0.5;

/** A look that is older says nothing of the present. Milliseconds. */
const STALE_MS = 100;

/** Turns in one tick. */
const TURNS = 2;

/** Milliseconds without an ordinary request after which there is nobody to give way to. */
const QUIET_MS = 10_000;

/** Turns in one tick with nobody to give way to. */
const QUIET_TURNS = 20;

/** The busiest event loop gives one turn in this time. Milliseconds. */
const LEAST_EVERY_MS = 250;

const LONGEST_WAIT_MS = 5_000;

/** Maximum numbers of requests that wait. */
const MOST_WAITING = 1_000;
const MOST_OF_ADDRESS = 50;

interface Waiter {
  readonly since: number;
  readonly hasLeft: () => boolean;
  end(outcome: NoTurn | undefined): void;
}

/** Makes the queue of one process. */
export const createLowPriority = ({ utilization }: LowPriorityOptions): LowPriority => {
  /** The waiting requests by address, never empty; the first address has the next turn. */
  const lines = new Map<string, Waiter[]>();
  let waiting = 0;
  let turnAt = 0;
  let ordinaryAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let busy = false;

  const isQuiet = (now: number): boolean => now - ordinaryAt > QUIET_MS;

  const isBusy = (now: number): boolean => {
    const age = now - lookedAt;
    if (age < TICK_MS) return busy;
    const part = utilization();
    busy = age <= STALE_MS && part >= BUSY;
    lookedAt = now;
    return busy;
  };

  const giveTurns = (most: number, now: number): void => {
    for (let turn = 0; turn < most; turn += 1) {
      const [first] = lines;
      if (!first) return;
      const [network, line] = first;
      lines.delete(network);
      line.shift()?.end(undefined);
      waiting -= 1;
      if (line.length > 0) lines.set(network, line);
      turnAt = now;
    }
  };

  /** Ends the waits of clients that have left, and those that are too long. */
  const endInVain = (now: number): void => {
    for (const [network, line] of lines) {
      const left = line.filter((waiter) => {
        const reason = waiter.hasLeft()
          ? 'client_left'
          : now - waiter.since >= LONGEST_WAIT_MS
            ? 'waited_long'
            : undefined;
        if (reason) waiter.end(reason);
        return reason === undefined;
      });
      waiting -= line.length - left.length;
      if (left.length > 0) lines.set(network, left);
      else lines.delete(network);
    }
  };

  return {
    ordinary(now) {
      ordinaryAt = now;
    },
    enter(network, now, hasLeft) {
      if (isQuiet(now) || (waiting === 0 && !isBusy(now))) return undefined;
      const line = lines.get(network) ?? [];
      if (waiting >= MOST_WAITING || line.length >= MOST_OF_ADDRESS) return Promise.resolve('queue_full' as const);
      const turn = Promise.withResolvers<NoTurn | undefined>();
      line.push({ since: now, hasLeft, end: turn.resolve });
      lines.set(network, line);
      waiting += 1;
      return turn.promise;
    },
    tick(now) {
      endInVain(now);
      if (isQuiet(now)) giveTurns(QUIET_TURNS, now);
      else if (!isBusy(now)) giveTurns(TURNS, now);
      else if (now - turnAt >= LEAST_EVERY_MS) giveTurns(1, now);
    },
    get waiting() {
      return waiting;
    },
  };
};
