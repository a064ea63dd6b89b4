// The log: appending events without gaps, facts that wait for their predecessor, and the newest event.

import { type Store, UniqueViolation } from '@boxoffice/store';
import { eventsCollection, type NewEvent, retiredCollection } from '../store.ts';
import { createPositions } from './positions.ts';
import { lastSequenceId } from './removal.ts';

/** A fact as a publisher states it. */
export interface Arrival {
  readonly event: NewEvent;
  /** The position of the resource's fact before this one; null: there was none, or it does not matter. */
  readonly before: number | null;
}

/** `recorded`: it has its event, from now on or already; `early`: the fact before it has not arrived. */
export type Outcome = 'recorded' | 'early';

/** The newest event; if all were removed, the sequence of the last one. */
export const newestOf = async (store: Pick<Store, 'collection'>, institution: string): Promise<Head> => {
  const events = store.collection(eventsCollection).of(institution);
  const [last] = await events.find({ orderBy: 'sequence', descending: true, limit: 1 });
  if (last) return last;
  // Written before the last event is removed, so it is there if that event is not.
  const past = await store.collection(retiredCollection).of(institution).get(lastSequenceId(institution));
  return { sequence: past?.last ?? 0, recordedAt: 0 };
};

/** The events of all institutions, in the order in which they become visible. */
export interface Log {
  /** Records the fact unless its event exists, or a later one of its resource. */
  append(institution: string, arrival: Arrival): Promise<Outcome>;
  /** The sequence of the newest event; 0: there is none. */
  head(institution: string): Promise<number>;
  /** Calls the listener after each event that this process has appended; returns the function that unsubscribes. */
  onAppended(listener: (institution: string) => void): () => void;
}

/** An arrival that waits for its turn in this process. */
interface Entry extends Arrival {
  /** Whether the fact is new and may be recorded, as long as nobody else has appended anything. */
  isDue: Promise<'due' | Outcome>;
  readonly done: (outcome: Outcome) => void;
  readonly failed: (error: unknown) => void;
}

interface Head {
  readonly sequence: number;
  readonly recordedAt: number;
}

interface Writer {
  readonly entries: Entry[];
  /** Undefined: not read yet, or another process has appended since. */
  head: Head | undefined;
  isRunning: boolean;
}

/**
 * Opens the log. Appending is a compare-and-swap on the newest sequence: the unique index refuses a second event of the
 * same sequence, so what was read after the head is still true when the insert succeeds. Within this process, the
 * inserts of an institution follow one another.
 */
export const createLog = (
  store: Pick<Store, 'collection'>,
  now: () => number = Date.now,
  onRecorded: (event: NewEvent, recordedAt: number) => void = () => undefined,
): Log => {
  const documents = store.collection(eventsCollection);
  const positions = createPositions(store);
  const writers = new Map<string, Writer>();
  const listeners = new Set<(institution: string) => void>();

  const newest = (institution: string): Promise<Head> => newestOf(store, institution);

  const look = async (institution: string, { event, before }: Arrival): Promise<'due' | Outcome> => {
    const known = await positions.of(institution, event.resource.id, event.position);
    if (known >= event.position) return 'recorded';
    return before !== null && known < before ? 'early' : 'due';
  };

  const lookAgain = (institution: string, entry: Entry): void => {
    entry.isDue = look(institution, entry);
    entry.isDue.catch(() => undefined);
  };

  /** Writes one event; undefined if another process took the sequence, so that everything must be looked up again. */
  const write = async (institution: string, writer: Writer, entry: Entry): Promise<Outcome | undefined> => {
    const head = writer.head ?? (await newest(institution));
    if (writer.head === undefined) {
      writer.head = head;
      positions.forget(institution);
      for (const one of writer.entries) lookAgain(institution, one);
    }
    const { event } = entry;
    const looked = await entry.isDue;
    // This process may have recorded another event of the resource since it looked.
    const state = positions.isRemembered(institution, event.resource.id) ? await look(institution, entry) : looked;
    if (state !== 'due') return state;
    const recordedAt = Math.max(now(), head.recordedAt);
    const sequence = head.sequence + 1;
    try {
      await documents.of(institution).insert({ ...event, sequence, recordedAt });
    } catch (error) {
      // Whatever happened, the head may have moved: an insert that failed can still have been executed.
      writer.head = undefined;
      if (error instanceof UniqueViolation) return undefined;
      throw error;
    }
    writer.head = { sequence, recordedAt };
    positions.recorded(institution, event);
    onRecorded(event, recordedAt);
    for (const listener of listeners) listener(institution);
    return 'recorded';
  };

  const run = async (institution: string, writer: Writer): Promise<void> => {
    writer.isRunning = true;
    for (let entry = writer.entries[0]; entry; entry = writer.entries[0]) {
      try {
        const outcome = await write(institution, writer, entry);
        if (outcome === undefined) continue;
        entry.done(outcome);
      } catch (error) {
        entry.failed(error);
      }
      writer.entries.shift();
    }
    writer.isRunning = false;
  };

  return {
    append: (institution, arrival) =>
      new Promise((done, failed) => {
        const writer = writers.get(institution) ?? { entries: [], head: undefined, isRunning: false };
        writers.set(institution, writer);
        const entry: Entry = { ...arrival, isDue: Promise.resolve('due'), done, failed };
        // Without a head it is looked up once the head is known: only what is read after it stays true.
        if (writer.head) lookAgain(institution, entry);
        writer.entries.push(entry);
        if (!writer.isRunning) void run(institution, writer);
      }),
    head: async (institution) => (await newest(institution)).sequence,
    onAppended(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
