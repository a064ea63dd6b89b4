import { setTimeout as pause } from 'node:timers/promises';
import { type Store, UniqueViolation } from '@boxoffice/store';
import type { MakeDue } from '../deliveries/due.ts';
import { eventsCollection, type NewEvent, retiredCollection } from '../store.ts';
import { createPositions, deriveLastSequenceId } from './positions.ts';

export interface Arrival {
  readonly event: NewEvent;
  /** The position of the resource's fact before; null: there was none, or it does not matter. */
  readonly before: number | null;
  /** Nothing of the resource is recorded, unless this fact is. */
  readonly isFirst?: boolean;
}

type Outcome = 'recorded' | 'early';

/** If all events were removed, the sequence of the last one. */
export async function readHead(store: Pick<Store, 'collection'>, institution: string) {
  const events = store.collection(eventsCollection).of(institution);
  const [last] = await events.find({ orderBy: 'sequence', descending: true, limit: 1 });
  if (last) return last;
  // Written before the last event is removed, so it is there if that event is not.
  const past = await store.collection(retiredCollection).of(institution).get(deriveLastSequenceId(institution));
  return { sequence: past?.last ?? 0, recordedAt: 0 };
}

export type Log = ReturnType<typeof createLog>;

interface Entry extends Arrival {
  readonly done: (outcome: Outcome) => void;
  readonly failed: (error: unknown) => void;
}

/** Events of one insert at most. */
const BATCH = 200;

/** Milliseconds that a batch waits for further facts. */
const GATHER_MS = 10;

type Head = Awaited<ReturnType<typeof readHead>>;

type NumberedEvent = NewEvent & Head;

interface Writer {
  readonly entries: Entry[];
  /** Undefined: not read yet, or another process has appended since. */
  head: Head | undefined;
  isRunning: boolean;
}

interface LogOptions {
  readonly now: () => number;
  /** Called after events were appended, before those who wait for that go on. */
  readonly makeDue: MakeDue;
  /** Called with each event that this process has recorded. */
  readonly onRecorded?: ((event: NewEvent, recordedAt: number) => void) | undefined;
}

/**
 * Appends by a compare-and-swap on the newest sequence: the unique index refuses a second event of the same sequence,
 * so what was read after the head is still true when the insert succeeds. Facts that arrive within {@link GATHER_MS},
 * or while an insert is under way, share the next one.
 */
export function createLog(store: Pick<Store, 'collection'>, { now, makeDue, onRecorded }: LogOptions) {
  const documents = store.collection(eventsCollection);
  const positions = createPositions(store);
  const writers = new Map<string, Writer>();
  const listeners = new Set<(institution: string) => void>();

  const notify = (institution: string): void => {
    for (const listener of listeners) listener(institution);
  };

  /**
   * The events that are due, numbered after the head. What this process remembers of a resource may be outdated: an
   * insert finds that out, but before a fact is called early it is looked up. `unlooked`: resources that have nothing
   * recorded, unless the insert finds their first event.
   */
  const decide = async (
    institution: string,
    entries: readonly Entry[],
    head: Head,
    unlooked: ReadonlySet<string>,
    doubted?: ReadonlySet<string>,
  ) => {
    const ids = entries.map(({ event }) => event.resource.id);
    const known = await positions.of(institution, ids, { unlooked, ...(doubted && { doubted }) });
    const recordedAt = Math.max(now(), head.recordedAt);
    const due: NumberedEvent[] = [];
    const outcomes = entries.map(({ event, before }): Outcome => {
      const last = known.get(event.resource.id) ?? 0;
      if (last >= event.position) return 'recorded';
      if (before !== null && last < before) return 'early';
      known.set(event.resource.id, event.position);
      due.push({ ...event, sequence: head.sequence + due.length + 1, recordedAt });
      return 'recorded';
    });
    const early = entries.filter((_, index) => outcomes[index] === 'early').map(({ event }) => event.resource.id);
    if (early.length > 0 && !doubted) return decide(institution, entries, head, unlooked, new Set(early));
    return { due, outcomes };
  };

  /** Undefined if another process took a sequence, so that everything must be looked up again. */
  const write = async (institution: string, writer: Writer, entries: readonly Entry[]) => {
    const first = writer.head ? entries.filter(({ isFirst }) => isFirst).map(({ event }) => event.resource.id) : [];
    if (writer.head === undefined) {
      positions.forget(institution);
      writer.head = await readHead(store, institution);
    }
    const { due, outcomes } = await decide(institution, entries, writer.head, new Set(first));
    const last = due.at(-1);
    if (!last) return outcomes;
    try {
      await documents.of(institution).insertInOrder(due);
    } catch (error) {
      // Whatever happened, the head may have moved: an insert that failed can still have been executed.
      writer.head = undefined;
      notify(institution);
      if (error instanceof UniqueViolation) return undefined;
      throw error;
    }
    writer.head = { sequence: last.sequence, recordedAt: last.recordedAt };
    for (const event of due) {
      positions.recorded(institution, event);
      onRecorded?.(event, event.recordedAt);
    }
    notify(institution);
    return outcomes;
  };

  const run = async (institution: string, writer: Writer): Promise<void> => {
    writer.isRunning = true;
    while (writer.entries.length > 0) {
      await pause(GATHER_MS);
      const entries = writer.entries.slice(0, BATCH);
      try {
        const outcomes = await write(institution, writer, entries);
        if (outcomes === undefined) continue;
        // Before the facts are acknowledged, and also for those that were recorded before a crash.
        if (outcomes.includes('recorded')) await makeDue(institution);
        for (const [index, outcome] of outcomes.entries()) entries[index]?.done(outcome);
      } catch (error) {
        for (const { failed } of entries) failed(error);
      }
      writer.entries.splice(0, entries.length);
    }
    writer.isRunning = false;
  };

  return {
    /** Appends nothing if its event exists, or a later one of its resource. */
    append: (institution: string, arrival: Arrival): Promise<Outcome> =>
      new Promise((done, failed) => {
        const writer = writers.get(institution) ?? { entries: [], head: undefined, isRunning: false };
        writers.set(institution, writer);
        writer.entries.push({ ...arrival, done, failed });
        if (!writer.isRunning) void run(institution, writer);
      }),
    /** Called after each event that this process has appended; returns the function that unsubscribes. */
    onAppended(listener: (institution: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
