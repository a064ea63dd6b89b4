import type { Query } from '../port.ts';
import { indexName, type TableInfo } from './schema.ts';
import { allOf, type Clause, fieldSql, namesIds, sqlValue } from './where.ts';

/** The reads of a page, in order until the limit is reached. Each is one range of one index. */
interface PageReads {
  readonly conditions: readonly Clause[];
  readonly order: string;
}

const after = (field: string, { value, id }: NonNullable<Query['after']>, descending: boolean): Clause[][] => {
  const sign = descending ? '<' : '>';
  if (field === 'id') return [[{ sql: `id ${sign} ?`, values: [id] }]];
  const isNull = { sql: `${field} IS NULL`, values: [] };
  // Null sorts first: ascending, every value follows it; descending, null follows every value.
  if (value === null) {
    const rest = [isNull, { sql: `id ${sign} ?`, values: [id] }];
    return descending ? [rest] : [rest, [{ sql: `${field} IS NOT NULL`, values: [] }]];
  }
  const rest = [{ sql: `(${field}, id) ${sign} (?, ?)`, values: [sqlValue(value), id] }];
  return descending ? [rest, [isNull]] : [rest];
};

/** How a query is read: usually at once, in two parts where a cursor crosses from null to values. */
export const pageReads = (query: Query, indexed: ReadonlySet<string>): PageReads[] => {
  const field = fieldSql(query.orderBy ?? 'id', indexed);
  const direction = query.descending ? 'DESC' : 'ASC';
  const order = field === 'id' ? `id ${direction}` : `${field} ${direction}, id ${direction}`;
  const parts = query.after ? after(field, query.after, query.descending ?? false) : [[]];
  return parts.map((conditions) => ({ conditions, order }));
};

/** Where documents are read: from a table, by the index that the query names, unless it names the documents. */
export const sourceSql = (table: TableInfo, { index, where = {} }: Pick<Query, 'index' | 'where'>): string => {
  if (index === undefined || namesIds(where)) return `"${table.name}"`;
  if (!table.indexes.has(index)) throw new Error(`${table.name} has no index ${index}`);
  return `"${table.name}" INDEXED BY "${indexName(table.name, index)}"`;
};

/** The text and values of one read. A negative limit is none. */
export const pageSql = (source: string, conditions: readonly Clause[], order: string, limit: number): Clause => {
  const { sql, values } = allOf(conditions);
  return {
    sql: `SELECT institution, version, body FROM ${source} WHERE ${sql} ORDER BY ${order} LIMIT ?`,
    values: [...values, limit],
  };
};
