/** Who waits: those of one institution share its turns, and those of one address share that one's. */
export interface Queuer {
  readonly institution: string;
  readonly address: string;
}

/**
 * Lets so many in at once and so many wait, in turns: of each institution one after the other, and within an institution of each
 * address. Nobody waits longer because another institution or address sends more.
 */
export interface Turnstile {
  /**
   * Runs `act` when it is its turn; answers undefined if it may not wait. When too many wait, the last one of the address with most
   * waiting, in the institution with most waiting, is turned away, also if it waited already.
   */
  enter<Value>(who: Queuer, act: () => Promise<Value>): Promise<Value | undefined>;
}

export interface TurnstileLimits {
  /** So many are inside at once. */
  readonly inside: number;
  /** So many wait in all, and of one address. */
  readonly waiting: number;
  readonly waitingPerAddress: number;
}

/** Whether its turn has come; false: it is turned away. */
type Waiter = (admitted: boolean) => void;
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

/** The longest queue; of several the last. */
const longest = <Queue>(queues: Map<string, Queue>, lengthOf: (queue: Queue) => number) =>
  [...queues].reduce((long, queue) => (lengthOf(queue[1]) >= lengthOf(long[1]) ? queue : long));

const lengthOf = (line: Line): number => [...line.values()].reduce((sum, queue) => sum + queue.length, 0);

export const createTurnstile = ({ inside, waiting, waitingPerAddress }: TurnstileLimits): Turnstile => {
  const lines = new Map<string, Line>();
  let busy = 0;
  let queued = 0;

  /** Takes one waiter out of the queue of an address. */
  const take = (institution: string, line: Line, address: string, end: 'first' | 'last'): Waiter | undefined => {
    const queue = line.get(address) ?? [];
    const waiter = end === 'first' ? queue.shift() : queue.pop();
    if (queue.length === 0) line.delete(address);
    if (line.size === 0) lines.delete(institution);
    queued -= 1;
    return waiter;
  };

  const next = (): Waiter | undefined => {
    const [institution, line] = rotated(lines) ?? [];
    if (institution === undefined || !line) return undefined;
    const [address = ''] = rotated(line) ?? [];
    return take(institution, line, address, 'first');
  };

  const turnAway = (): void => {
    const [institution, line] = longest(lines, lengthOf);
    const [address] = longest(line, (queue) => queue.length);
    take(institution, line, address, 'last')?.(false);
  };

  const wait = ({ institution, address }: Queuer): Promise<boolean> => {
    const line = lines.get(institution) ?? new Map<string, Waiter[]>();
    const queue = line.get(address) ?? [];
    if (queue.length >= waitingPerAddress) return Promise.resolve(false);
    const turn = Promise.withResolvers<boolean>();
    queue.push(turn.resolve);
    line.set(address, queue);
    lines.set(institution, line);
    queued += 1;
    if (queued > waiting) turnAway();
    return turn.promise;
  };

  const leave = (): void => {
    const waiter = next();
    if (waiter) waiter(true);
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
