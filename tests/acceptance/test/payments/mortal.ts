import { keepHandles, type Store, wrapCollection, wrapMethods } from '@boxoffice/store';

const WRITES = new Set(['insert', 'insertMany', 'insertInOrder', 'update', 'delete', 'claim', 'remember']);

type Call = (...args: unknown[]) => unknown;

export interface Mortal {
  readonly store: Store;
  /** The process ends after so many halves of writes: an odd half is before a write, an even one after it. */
  dieAfter(halves: number): void;
  isDead(): boolean;
}

/** A store of one process, which can end at each of its writes: then nothing that it still does has any effect. */
export function createMortal(store: Store): Mortal {
  let left = Number.POSITIVE_INFINITY;
  const live = (): void => {
    if (left < 0) throw new Error('the process has ended');
  };
  const pass = (): void => {
    live();
    left -= 1;
    live();
  };
  const wrap = <Method>(method: Method, name: string): Method => {
    const call = async (...args: unknown[]): Promise<unknown> => {
      const step = WRITES.has(name) ? pass : live;
      step();
      const answer = await (method as Call)(...args);
      step();
      return answer;
    };
    return (name === 'onCommitted' || name === 'of' ? method : call) as Method;
  };
  return {
    store: {
      ...store,
      collection: keepHandles((declared) => wrapCollection(store.collection(declared), wrap)),
      getTogether: wrap(store.getTogether, 'getTogether'),
      idempotency: wrapMethods(store.idempotency, wrap),
      outbox: wrapMethods(store.outbox, wrap),
      lease: wrap(store.lease, 'lease'),
    },
    dieAfter(halves) {
      left = halves;
    },
    isDead: () => left < 0,
  };
}
