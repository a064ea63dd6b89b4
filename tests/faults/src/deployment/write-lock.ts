import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Locks SQLite files as another program does: whoever else writes waits, and is refused in the end; reads go on. */
export interface WriteLock {
  release(): void;
}

/** The database files of a data directory. */
export const databasesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => /\.(?:db|sqlite)$/.test(name)).map((name) => join(directory, name));

/** Milliseconds to wait for the writer that has the lock now. */
const WAIT_MS = 5_000;

/** Takes the write lock of each file. @throws {Error} when another program keeps one */
export const lockWrites = (files: readonly string[]): WriteLock => {
  const databases = files.map((file) => new DatabaseSync(file, { timeout: WAIT_MS }));
  const release = () => {
    for (const database of databases) database.close();
  };
  try {
    for (const database of databases) database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    release();
    throw error;
  }
  return { release };
};
