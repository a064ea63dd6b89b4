import { DatabaseSync } from 'node:sqlite';
import type { Collection, Document, Query } from '../port.ts';
import { migrate, tableInfo, tableOf } from './schema.ts';
import { pageReads, pageSql, sourceSql, whereClauses } from './where.ts';

/**
 * How SQLite reads the pages of a query of one institution, one text per statement: for tests that an index serves it,
 * which is declared for both engines.
 */
export function plansOf<T extends Document>(collection: Collection<T>, query: Query): string[] {
  const { name, indexes, work = [] } = collection;
  const plain = { name, indexes, work };
  const table = tableInfo(plain);
  const database = new DatabaseSync(':memory:');
  migrate(database, [tableOf(plain)]);
  const plans = pageReads(query, table.indexed).map(({ conditions, order }) => {
    const scope = whereClauses(query.where ?? {}, 'institution', table.indexed);
    const { sql, values } = pageSql(table, sourceSql(table, query), [...scope, ...conditions], order, 20);
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    return rows.map(({ detail }) => String(detail)).join('; ');
  });
  database.close();
  return plans;
}
