import type { Message, OutboxPort } from '../port.ts';

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
