import type { Condition, Query, Scalar, Where } from '../port.ts';
import { buildExtraction, type TableInfo, toColumn, toIndexName } from './schema.ts';
import type { Value } from './writer/protocol.ts';

/** A piece of SQL and the values of its parameters, in order. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Its column if an index names it (`indexed` has the columns), else the expression over the body. */
export function buildFieldSql(field: string, indexed: ReadonlySet<string>): string {
  const name = toColumn(field);
  return !name.startsWith('"') || indexed.has(name) ? name : buildExtraction(field);
}

const nothing: Clause = { sql: 'FALSE', values: [] };
const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** All clauses joined by AND; TRUE for none. */
export function combineAll(clauses: readonly Clause[]): Clause {
  return {
    sql: clauses.length === 0 ? 'TRUE' : clauses.map(({ sql }) => sql).join(' AND '),
    values: clauses.flatMap(({ values }) => values),
  };
}

/** Where ids are named, a plus keeps SQLite from an index of other fields, which would read the whole institution. */
export function buildWhereClauses(
  where: Where,
  institution: string | undefined,
  indexed: ReadonlySet<string>,
): readonly Clause[] {
  const plus = namesIds(where) ? '+' : '';
  return [
    ...(institution === undefined ? [] : [{ sql: `${plus}institution = ?`, values: [institution] }]),
    ...Object.entries(where).flatMap(([name, condition]) =>
      clause(name, `${name === 'id' ? '' : plus}${buildFieldSql(name, indexed)}`, condition),
    ),
  ];
}

/** Whether the ids themselves are named: then their own index is the one to use. */
const namesIds = ({ id }: Where): boolean =>
  typeof id === 'string' || (typeof id === 'object' && id !== null && 'in' in id);

const clause = (name: string, field: string, condition: Condition | undefined): Clause[] => {
  // An empty condition must not match every document.
  if (condition === undefined) throw new Error(`the condition on ${name} is undefined`);
  if (condition === null) return [{ sql: `${field} IS NULL`, values: [] }];
  if (typeof condition !== 'object') return [{ sql: `${field} = ?`, values: [sqlValue(condition)] }];
  if ('in' in condition) return [membership(field, condition.in)];
  if ('ne' in condition) return [{ sql: `${field} IS NOT ?`, values: [sqlValue(condition.ne)] }];
  return Object.entries(condition).flatMap(([key, bound]) => {
    if (!Object.hasOwn(operators, key)) throw new Error(`the condition on ${name} has an unknown operator ${key}`);
    const operator = operators[key as keyof typeof operators];
    if (bound === undefined) return [];
    return bound === null ? [nothing] : [{ sql: `${field} ${operator} ?`, values: [sqlValue(bound)] }];
  });
};

/** A scalar as SQLite stores it: JSON's true and false are 1 and 0. */
const sqlValue = (value: Scalar): Value => (typeof value === 'boolean' ? Number(value) : value);

const membership = (field: string, values: readonly Scalar[]): Clause => {
  const present = values.filter((value) => value !== null);
  // One text for every length of the list, so that its statement is prepared once.
  const within = { sql: `${field} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(present)] };
  if (present.length === values.length) return within;
  return { sql: `(${within.sql} OR ${field} IS NULL)`, values: within.values };
};

/** The reads of a page, in order until the limit is reached. Each is one range of one index. */
interface PageReads {
  readonly conditions: readonly Clause[];
  readonly order: string;
}

/** How a query is read: usually at once, in two parts where a cursor crosses from null to values. */
export function buildPageReads(query: Query, indexed: ReadonlySet<string>): PageReads[] {
  const field = buildFieldSql(query.orderBy ?? 'id', indexed);
  const direction = query.descending ? 'DESC' : 'ASC';
  const order = field === 'id' ? `id ${direction}` : `${field} ${direction}, id ${direction}`;
  const parts = query.after ? after(field, query.after, query.descending ?? false) : [[]];
  return parts.map((conditions) => ({ conditions, order }));
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

/** Where documents are read: from a table, by the index that the query names, unless it names the documents. */
export function buildSourceSql(table: TableInfo, { index, where = {} }: Pick<Query, 'index' | 'where'>): string {
  if (index === undefined || namesIds(where)) return `"${table.name}"`;
  if (!table.indexes.has(index)) throw new Error(`${table.name} has no index ${index}`);
  return `"${table.name}" INDEXED BY "${toIndexName(table.name, index)}"`;
}

/** The text and values of one read. A negative limit is none. */
export function buildPageSql(
  { read }: Pick<TableInfo, 'read'>,
  source: string,
  conditions: readonly Clause[],
  order: string,
  limit: number,
): Clause {
  const { sql, values } = combineAll(conditions);
  return {
    sql: `SELECT ${read} FROM ${source} WHERE ${sql} ORDER BY ${order} LIMIT ?`,
    values: [...values, limit],
  };
}
