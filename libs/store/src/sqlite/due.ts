import { createClaim, isSameWork, removeEndedWork, replaceDue } from '../due.ts';
import type { Claimed, Document, Due, DueDocuments, DueRequest, EndedWork, Waiting } from '../port.ts';
import { createEngineError } from './database.ts';
import type { DatabaseFile } from './file.ts';
import { readDocument, toDueColumns } from './rows.ts';
import type { TableInfo } from './schema.ts';
import type { Clause } from './where.ts';
import { isFailure, type Step } from './writer/protocol.ts';

/** The earliest first, with the text of the due work that a claim replaces. Undefined: nothing is asked for. */
export function findCandidates(
  { name: table }: Pick<TableInfo, 'name'>,
  { now, limit, forMs, except = [] }: DueRequest,
): Clause | undefined {
  const names = Object.keys(forMs);
  if (names.length === 0 || limit <= 0) return undefined;
  const some = names.map((name) => `json_extract(due, '$.${name}.at') <= ?`).join(' OR ');
  const others = except.length === 0 ? '' : ' AND institution NOT IN (SELECT value FROM json_each(?))';
  return {
    sql: `SELECT id, due FROM "${table}" WHERE due_at <= ? AND (${some})${others} ORDER BY due_at, id LIMIT ?`,
    values: [now, ...names.map(() => now), ...(others ? [JSON.stringify(except)] : []), limit],
  };
}

export function findWaiting(file: DatabaseFile, tables: Iterable<TableInfo>): Waiting {
  const names = Array.from(tables)
    .filter(({ work }) => work.size > 0)
    .map(({ name }) => name);
  const first = names.map(
    (name) => `(SELECT due_at FROM "${name}" WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1)`,
  );
  const sql = `SELECT ${[...first, '(SELECT at FROM "$outbox" ORDER BY seq LIMIT 1)'].join(', ')}`;
  const [row = []] = file.reader.all(sql, []);
  const found = (column: number): number | undefined => (row[column] === null ? undefined : Number(row[column]));
  const due = names.flatMap((name, column) => {
    const at = found(column);
    return at === undefined ? [] : [[name, at] as const];
  });
  const event = found(names.length);
  return { due: Object.fromEntries(due), ...(event !== undefined && { event }) };
}

/** The steps that end work, unless it has changed since. */
export function buildEndSteps(file: DatabaseFile, ended: readonly EndedWork[]): Step[] {
  return [...Map.groupBy(ended, ({ collection }) => collection)].map(([table, ends]): Step => {
    const ids = JSON.stringify(ends.map(({ id }) => id));
    const sql = `SELECT id, due FROM "${table}" WHERE due_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))`;
    const left = Array.from(file.reader.all(sql, [ids]), ([id, read]) => {
      const due = removeEndedWork(JSON.parse(String(read)) as Due, String(id), ends);
      return [...toDueColumns(due), String(id), String(read)];
    });
    return [`UPDATE "${table}" SET due = ?, due_at = ? WHERE id = ? AND due IS ?`, 'each', left];
  });
}

export function createDueDocuments<T extends Document>(file: DatabaseFile, table: TableInfo): DueDocuments<T> {
  /** Writes the due work, if it still is what was read; returns the row, or undefined on a lost race. */
  const swap = async (
    id: unknown,
    read: string | null,
    due: Due | undefined,
  ): Promise<readonly unknown[] | undefined> => {
    const sql = `UPDATE "${table.name}" SET due = ?, due_at = ? WHERE id = ? AND due IS ? RETURNING ${table.read}`;
    const step: Step = [sql, 'rows', [...toDueColumns(due), String(id), read]];
    const answer = await file.write([step]);
    if (isFailure(answer)) throw createEngineError(file.path, answer);
    return typeof answer === 'number' ? undefined : answer[0];
  };

  return {
    async claimDue(request) {
      const claim = async ([id, stored]: readonly unknown[]): Promise<readonly Claimed<T>[]> => {
        const read = String(stored);
        const claimed = createClaim(JSON.parse(read) as Due, request);
        const row = claimed && (await swap(id, read, claimed.due));
        return claimed && row ? [{ document: readDocument<T>(row), work: claimed.work }] : [];
      };
      const found = findCandidates(table, request);
      const rows = found ? file.reader.all(found.sql, found.values) : [];
      // All at once: the writer commits them together.
      return (await Promise.all(rows.map(claim))).flat();
    },
    async moveDue(id, name, from, to) {
      for (;;) {
        const [row] = file.reader.all(`SELECT due FROM "${table.name}" WHERE id = ?`, [id]);
        if (!row) return false;
        const read = row[0] === null ? null : String(row[0]);
        const due = JSON.parse(read ?? '{}') as Due;
        if (!isSameWork(due[name], from)) return false;
        if (!(await swap(id, read, replaceDue(due, name, to)))) continue;
        if (to) file.notifyDue(table.name, { [name]: to.at });
        return true;
      }
    },
    async listDue({ until, limit, after }) {
      const upTo = until === undefined ? '' : ' AND due_at <= ?';
      const beyond = after ? ' AND (due_at, id) > (?, ?)' : '';
      const sql = `SELECT ${table.read} FROM "${table.name}" WHERE due_at IS NOT NULL${upTo}${beyond} ORDER BY due_at, id LIMIT ?`;
      const values = [...(until === undefined ? [] : [until]), ...(after ? [after.at, after.id] : []), limit];
      return Array.from(file.reader.all(sql, values), (row) => readDocument<T>(row));
    },
  };
}
