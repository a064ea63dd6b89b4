import type { Condition, Scalar, Where } from '../port.ts';
import { column, extraction } from './schema.ts';
import type { Value } from './writer/protocol.ts';

/** A piece of SQL and the values of its parameters, in order. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * The SQL of a field: its column if an index names it (`indexed` holds the columns), else the expression over the body.
 */
export const fieldSql = (field: string, indexed: ReadonlySet<string>): string => {
  const name = column(field);
  return !name.startsWith('"') || indexed.has(name) ? name : extraction(field);
};

/** A scalar as SQLite stores it: JSON's true and false are 1 and 0. */
export const sqlValue = (value: Scalar): Value => (typeof value === 'boolean' ? Number(value) : value);

const nothing: Clause = { sql: 'FALSE', values: [] };
const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const membership = (field: string, values: readonly Scalar[]): Clause => {
  const present = values.filter((value) => value !== null);
  // One text for every length of the list, so that its statement is prepared once.
  const within = { sql: `${field} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(present)] };
  if (present.length === values.length) return within;
  return { sql: `(${within.sql} OR ${field} IS NULL)`, values: within.values };
};

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

/** All clauses joined by AND; TRUE for none. */
export const allOf = (clauses: readonly Clause[]): Clause => ({
  sql: clauses.length === 0 ? 'TRUE' : clauses.map(({ sql }) => sql).join(' AND '),
  values: clauses.flatMap(({ values }) => values),
});

/** Whether the ids themselves are named: then their own index is the one to use. */
export const namesIds = ({ id }: Where): boolean =>
  typeof id === 'string' || (typeof id === 'object' && id !== null && 'in' in id);

/**
 * The conditions of `where`, within an institution unless that is undefined. Where ids are named, a plus prevents
 * SQLite from searching an index of the other fields, which would read all of the institution's rows in it.
 */
export const whereClauses = (
  where: Where,
  institution: string | undefined,
  indexed: ReadonlySet<string>,
): readonly Clause[] => {
  const plus = namesIds(where) ? '+' : '';
  return [
    ...(institution === undefined ? [] : [{ sql: `${plus}institution = ?`, values: [institution] }]),
    ...Object.entries(where).flatMap(([name, condition]) =>
      clause(name, `${name === 'id' ? '' : plus}${fieldSql(name, indexed)}`, condition),
    ),
  ];
};
