import { Fault } from '@boxoffice/envelope';

/** An item that stores its index in the list. */
export interface Indexed {
  index: number;
  /** When it is late. Epoch milliseconds. */
  readonly dueAt: number;
}

/** Interval of the check of all items together; a timer for each would cost more. */
const TICK_MS = 100;

/** The requests in flight: added and removed thousands of times a second, in any order. */
interface InFlight<Item extends Indexed> {
  readonly size: number;
  add(item: Item): void;
  delete(item: Item): void;
  /** Visits all items in no particular order; the visitor may delete the visited item. */
  visit(visitor: (item: Item) => void): void;
  /** Watches for late items no more. */
  close(): void;
}

/**
 * Makes the list; calls `late` for the items that are past due, until they are deleted. A Set would retain memory: when V8
 * grows its table, the old table keeps its entries and a link to the new one, and once that old table has been promoted,
 * later requests live until the next full collection (measured: a third of all memory).
 */
export const createInFlight = <Item extends Indexed>(late: (item: Item) => void): InFlight<Item> => {
  const items: Item[] = [];
  let ticking: NodeJS.Timeout | undefined;

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
    get size() {
      return items.length;
    },
    add(item) {
      item.index = items.length;
      items.push(item);
      ticking ??= setInterval(tick, TICK_MS).unref();
    },
    delete(item) {
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
};

/** Bounds the requests of one caller at a service that are not answered yet. */
interface CallerBound {
  /** Counts one request; the returned function ends that, once. @throws {Fault} too_many_requests */
  take(caller: string): () => void;
}

/** The part of a service's requests in flight that one caller may have. */
const CALLERS_PART = 0.05;

/** Makes the bound of the callers of a service that may have `concurrency` requests in flight. */
export const createCallerBound = (concurrency: number): CallerBound => {
  const most = Math.ceil(concurrency * CALLERS_PART);
  const counts = new Map<string, number>();
  const countDown = (caller: string): void => {
    const left = (counts.get(caller) ?? 1) - 1;
    if (left > 0) counts.set(caller, left);
    else counts.delete(caller);
  };
  return {
    take(caller) {
      const count = counts.get(caller) ?? 0;
      if (count >= most) {
        const details = `${most} requests of this caller are not answered yet; wait for their answers.`;
        throw new Fault('too_many_requests', details, { 'Retry-After': '1' });
      }
      counts.set(caller, count + 1);
      let isCounted = true;
      return () => {
        if (isCounted) countDown(caller);
        isCounted = false;
      };
    },
  };
};
