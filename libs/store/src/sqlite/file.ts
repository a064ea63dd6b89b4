// The store port on SQLite: one file per service, read on the caller's thread and written by the writer thread.

import { DatabaseSync } from 'node:sqlite';
import { createDueListeners, createListeners, type Surroundings } from '../engines.ts';
import type { OutboxEvent } from '../port.ts';
import { createEngineError, createStatementCache, readRows, toFailure } from './database.ts';
import { type Answer, isFailure, type Step, type Table, type Value } from './writer/protocol.ts';
import type { WriterThread } from './writer/thread.ts';

/** A read-only connection on the caller's thread. It sees every commit that was acknowledged before the call. */
export type Reader = ReturnType<typeof openReader>;

export type DatabaseFile = Awaited<ReturnType<typeof openFile>>;

const constraint = 19;

/** Opens a file and creates its tables. @throws an Error that names the file and the reason */
export async function openFile(
  thread: WriterThread,
  path: string,
  tables: readonly Table[],
  surroundings: Surroundings,
) {
  const { file, answer } = await thread.open(path, tables);
  if (isFailure(answer)) throw createEngineError(path, answer);
  const reader = openReader(path);
  const { onCommitted, notify } = createListeners(surroundings);
  const { onDue, notifyDue } = createDueListeners(surroundings);
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  /** All steps or none; returns the first one's result, or a failed constraint or `must`. Others reject. */
  const write = async (steps: readonly Step[], events: readonly OutboxEvent[] = []): Promise<Answer> => {
    if (closing) throw new Error(`database file ${path} is closed`);
    const call = thread.write(file, steps);
    underWay.add(call);
    try {
      const outcome = await call;
      if (!isFailure(outcome)) {
        if (events.length > 0) notify(events);
      } else if (outcome.code !== 0 && (outcome.code & 255) !== constraint) {
        throw createEngineError(path, outcome);
      }
      return outcome;
    } finally {
      underWay.delete(call);
    }
  };

  const close = async () => {
    await Promise.allSettled(underWay);
    // The writer closes last: it can fold the write-ahead log into the file, a reader cannot.
    reader.close();
    await thread.closeFile(file).catch(() => {});
  };

  return {
    path,
    reader,
    surroundings,
    write,
    onCommitted,
    onDue,
    notifyDue,
    async ping(): Promise<void> {
      const outcome = await write([['SELECT 1', 'rows', []]]);
      if (isFailure(outcome)) throw createEngineError(path, outcome);
      reader.all('SELECT 1 FROM "$outbox" LIMIT 1');
    },
    close: (): Promise<void> => {
      closing ??= close();
      return closing;
    },
  };
}

const openReader = (path: string) => {
  const explainFailure = <R>(read: () => R): R => {
    try {
      return read();
    } catch (error) {
      throw createEngineError(path, toFailure(error));
    }
  };
  const database = explainFailure(() => new DatabaseSync(path, { readOnly: true, timeout: 5000 }));
  const prepare = createStatementCache(database);
  return {
    all: (sql: string, values: readonly Value[] = []) => explainFailure(() => readRows(prepare(sql), values)),
    /** Runs several reads on one state of the file. */
    together: <R>(read: () => R): R => {
      prepare('BEGIN').run();
      try {
        return read();
      } finally {
        prepare('COMMIT').run();
      }
    },
    /** Changes with every commit of any other connection, the writer's among them. */
    revision: (): number => explainFailure(() => Number(readRows(prepare('PRAGMA data_version'), [])[0]?.[0])),
    close: () => database.close(),
  };
};
