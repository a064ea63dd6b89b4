import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { engineError } from './errors.ts';
import { failureOf } from './group.ts';

/** One database file and where its copy goes, which must not exist. */
export interface SnapshotFile {
  readonly from: string;
  readonly to: string;
}

export interface SnapshotOptions {
  /** How long it waits for the writers of a file, in milliseconds. Default 10,000. */
  readonly waitMs?: number;
  /** Told of pages copied, of all files together, as far as they have begun. */
  readonly tell?: (pages: number) => void;
}

const named = <R>(path: string, act: () => R): R => {
  try {
    return act();
  } catch (error) {
    throw engineError(path, failureOf(error));
  }
};

const opened = (path: string, readOnly: boolean, waitMs: number): DatabaseSync =>
  named(path, () => {
    // SQLite would make it.
    if (!existsSync(path)) throw new Error('it does not exist');
    const database = new DatabaseSync(path, { readOnly, timeout: waitMs });
    // What opening costs is paid here, before anybody waits.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  });

/** Pages that are copied between two looks at the world; about 4 MB. */
const RATE = 1_000;

/** Makes the copy one file that needs no log, checks it, and makes it durable. */
const finish = (path: string): void => {
  named(path, () => {
    const copy = new DatabaseSync(path);
    try {
      copy.exec('PRAGMA journal_mode = DELETE');
      const [verdict] = copy.prepare('PRAGMA quick_check(1)').all();
      if (verdict?.quick_check !== 'ok') throw new Error(`the copy is not sound: ${verdict?.quick_check}`);
    } finally {
      copy.close();
    }
  });
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
};

/**
 * Copies database files as all of them are at one moment, beside the programs that write them: it takes the write lock of every file,
 * so that nobody commits, begins to read each (the write-ahead log keeps what it reads), and lets go of the locks; what is copied then
 * is that moment, however long it takes. So the copies are to one another what the files would be after a power cut. Answers for how
 * many milliseconds nobody could write.
 * @throws an Error that names the file and the reason
 */
export const snapshotSqlite = async (
  files: readonly SnapshotFile[],
  options: SnapshotOptions = {},
): Promise<number> => {
  const { waitMs = 10_000, tell = () => undefined } = options;
  const all: {
    readonly path: string;
    readonly to: string;
    readonly writer: DatabaseSync;
    readonly reader: DatabaseSync;
  }[] = [];
  try {
    // One order for everybody who does this, so that two of them wait for one another and no longer.
    for (const { from: path, to } of [...files].sort((a, b) => (a.from < b.from ? -1 : 1))) {
      const writer = opened(path, false, waitMs);
      all.push({ path, to, writer, reader: opened(path, true, waitMs) });
    }
    let pausedAt = performance.now();
    for (const [index, { path, writer }] of all.entries()) {
      named(path, () => writer.exec('BEGIN IMMEDIATE'));
      if (index === 0) pausedAt = performance.now();
    }
    for (const { path, reader } of all) {
      named(path, () => reader.exec('BEGIN'));
      named(path, () => reader.prepare('SELECT count(*) FROM sqlite_schema').get());
    }
    for (const { writer } of all) writer.exec('ROLLBACK');
    const pausedMs = performance.now() - pausedAt;
    let copied = 0;
    for (const { path, to, reader } of all) {
      const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
        tell(copied + totalPages - remainingPages);
      copied += await backup(reader, to, { rate: RATE, progress }).catch((error: unknown) => {
        throw engineError(path, failureOf(error));
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
};
