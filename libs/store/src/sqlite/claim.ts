import type { ClaimRequest, Document } from '../port.ts';
import type { Step, Value } from './protocol.ts';
import type { TableInfo } from './schema.ts';
import { allOf, type Clause, fieldSql, whereClauses } from './where.ts';

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
 * The one statement of a claim: it finds, changes and answers the rows, and no other write comes between. With `spread`
 * it reads the index from a random position to its end, then from its start.
 */
export const claimStep = <T extends Document>(
  table: TableInfo,
  institution: string | undefined,
  { where, set, limit, spread }: ClaimRequest<T>,
): Step => {
  const matching = allOf(whereClauses(where, institution, table.indexed));
  const body = changedBody(set);
  const update = `UPDATE "${table.name}" SET version = version + 1, body = ${body.sql}`;
  const answered = 'RETURNING institution, version, body';
  if (limit === undefined) {
    return [`${update} WHERE ${matching.sql} ${answered}`, 'rows', [...body.values, ...matching.values]];
  }
  const rows = `SELECT row FROM "${table.name}" WHERE ${matching.sql}`;
  if (spread === undefined) {
    const values = [...body.values, ...matching.values, limit];
    return [`${update} WHERE row IN (${rows} LIMIT ?) ${answered}`, 'rows', values];
  }
  const field = fieldSql(spread, table.indexed);
  const part = (sign: string) => `SELECT row FROM (${rows} AND ${field} ${sign} ? ORDER BY ${field} LIMIT ?)`;
  const from = Math.random();
  const partValues = [...matching.values, from, limit];
  return [
    `${update} WHERE row IN (${part('>=')} UNION ALL ${part('<')} LIMIT ?) ${answered}`,
    'rows',
    [...body.values, ...partValues, ...partValues, limit],
  ];
};
