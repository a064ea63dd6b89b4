import { setImmediate as turn } from 'node:timers/promises';
import type { DeadLetter, DeadLetterStore, Handler, Message, OutboxPort } from '../port.ts';

// Stores in memory, for checks and tests: an outbox, the effects of a consumer, and dead letters.

/** An outbox that survives the processes of a check, as a store does. */
export interface MemoryOutbox {
  /** Commits events in a process: they are pending, and that process's listeners are notified. */
  commit(process: OutboxProcess, events: readonly Message[]): void;
  process(): OutboxProcess;
  /** Ids of the events not marked done. */
  readonly pending: ReadonlySet<string>;
}

/** One process's view of the outbox. */
export interface OutboxProcess extends OutboxPort {
  lease(name: string, ms: number): Promise<boolean>;
  /** From now on the process writes nothing and gets no notification, as if killed. */
  cut(): void;
}

/** Creates an empty outbox. */
export const createMemoryOutbox = (): MemoryOutbox => {
  const events = new Map<string, { readonly event: Message; readonly at: number }>();
  const listeners = new Map<OutboxProcess, Set<(events: readonly Message[]) => void>>();
  let holder: { readonly by: OutboxProcess; readonly until: number } | undefined;

  return {
    get pending() {
      return new Set(events.keys());
    },
    commit(process, committed) {
      for (const event of committed) events.set(event.id, { event, at: Date.now() });
      for (const listener of listeners.get(process) ?? []) listener(committed);
    },
    process() {
      const own = new Set<(events: readonly Message[]) => void>();
      let alive = true;
      const process: OutboxProcess = {
        async pending(limit, olderThanMs = 0) {
          const before = Date.now() - olderThanMs;
          return [...events.values()]
            .filter(({ at }) => at <= before)
            .slice(0, limit)
            .map(({ event }) => event);
        },
        async done(ids) {
          if (alive) for (const id of ids) events.delete(id);
        },
        onCommitted(listener) {
          own.add(listener);
          return () => own.delete(listener);
        },
        async lease(_name, ms) {
          const now = Date.now();
          if (!alive || (holder && holder.by !== process && holder.until > now)) return false;
          holder = { by: process, until: now + ms };
          return true;
        },
        cut() {
          alive = false;
          own.clear();
          if (holder?.by === process) holder = undefined;
        },
      };
      listeners.set(process, own);
      return process;
    },
  };
};

/** The effects that a consumer has written: how often each message took effect. */
export interface Ledger {
  readonly effects: ReadonlyMap<string, number>;
  /** Writes the effect atomically: nothing runs between check and write. */
  write(messageId: string, onlyOnce: boolean): void;
}

/** A minimal consumer's store. */
export const createLedger = (): Ledger => {
  const effects = new Map<string, number>();
  return {
    effects,
    write(messageId, onlyOnce) {
      const before = effects.get(messageId) ?? 0;
      if (!onlyOnce || before === 0) effects.set(messageId, before + 1);
    },
  };
};

/** The expected reaction of consumers: it deduplicates in the same write as its effect. */
export const reactOnce =
  (ledger: Ledger): Handler =>
  async ({ id }) => {
    await turn();
    ledger.write(id, true);
  };

/** Dead letters in memory that survive the buses of a test. */
export const createMemoryDeadLetters = (): DeadLetterStore => {
  const letters = new Map<string, DeadLetter>();
  return {
    add: async (letter) => void letters.set(letter.id, letter),
    list: async (queue) => [...letters.values()].filter((letter) => queue === undefined || letter.queue === queue),
    get: async (id) => letters.get(id),
    remove: async (id) => letters.delete(id),
  };
};
