import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Failure, Value } from './writer/protocol.ts';

/** What SQLite threw, as data. */
export const failureOf = (error: unknown, step = -1): Failure => {
  const { errcode, message, cause } = error as { errcode?: number; message?: string; cause?: { errcode?: number } };
  return { step, code: errcode ?? cause?.errcode ?? -1, message: message ?? String(error) };
};

/** Prepared statements by their text, at most `limit`, least recently used evicted first. Rows are arrays. */
export const statementCache = (database: DatabaseSync, limit = 200): ((sql: string) => StatementSync) => {
  const cache = new Map<string, StatementSync>();
  return (sql) => {
    let statement = cache.get(sql);
    if (statement) {
      if (cache.size < limit) return statement;
      cache.delete(sql);
    } else {
      statement = database.prepare(sql);
      statement.setReturnArrays(true);
      if (cache.size >= limit) cache.delete(cache.keys().next().value ?? '');
    }
    cache.set(sql, statement);
    return statement;
  };
};

/** The rows of a statement of {@link statementCache}, which the types of Node describe as objects. */
export const rowsOf = (statement: StatementSync, values: readonly Value[]): unknown[][] => {
  const rows: unknown = statement.all(...values);
  return rows as unknown[][];
};
