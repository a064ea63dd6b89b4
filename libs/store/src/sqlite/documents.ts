import { changeDue } from '../due.ts';
import { IdempotencyKeyTaken } from '../engines.ts';
import type {
  Change,
  ClaimRequest,
  CollectionHandle,
  Document,
  Documents,
  Due,
  DueChange,
  New,
  WriteOptions,
} from '../port.ts';
import { keepByKey } from '../wrapping.ts';
import { createEngineError, toUniqueViolation } from './database.ts';
import { createDueDocuments } from './due.ts';
import type { DatabaseFile } from './file.ts';
import { forgetSteps, isKeyTaken, recordSubjects, takeKey } from './idempotency.ts';
import { buildEvents, buildOutboxSteps } from './outbox.ts';
import { formatBody, readDocument, toDueColumns } from './rows.ts';
import type { TableInfo } from './schema.ts';
import {
  buildFieldSql,
  buildPageReads,
  buildPageSql,
  buildSourceSql,
  buildWhereClauses,
  type Clause,
  combineAll,
} from './where.ts';
import { type Answer, type Failure, isFailure, type Step, type Value } from './writer/protocol.ts';

const reserved: ReadonlySet<string> = new Set(['id', 'version', 'institution', 'due']);

/** The one statement of a claim: it finds, changes and returns the rows without an intervening write. */
export function claimStep<T extends Document>(
  table: TableInfo,
  institution: string | undefined,
  { where, set, limit, spread }: ClaimRequest<T>,
): Step {
  const matching = combineAll(buildWhereClauses(where, institution, table.indexed));
  const body = changedBody(set);
  const rows = limit === undefined ? matching : chosenRows(table, matching, limit, spread);
  const sql = `UPDATE "${table.name}" SET version = version + 1, body = ${body.sql} WHERE ${rows.sql} RETURNING ${table.read}`;
  return [sql, 'rows', [...body.values, ...rows.values]];
}

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

/** Up to `limit`; with `spread` from a random position of its index to the end, then from its start. */
const chosenRows = (table: TableInfo, matching: Clause, limit: number, spread: string | undefined): Clause => {
  const rows = `SELECT row FROM "${table.name}" WHERE ${matching.sql}`;
  if (spread === undefined) {
    const values = [...matching.values, limit];
    return { sql: limit === 1 ? `row = (${rows} LIMIT ?)` : `row IN (${rows} LIMIT ?)`, values };
  }
  const field = buildFieldSql(spread, table.indexed);
  const part = (sign: string) => `${rows} AND ${field} ${sign} ? ORDER BY ${field} LIMIT ?`;
  const from = Math.random();
  const partValues = [...matching.values, from, limit];
  const values = [...partValues, ...partValues];
  // A single row is changed as it is found; a list of rows is collected first, which takes three times as long.
  if (limit === 1) return { sql: `row = coalesce((${part('>=')}), (${part('<')}))`, values };
  const list = `SELECT row FROM (${part('>=')}) UNION ALL SELECT row FROM (${part('<')}) LIMIT ?`;
  return { sql: `row IN (${list})`, values: [...values, limit] };
};

/** Documents of an insertMany in one message and one transaction; other writes run in between. */
const batch = 2000;

export function createCollectionHandle<T extends Document>(file: DatabaseFile, table: TableInfo): CollectionHandle<T> {
  return {
    of: keepByKey((institution) => documentsOf<T>(file, table, institution)),
    acrossInstitutions: { ...documentsOf<T>(file, table, undefined), ...createDueDocuments<T>(file, table) },
  };
}

/** The documents of one institution, or of all where that is undefined. */
const documentsOf = <T extends Document>(
  file: DatabaseFile,
  table: TableInfo,
  institution: string | undefined,
): Documents<T> => {
  const raise = (failure: Failure): never => {
    throw toUniqueViolation(failure, table.unique) ?? createEngineError(file.path, failure);
  };
  const within = institution === undefined ? '' : ' AND institution = ?';
  const tenant = institution === undefined ? [] : [institution];
  const hasWork = table.work.size > 0;
  const insertion = hasWork
    ? `INSERT INTO "${table.name}" (id, institution, version, body, due, due_at) VALUES (?, ?, 1, ?, ?, ?)`
    : `INSERT INTO "${table.name}" (id, institution, version, body) VALUES (?, ?, 1, ?)`;
  const insertedDue = (change: DueChange = {}): Due | undefined => changeDue(undefined, change, table);
  const insertedRow = (document: New<T>, due: Due | undefined): readonly Value[] => [
    document.id,
    institution ?? '',
    formatBody(document),
    ...(hasWork ? toDueColumns(due) : []),
  ];

  /** False if the document's step changed no row. */
  const write = async (step: Step, document: T, options: WriteOptions<T>, facts: WriteOptions<T>['events']) => {
    const { idempotencyRecord, forget } = options;
    const remembered = idempotencyRecord && { ...idempotencyRecord, answer: idempotencyRecord.answer(document) };
    const events = buildEvents(facts ?? [], document, file.surroundings.trace);
    const first = remembered ? [takeKey(remembered)] : [];
    const steps = [
      ...first,
      ...(forget === undefined ? [] : forgetSteps(forget)),
      ...(remembered ? recordSubjects(remembered) : []),
      step,
      ...buildOutboxSteps(events),
    ];
    const answer = await file.write(steps, events);
    if (!isFailure(answer)) return true;
    if (answer.code !== 0) return raise(answer);
    if (remembered && answer.step === 0) throw new IdempotencyKeyTaken(remembered.key);
    return false;
  };

  const unwrapAnswer = (answer: Answer) => (isFailure(answer) ? raise(answer) : answer);

  const get = (id: string): T | undefined => {
    const sql = `SELECT ${table.read} FROM "${table.name}" WHERE id = ?${within}`;
    const [row] = file.reader.all(sql, [id, ...tenant]);
    return row && readDocument<T>(row);
  };

  const replace = async (current: T, change: Change<T>, options: WriteOptions<T>): Promise<T | false> => {
    const { id, version, institution: home } = current;
    const due = change.due ? changeDue(current.due, change.due, table) : current.due;
    const next = completeDocument<T>(change.next, { version: version + 1, institution: home, ...(due && { due }) });
    if (next.id !== id) throw new Error(`an update cannot change the id ${id} to ${next.id}`);
    const where = 'WHERE id = ? AND version = ? AND institution = ?';
    const step: Step = change.due
      ? [
          `UPDATE "${table.name}" SET version = ?, body = ?, due = ?, due_at = ? ${where} AND due IS ?`,
          'must',
          [version + 1, formatBody(next), ...toDueColumns(due), id, version, home, toDueColumns(current.due)[0]],
        ]
      : [
          `UPDATE "${table.name}" SET version = ?, body = ? ${where}`,
          'must',
          [version + 1, formatBody(next), id, version, home],
        ];
    const facts = [...(change.events ?? []), ...(options.events ?? [])];
    const remembering = change.remember === false ? { ...options, idempotencyRecord: undefined } : options;
    const isWritten = await write(step, next, remembering, facts);
    if (!isWritten) return false;
    file.notifyDue(table.name, change.due);
    return next;
  };

  return {
    async insert(document, options = {}) {
      const due = insertedDue(options.due);
      const next = completeDocument<T>(document, { version: 1, institution: institution ?? '', ...(due && { due }) });
      await write([insertion, 'run', insertedRow(document, due)], next, options, options.events);
      file.notifyDue(table.name, options.due);
      return next;
    },
    async insertMany(documents, options = {}) {
      const sql = `${insertion} ON CONFLICT (id) DO NOTHING`;
      const due = insertedDue(options.due);
      let inserted = 0;
      for (let start = 0; start < documents.length; start += batch) {
        const rows = documents.slice(start, start + batch).map((one) => insertedRow(one, due));
        inserted += Number(unwrapAnswer(await file.write([[sql, 'each', rows]])));
        file.notifyDue(table.name, options.due);
      }
      return inserted;
    },
    async insertInOrder(documents) {
      const rows = documents.map((one) => insertedRow(one, undefined));
      if (rows.length > 0) unwrapAnswer(await file.write([[insertion, 'each', rows]]));
    },
    get: async (id) => get(id),
    async find(query = {}) {
      const scope = buildWhereClauses(query.where ?? {}, institution, table.indexed);
      const reads = buildPageReads(query, table.indexed);
      const source = buildSourceSql(table, query);
      const found: T[] = [];
      const readAll = () => {
        for (const { conditions, order } of reads) {
          const left = query.limit === undefined ? -1 : query.limit - found.length;
          const { sql, values } = buildPageSql(table, source, [...scope, ...conditions], order, left);
          for (const row of file.reader.all(sql, values)) found.push(readDocument<T>(row));
          if (query.limit !== undefined && found.length >= query.limit) return;
        }
      };
      if (reads.length === 1) readAll();
      else file.reader.together(readAll);
      return found;
    },
    async count(where = {}, most) {
      const { sql, values } = combineAll(buildWhereClauses(where, institution, table.indexed));
      const all = `FROM "${table.name}" WHERE ${sql}`;
      const [row] =
        most === undefined
          ? file.reader.all(`SELECT count(*) ${all}`, values)
          : file.reader.all(`SELECT count(*) FROM (SELECT 1 ${all} LIMIT ?)`, [...values, most]);
      return row?.[0] as number;
    },
    async update(id, fn, options = {}) {
      const key = options.idempotencyRecord?.key;
      /** What the function says of a document that has the effect of this request is no answer to it. */
      const refuseIfTaken = () => {
        if (key !== undefined && isKeyTaken(file, key)) throw new IdempotencyKeyTaken(key);
      };
      const decide = (current: T) => {
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
        const change = decide(current);
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
      return unwrapAnswer(await file.write([[sql, 'run', [id, ...tenant, ...of]]])) === 1;
    },
    async claim(request) {
      const rows = unwrapAnswer(await file.write([claimStep(table, institution, request)]));
      return Array.from(rows as readonly unknown[][], (row) => readDocument<T>(row));
    },
  };
};

const completeDocument = <T extends Document>(
  document: New<T>,
  { due, ...own }: Pick<Document, 'version' | 'institution' | 'due'>,
): T => {
  const { due: _, ...rest } = { due: undefined, ...document };
  return { ...rest, ...own, ...(due && { due }) } as Document as T;
};
