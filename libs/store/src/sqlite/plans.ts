import { DatabaseSync } from 'node:sqlite';
import type { Collection, Document, Query } from '../port.ts';
import { createTableInfo, describeTable, migrate } from './schema.ts';
import { buildPageReads, buildPageSql, buildSourceSql, buildWhereClauses } from './where.ts';

/** One text per statement: for tests that an index, declared for both engines, serves the query. */
export function explainQuery<T extends Document>(collection: Collection<T>, query: Query): string[] {
  const { name, indexes, work = [] } = collection;
  const plain = { name, indexes, work };
  const table = createTableInfo(plain);
  const database = new DatabaseSync(':memory:');
  migrate(database, [describeTable(plain)]);
  const plans = buildPageReads(query, table.indexed).map(({ conditions, order }) => {
    const scope = buildWhereClauses(query.where ?? {}, 'institution', table.indexed);
    const { sql, values } = buildPageSql(table, buildSourceSql(table, query), [...scope, ...conditions], order, 20);
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    return rows.map(({ detail }) => String(detail)).join('; ');
  });
  database.close();
  return plans;
}
