import { Fault } from '@boxoffice/envelope';

export interface Indexed {
  index: number;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** Milliseconds between checks of all items together; a timer for each would cost more. */
const TICK_MS = 100;

/**
 * Calls `late` for the items that are past due, until they are deleted. A Set would retain memory: once V8 has promoted
 * a table that it replaced, later requests live until the next full collection (measured: a third of all memory).
 */
export function createInFlight<Item extends Indexed>(late: (item: Item) => void) {
  const items: Item[] = [];
  let ticking: NodeJS.Timeout | undefined;

  /** The order is arbitrary; the visitor may delete the visited item. */
  const visit = (visitor: (item: Item) => void): void => {
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const item = items[index];
      if (item) visitor(item);
    }
  };
  const stop = (): void => {
    clearInterval(ticking);
    ticking = undefined;
  };
  const check = (): void => {
    if (ticking === undefined) return;
    const now = Date.now();
    visit((item) => {
      if (now >= item.dueAt) late(item);
    });
    if (items.length === 0) stop();
  };
  // A process that stood still first reads what has arrived meanwhile.
  const tick = (): void => void setImmediate(check);

  return {
    get size(): number {
      return items.length;
    },
    add(item: Item): void {
      item.index = items.length;
      items.push(item);
      ticking ??= setInterval(tick, TICK_MS).unref();
    },
    delete(item: Item): void {
      const { index } = item;
      if (items[index] !== item) return;
      const last = items.pop();
      if (last === undefined || last === item) return;
      items[index] = last;
      last.index = index;
    },
    visit,
    close: stop,
  };
}

export interface Holder {
  readonly caller: string;
  /** Undefined: nobody's, or the request waits, so that it has no slot. */
  readonly institution: string | undefined;
}

/** Shares of a service's requests in flight that one caller, and all callers of an institution, may have. */
const PARTS = { caller: 0.05, institution: 0.5 } as const;

export function createSlots(concurrency: number) {
  const createBound = (who: keyof typeof PARTS) => ({
    who,
    most: Math.ceil(concurrency * PARTS[who]),
    counts: new Map<string, number>(),
  });
  const callers = createBound('caller');
  const institutions = createBound('institution');

  const requireRoom = ({ who, most, counts }: typeof callers, name: string): void => {
    if ((counts.get(name) ?? 0) < most) return;
    const details = `${most} requests of this ${who} are not answered yet; wait for their answers.`;
    throw new Fault('too_many_requests', details, { 'Retry-After': '1' });
  };
  const add = ({ counts }: typeof callers, name: string, change: 1 | -1): void => {
    const count = (counts.get(name) ?? 0) + change;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  };

  return {
    /** The returned function ends the count, once. @throws {Fault} too_many_requests */
    take({ caller, institution }: Holder): () => void {
      requireRoom(callers, caller);
      if (institution !== undefined) requireRoom(institutions, institution);
      const count = (change: 1 | -1): void => {
        add(callers, caller, change);
        if (institution !== undefined) add(institutions, institution, change);
      };
      count(1);
      let isCounted = true;
      return () => {
        if (isCounted) count(-1);
        isCounted = false;
      };
    },
  };
}
