/** Who waits: those of one institution share its turns, and those of one address share that one's. */
export interface Queuer {
  readonly institution: string;
  readonly address: string;
  /** Whether it waits for no answer any more. */
  readonly hasLeft?: () => boolean;
}

/**
 * Lets so many in at once and so many wait, in turns: of each institution one after the other, and within an institution of each
 * address. Nobody waits longer because another institution or address sends more.
 */
export interface Turnstile {
  /**
   * Runs `act` when it is its turn; answers undefined if it may not wait, or not so long. When too many wait, the last one of the
   * address with most waiting, in the institution with most waiting, is turned away, also if it waited already; of several such
   * institutions or addresses chance names one, so that a newcomer is no worse off than who came before.
   */
  enter<Value>(who: Queuer, act: () => Promise<Value>): Promise<Value | undefined>;
}

export interface TurnstileLimits {
  /** So many are inside at once. */
  readonly inside: number;
  /** So many wait in all, and of one address. */
  readonly waiting: number;
  readonly waitingPerAddress: number;
  /** Nobody waits longer, in milliseconds. */
  readonly longestWaitMs: number;
}

export interface Surroundings {
  /** Milliseconds, by a clock that never goes back. */
  readonly now?: () => number;
  /** From 0 to under 1. */
  readonly random?: () => number;
}

interface Waiter {
  readonly who: Queuer;
  readonly since: number;
  /** Whether its turn has come; false: it is turned away. */
  end(isItsTurn: boolean): void;
}

/** The queues of one institution, by address; the first one's turn is next. None is empty. */
type Line = Map<string, Waiter[]>;

/** The queue that is next, moved to the end. */
const rotated = <Queue>(queues: Map<string, Queue>): readonly [string, Queue] | undefined => {
  const [first] = queues;
  if (!first) return undefined;
  queues.delete(first[0]);
  queues.set(...first);
  return first;
};

const lengthOf = (line: Line): number => [...line.values()].reduce((sum, queue) => sum + queue.length, 0);

export const createTurnstile = (limits: TurnstileLimits, surroundings: Surroundings = {}): Turnstile => {
  const { inside, waiting, waitingPerAddress, longestWaitMs } = limits;
  const { now = () => performance.now(), random = Math.random } = surroundings;
  const lines = new Map<string, Line>();
  let busy = 0;
  let queued = 0;

  const remove = (waiter: Waiter): void => {
    const { institution, address } = waiter.who;
    const line = lines.get(institution);
    const queue = line?.get(address);
    const index = queue?.indexOf(waiter) ?? -1;
    if (!line || !queue || index < 0) return;
    queue.splice(index, 1);
    if (queue.length === 0) line.delete(address);
    if (line.size === 0) lines.delete(institution);
    queued -= 1;
  };

  /** Turns away who has waited too long, also while nobody's turn comes, and drops who has left. */
  const clear = (): void => {
    const isOver = ({ who, since }: Waiter) => now() - since >= longestWaitMs || who.hasLeft?.() === true;
    const all = [...lines.values()].flatMap((line) => [...line.values()].flat());
    for (const waiter of all) if (isOver(waiter)) waiter.end(false);
  };

  const next = (): Waiter | undefined => {
    clear();
    const [, line] = rotated(lines) ?? [];
    const [, queue] = (line && rotated(line)) ?? [];
    return queue?.[0];
  };

  /** The longest queue. */
  const longest = <Queue>(queues: Map<string, Queue>, lengthIn: (queue: Queue) => number): Queue | undefined => {
    const most = Math.max(...[...queues.values()].map(lengthIn));
    const all = [...queues.values()].filter((queue) => lengthIn(queue) === most);
    return all[Math.floor(random() * all.length)];
  };

  const turnAway = (): void => {
    const line = longest(lines, lengthOf);
    const queue = line && longest(line, ({ length }) => length);
    queue?.at(-1)?.end(false);
  };

  const wait = (who: Queuer): Promise<boolean> => {
    clear();
    const line = lines.get(who.institution) ?? new Map<string, Waiter[]>();
    const queue = line.get(who.address) ?? [];
    if (queue.length >= waitingPerAddress) return Promise.resolve(false);
    const turn = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => waiter.end(false), longestWaitMs);
    const waiter: Waiter = {
      who,
      since: now(),
      end(isItsTurn) {
        clearTimeout(timer);
        remove(waiter);
        turn.resolve(isItsTurn);
      },
    };
    queue.push(waiter);
    line.set(who.address, queue);
    lines.set(who.institution, line);
    queued += 1;
    if (queued > waiting) turnAway();
    return turn.promise;
  };

  const leave = (): void => {
    const waiter = next();
    if (waiter) waiter.end(true);
    else busy -= 1;
  };

  return {
    async enter(who, act) {
      if (busy < inside) busy += 1;
      else if (!(await wait(who))) return undefined;
      return act().finally(leave);
    },
  };
};
