import type { DatabaseSync, StatementSync } from 'node:sqlite';

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
