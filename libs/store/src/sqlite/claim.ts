import type { ClaimRequest, Document } from '../port.ts';
import type { TableInfo } from './schema.ts';
import { allOf, type Clause, fieldSql, whereClauses } from './where.ts';
import type { Step, Value } from './writer/protocol.ts';

const reserved: ReadonlySet<string> = new Set(['id', 'version', 'institution']);

/** The body with top-level members set or, where undefined, removed. */
const changedBody = (set: object): Clause => {
  const members = Object.entries(set);
  for (const [name] of members) if (reserved.has(name)) throw new Error(`a claim cannot set ${name}`);
  const path = (name: string) => `$.${JSON.stringify(name)}`;
  const present = members.filter(([, value]) => value !== undefined);
  const absent = members.filter(([, value]) => value === undefined);
  const values: Value[] = [];
  let sql = 'body';
  if (present.length > 0) {
    sql = `json_set(${sql}${', ?, json(?)'.repeat(present.length)})`;
    values.push(...present.flatMap(([name, value]) => [path(name), JSON.stringify(value)]));
  }
  if (absent.length > 0) {
    sql = `json_remove(${sql}${', ?'.repeat(absent.length)})`;
    values.push(...absent.map(([name]) => path(name)));
  }
  return { sql, values };
};

/**
 * Which rows: up to `limit` of those that match; with `spread` from a random position of its index to the end, then
 * from its start.
 */
const chosenRows = (table: TableInfo, matching: Clause, limit: number, spread: string | undefined): Clause => {
  const rows = `SELECT row FROM "${table.name}" WHERE ${matching.sql}`;
  if (spread === undefined) {
    const values = [...matching.values, limit];
    return { sql: limit === 1 ? `row = (${rows} LIMIT ?)` : `row IN (${rows} LIMIT ?)`, values };
  }
  const field = fieldSql(spread, table.indexed);
  const part = (sign: string) => `${rows} AND ${field} ${sign} ? ORDER BY ${field} LIMIT ?`;
  const from = Math.random();
  const partValues = [...matching.values, from, limit];
  const values = [...partValues, ...partValues];
  // A single row is changed as it is found; a list of rows is collected first, which takes three times as long.
  if (limit === 1) return { sql: `row = coalesce((${part('>=')}), (${part('<')}))`, values };
  const list = `SELECT row FROM (${part('>=')}) UNION ALL SELECT row FROM (${part('<')}) LIMIT ?`;
  return { sql: `row IN (${list})`, values: [...values, limit] };
};

/** The one statement of a claim: it finds, changes and returns the rows without an intervening write. */
export const claimStep = <T extends Document>(
  table: TableInfo,
  institution: string | undefined,
  { where, set, limit, spread }: ClaimRequest<T>,
): Step => {
  const matching = allOf(whereClauses(where, institution, table.indexed));
  const body = changedBody(set);
  const rows = limit === undefined ? matching : chosenRows(table, matching, limit, spread);
  const sql = `UPDATE "${table.name}" SET version = version + 1, body = ${body.sql} WHERE ${rows.sql} RETURNING institution, version, body`;
  return [sql, 'rows', [...body.values, ...rows.values]];
};
