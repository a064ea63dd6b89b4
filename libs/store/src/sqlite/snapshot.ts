import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { createEngineError, toFailure } from './database.ts';

/** One database file and the path of its copy, which must not exist. */
interface SnapshotFile {
  readonly from: string;
  readonly to: string;
}

/** Longest wait for the writers of a file, in milliseconds. */
const WAIT_MS = 10_000;

/** Pages copied between two returns to the event loop; about 4 MB. */
const RATE = 1_000;

/**
 * Locks every file, begins to read each (the write-ahead log preserves what it reads) and unlocks: the copies show that
 * moment, as consistent with each other as after a power cut. `onProgress`: pages copied over all files.
 * Returns the milliseconds for which writes were blocked. @throws an Error that names the file and the reason
 */
export async function copySqliteFiles(
  files: readonly SnapshotFile[],
  onProgress: (pages: number) => void = () => undefined,
): Promise<number> {
  const all: {
    readonly path: string;
    readonly to: string;
    readonly writer: DatabaseSync;
    readonly reader: DatabaseSync;
  }[] = [];
  try {
    // All snapshots lock in the same order, so two of them cannot deadlock.
    for (const { from: path, to } of [...files].sort((a, b) => (a.from < b.from ? -1 : 1))) {
      const writer = openDatabase(path, false);
      all.push({ path, to, writer, reader: openDatabase(path, true) });
    }
    let pausedAt = performance.now();
    for (const [index, { path, writer }] of all.entries()) {
      nameFailure(path, () => writer.exec('BEGIN IMMEDIATE'));
      if (index === 0) pausedAt = performance.now();
    }
    for (const { path, reader } of all) {
      nameFailure(path, () => reader.exec('BEGIN'));
      nameFailure(path, () => reader.prepare('SELECT count(*) FROM sqlite_schema').get());
    }
    for (const { writer } of all) writer.exec('ROLLBACK');
    const pausedMs = performance.now() - pausedAt;
    let copied = 0;
    for (const { path, to, reader } of all) {
      const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
        onProgress(copied + totalPages - remainingPages);
      copied += await backup(reader, to, { rate: RATE, progress }).catch((error: unknown) => {
        throw createEngineError(path, toFailure(error));
      });
      finish(to);
    }
    return pausedMs;
  } finally {
    for (const { reader, writer } of all) {
      reader.close();
      writer.close();
    }
  }
}

const openDatabase = (path: string, readOnly: boolean): DatabaseSync =>
  nameFailure(path, () => {
    // SQLite would create a missing file.
    if (!existsSync(path)) throw new Error('it does not exist');
    const database = new DatabaseSync(path, { readOnly, timeout: WAIT_MS });
    // Pays the cost of opening before any writer is blocked.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  });

const nameFailure = <R>(path: string, act: () => R): R => {
  try {
    return act();
  } catch (error) {
    throw createEngineError(path, toFailure(error));
  }
};

/** Turns the copy into one file without a log, checks it, and makes it durable. */
const finish = (path: string): void => {
  nameFailure(path, () => {
    const copy = new DatabaseSync(path);
    try {
      copy.exec('PRAGMA journal_mode = DELETE');
      const [verdict] = copy.prepare('PRAGMA quick_check(1)').all();
      if (verdict?.quick_check !== 'ok') throw new Error(`the copy is damaged: ${verdict?.quick_check}`);
    } finally {
      copy.close();
    }
  });
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
};
