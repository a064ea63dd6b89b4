import { DatabaseSync } from 'node:sqlite';
import { failureOf, rowsOf, statementCache } from './database.ts';
import { engineError } from './errors.ts';
import type { Value } from './writer/protocol.ts';

/** A read-only connection on the caller's thread. It sees every commit that was acknowledged before the call. */
export type Reader = ReturnType<typeof openReader>;

/** Opens a reader on a file that a writer has opened. Errors name the file and the reason. */
export const openReader = (path: string) => {
  const explained = <R>(read: () => R): R => {
    try {
      return read();
    } catch (error) {
      throw engineError(path, failureOf(error));
    }
  };
  const database = explained(() => new DatabaseSync(path, { readOnly: true, timeout: 5000 }));
  const prepare = statementCache(database);
  return {
    /** Rows as arrays. */
    all: (sql: string, values: readonly Value[] = []) => explained(() => rowsOf(prepare(sql), values)),
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
    revision: (): number => explained(() => Number(rowsOf(prepare('PRAGMA data_version'), [])[0]?.[0])),
    close: () => database.close(),
  };
};
