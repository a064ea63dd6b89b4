import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreUnavailable, UniqueViolation } from '../engines.ts';
import type { Failure, Value } from './writer/protocol.ts';

export function toFailure(error: unknown, step = -1): Failure {
  const { errcode, message, cause } = error as { errcode?: number; message?: string; cause?: { errcode?: number } };
  return { step, code: errcode ?? cause?.errcode ?? -1, message: message ?? String(error) };
}

/** Prepared statements by their text, at most `limit`, least recently used evicted first. Rows are arrays. */
export function createStatementCache(database: DatabaseSync, limit = 200): (sql: string) => StatementSync {
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
}

/** The rows of a statement of {@link createStatementCache}, which the types of Node describe as objects. */
export function readRows(statement: StatementSync, values: readonly Value[]): unknown[][] {
  const rows: unknown = statement.all(...values);
  return rows as unknown[][];
}

/** SQLite's primary result codes that an operator can act on. */
const reasons: Readonly<Record<number, string>> = {
  5: 'another process keeps it locked',
  6: 'another process keeps it locked',
  8: 'it is read-only',
  10: 'reading or writing it failed',
  11: 'it is corrupted',
  13: 'the disk is full',
  14: 'it cannot be opened; is its directory there and writable?',
  26: 'it is corrupted, or not a database',
};

/** They pass: another process has locked the file, or the disk is full (10, too: it cannot write its shared memory). */
const temporary: ReadonlySet<number> = new Set([5, 6, 10, 13]);

export function createEngineError(path: string, { code, message }: Failure): Error {
  const reason = code > 0 ? reasons[code & 255] : undefined;
  const text = reason ? `database file ${path}: ${reason} (${message})` : `database file ${path}: ${message}`;
  return temporary.has(code & 255) ? new StoreUnavailable(text) : new Error(text);
}

const uniqueCodes: ReadonlySet<number> = new Set([2067, 1555]);

/** The violated index, if that is the cause. SQLite names the columns, not the index; `indexes` maps them back. */
export function toUniqueViolation(
  { code, message }: Failure,
  indexes: ReadonlyMap<string, string>,
): UniqueViolation | undefined {
  if (!uniqueCodes.has(code)) return undefined;
  const columns = message.slice(message.indexOf(':') + 2);
  return new UniqueViolation(indexes.get(columns) ?? columns);
}
