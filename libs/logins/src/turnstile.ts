/** Tasks of one institution share its turns, and those of one address the address's turns. */
interface Queuer {
  readonly institution: string;
  readonly address: string;
  readonly hasLeft?: () => boolean;
}

export interface TurnstileLimits {
  readonly inside: number;
  /** Maximum tasks that wait, over all institutions. */
  readonly waiting: number;
  readonly waitingPerAddress: number;
  readonly longestWaitMs: number;
}

export interface Surroundings {
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Waiter {
  readonly who: Queuer;
  readonly since: number;
  end(isItsTurn: boolean): void;
}

/** The queues of one institution by address, never empty; the first queue has the next turn. */
type Line = Map<string, Waiter[]>;

/**
 * Turns go round the institutions, and within one round its addresses, so that no load makes others wait. Undefined if
 * the queue is full or the wait too long. A full queue evicts the newest entry of the longest address queue of the
 * longest institution queue; ties are random, so that arriving late is no disadvantage.
 */
export function createTurnstile(limits: TurnstileLimits, surroundings: Surroundings = {}) {
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

  const clear = (): void => {
    const isOver = ({ who, since }: Waiter) => now() - since >= longestWaitMs || who.hasLeft?.() === true;
    const all = [...lines.values()].flatMap((line) => [...line.values()].flat());
    for (const waiter of all) if (isOver(waiter)) waiter.end(false);
  };

  const next = (): Waiter | undefined => {
    clear();
    const [, line] = rotate(lines) ?? [];
    const [, queue] = (line && rotate(line)) ?? [];
    return queue?.[0];
  };

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

  return async <Value>(who: Queuer, act: () => Promise<Value>): Promise<Value | undefined> => {
    if (busy < inside) busy += 1;
    else if (!(await wait(who))) return undefined;
    return act().finally(leave);
  };
}

const rotate = <Queue>(queues: Map<string, Queue>): readonly [string, Queue] | undefined => {
  const [first] = queues;
  if (!first) return undefined;
  queues.delete(first[0]);
  queues.set(...first);
  return first;
};

const lengthOf = (line: Line): number => [...line.values()].reduce((sum, queue) => sum + queue.length, 0);
