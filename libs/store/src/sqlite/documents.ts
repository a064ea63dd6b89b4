import { IdempotencyKeyTaken } from '../engines.ts';
import type { Change, ClaimRequest, CollectionHandle, Document, Documents, New, WriteOptions } from '../port.ts';
import { engineError, uniqueViolation } from './database.ts';
import type { DatabaseFile } from './file.ts';
import { forgetSteps, isKeyTaken, recordSubjects, takeKey } from './idempotency.ts';
import { eventsOf, outboxSteps } from './outbox.ts';
import type { TableInfo } from './schema.ts';
import { allOf, type Clause, fieldSql, pageReads, pageSql, sourceSql, whereClauses } from './where.ts';
import { type Answer, type Failure, isFailure, type Step, type Value } from './writer/protocol.ts';

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

/** Documents of an insertMany in one message and one transaction; other writes run in between. */
const batch = 2000;

const bodyOf = (document: object): string => {
  const { version: _version, institution: _institution, ...body } = document as Document;
  return JSON.stringify(body);
};

const documentOf = <T extends Document>([institution, version, body]: readonly unknown[]): T => {
  const document = JSON.parse(body as string);
  document.version = version;
  document.institution = institution;
  return document;
};

/** A document with the members that the store sets. */
const completed = <T extends Document>(document: New<T>, version: number, institution: string): T =>
  ({ ...document, version, institution }) as Document as T;

/** The documents of one institution, or of all where that is undefined. */
const documentsOf = <T extends Document>(
  file: DatabaseFile,
  table: TableInfo,
  institution: string | undefined,
): Documents<T> => {
  const raise = (failure: Failure): never => {
    throw uniqueViolation(failure, table.unique) ?? engineError(file.path, failure);
  };
  const within = institution === undefined ? '' : ' AND institution = ?';
  const tenant = institution === undefined ? [] : [institution];
  const insertion = `INSERT INTO "${table.name}" (id, institution, version, body) VALUES (?, ?, 1, ?)`;

  /**
   * Writes the document with its idempotency record and events. @returns false if the document's step changed no row
   */
  const write = async (step: Step, document: T, options: WriteOptions<T>, facts: WriteOptions<T>['events']) => {
    const { idempotencyRecord, forget } = options;
    const remembered = idempotencyRecord && { ...idempotencyRecord, answer: idempotencyRecord.answer(document) };
    const events = eventsOf(facts ?? [], document, file.surroundings.trace);
    const first = remembered ? [takeKey(remembered)] : [];
    const steps = [
      ...first,
      ...(forget === undefined ? [] : forgetSteps(forget)),
      ...(remembered ? recordSubjects(remembered) : []),
      step,
      ...outboxSteps(events),
    ];
    const answer = await file.write(steps, events);
    if (!isFailure(answer)) return true;
    if (answer.code !== 0) return raise(answer);
    if (remembered && answer.step === 0) throw new IdempotencyKeyTaken(remembered.key);
    return false;
  };

  const written = (answer: Answer) => (isFailure(answer) ? raise(answer) : answer);

  const get = (id: string): T | undefined => {
    const sql = `SELECT institution, version, body FROM "${table.name}" WHERE id = ?${within}`;
    const [row] = file.reader.all(sql, [id, ...tenant]);
    return row && documentOf<T>(row);
  };

  const replace = (current: T, change: Change<T>, options: WriteOptions<T>): Promise<T | false> => {
    const { id, version, institution: home } = current;
    const next = completed<T>(change.next, version + 1, home);
    if (next.id !== id) throw new Error(`an update cannot change the id ${id} to ${next.id}`);
    const sql = `UPDATE "${table.name}" SET version = ?, body = ? WHERE id = ? AND version = ? AND institution = ?`;
    const step: Step = [sql, 'must', [version + 1, bodyOf(next), id, version, home]];
    const facts = [...(change.events ?? []), ...(options.events ?? [])];
    const own = change.remember === false ? { ...options, idempotencyRecord: undefined } : options;
    return write(step, next, own, facts).then((met) => met && next);
  };

  return {
    async insert(document: New<T>, options: WriteOptions<T> = {}) {
      const next = completed<T>(document, 1, institution ?? '');
      const step: Step = [insertion, 'run', [next.id, next.institution, bodyOf(next)]];
      await write(step, next, options, options.events);
      return next;
    },
    async insertMany(documents) {
      const sql = `${insertion} ON CONFLICT (id) DO NOTHING`;
      let inserted = 0;
      for (let start = 0; start < documents.length; start += batch) {
        const rows = documents
          .slice(start, start + batch)
          .map((one): readonly Value[] => [one.id, institution ?? '', bodyOf(one)]);
        inserted += Number(written(await file.write([[sql, 'each', rows]])));
      }
      return inserted;
    },
    async insertInOrder(documents) {
      const rows = documents.map((one): readonly Value[] => [one.id, institution ?? '', bodyOf(one)]);
      if (rows.length > 0) written(await file.write([[insertion, 'each', rows]]));
    },
    get: async (id) => get(id),
    async find(query = {}) {
      const scope = whereClauses(query.where ?? {}, institution, table.indexed);
      const reads = pageReads(query, table.indexed);
      const source = sourceSql(table, query);
      const found: T[] = [];
      const readAll = () => {
        for (const { conditions, order } of reads) {
          const left = query.limit === undefined ? -1 : query.limit - found.length;
          const { sql, values } = pageSql(source, [...scope, ...conditions], order, left);
          for (const row of file.reader.all(sql, values)) found.push(documentOf<T>(row));
          if (query.limit !== undefined && found.length >= query.limit) return;
        }
      };
      if (reads.length === 1) readAll();
      else file.reader.together(readAll);
      return found;
    },
    async count(where = {}) {
      const { sql, values } = allOf(whereClauses(where, institution, table.indexed));
      const [row] = file.reader.all(`SELECT count(*) FROM "${table.name}" WHERE ${sql}`, values);
      return row?.[0] as number;
    },
    async update(id, fn, options = {}) {
      const key = options.idempotencyRecord?.key;
      /** What the function says of a document that has the effect of this request is no answer to it. */
      const refuseIfTaken = () => {
        if (key !== undefined && isKeyTaken(file, key)) throw new IdempotencyKeyTaken(key);
      };
      const decided = (current: T) => {
        try {
          return fn(current);
        } catch (error) {
          refuseIfTaken();
          throw error;
        }
      };
      for (;;) {
        const current = get(id);
        if (!current) return undefined;
        const change = decided(current);
        if (!change) {
          refuseIfTaken();
          return current;
        }
        const next = await replace(current, change, options);
        if (next) return next;
      }
    },
    async delete(id, version) {
      const [unchanged, of] = version === undefined ? ['', []] : [' AND version = ?', [version]];
      const sql = `DELETE FROM "${table.name}" WHERE id = ?${within}${unchanged}`;
      return written(await file.write([[sql, 'run', [id, ...tenant, ...of]]])) === 1;
    },
    async claim(request) {
      const rows = written(await file.write([claimStep(table, institution, request)]));
      return Array.from(rows as readonly unknown[][], (row) => documentOf<T>(row));
    },
  };
};

/** The handle of a collection in a file. */
export const collectionHandle = <T extends Document>(file: DatabaseFile, table: TableInfo): CollectionHandle<T> => ({
  of: (institution) => documentsOf<T>(file, table, institution),
  acrossInstitutions: documentsOf<T>(file, table, undefined),
});
