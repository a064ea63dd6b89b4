import type { DatabaseSync } from 'node:sqlite';
import { requireWork } from '../due.ts';
import { requireDeclaration, requirePath } from '../engines.ts';
import type { Collection, Document, Index } from '../port.ts';
import type { Table } from './writer/protocol.ts';

/** The columns that every table has; every other field is read from the body. */
const ownColumns: ReadonlySet<string> = new Set(['id', 'institution', 'version']);

/** The column of a field that an index names. @throws for anything but a dotted path */
export function toColumn(field: string): string {
  return ownColumns.has(requirePath(field)) ? field : `"$${field}"`;
}

export function buildExtraction(field: string): string {
  return `json_extract(body, '$.${field}')`;
}

export function toIndexName(table: string, index: string): string {
  return `${table}.${index}`;
}

export type TableInfo = ReturnType<typeof createTableInfo>;

export function createTableInfo({ name, indexes, work: declared }: Collection<Document>) {
  const work = requireWork(name, declared);
  const unique = new Map([[`${name}.id`, 'id']]);
  for (const index of indexes.filter((one) => one.unique)) {
    const columns = indexColumns(index).map((one) => `${name}.${one.replaceAll('"', '')}`);
    unique.set(columns.join(', '), index.name);
  }
  return {
    name,
    /** The declared names of work; with any, the table has the columns of due work. */
    work,
    read: work.size > 0 ? 'institution, version, body, due' : 'institution, version, body',
    /** The declared name of a unique index by its columns, as SQLite reports them. */
    unique,
    indexes: new Set(indexes.map((index) => index.name)),
    indexed: new Set(indexes.flatMap((index) => index.fields.map(toColumn))),
  };
}

/** A plain one ends with the id, the tie-break of every order, so that it alone gives a page; a unique one must not. */
const indexColumns = (index: Index): readonly string[] => {
  const columns = [...(index.acrossInstitutions ? [] : ['institution']), ...index.fields.map(toColumn)];
  return index.unique || columns.includes('id') ? columns : [...columns, 'id'];
};

/** The table of a collection. @throws if a name in it is not allowed */
export function describeTable(collection: Collection<Document>): Table {
  requireDeclaration(collection);
  const { name, indexes } = collection;
  const columns: Record<string, string> = {};
  const statements: Record<string, string> = {};
  for (const index of indexes) {
    for (const field of index.fields)
      if (toColumn(field).startsWith('"')) columns[`$${field}`] = buildExtraction(field);
    const unique = index.unique ? 'UNIQUE ' : '';
    const full = toIndexName(name, index.name);
    statements[full] = `CREATE ${unique}INDEX "${full}" ON "${name}" (${indexColumns(index).join(', ')})`;
  }
  if ((collection.work ?? []).length === 0) return { name, columns, indexes: statements };
  const due = toIndexName(name, '$due');
  statements[due] = `CREATE INDEX "${due}" ON "${name}" (due_at, id) WHERE due_at IS NOT NULL`;
  return { name, columns, indexes: statements, due: true };
}

// Rows are appended and their random keys are in small indexes: fewer pages change than with the rows in key order.
const ownTables = `
  CREATE TABLE IF NOT EXISTS "$outbox" (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, event TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS "$answers" (
    row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, expires_at INTEGER NOT NULL,
    answer TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS "$answers.expiry" ON "$answers" (expires_at);
  CREATE TABLE IF NOT EXISTS "$subjects" (
    subject TEXT, key TEXT, expires_at INTEGER NOT NULL, PRIMARY KEY (subject, key)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS "$subjects.expiry" ON "$subjects" (expires_at);
  DROP TABLE IF EXISTS "$leases";`;

/** In one transaction: instances that start at once wait for each other. Undeclared tables stay. */
export function migrate(database: DatabaseSync, tables: readonly Table[]): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(ownTables);
    for (const table of tables) migrateTable(database, table);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

const migrateTable = (database: DatabaseSync, table: Table) => {
  database.exec(`CREATE TABLE IF NOT EXISTS "${table.name}" (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, institution TEXT NOT NULL, version INTEGER NOT NULL,
    body TEXT NOT NULL) STRICT`);
  const columns = new Set(
    database
      .prepare('SELECT name FROM pragma_table_xinfo(?)')
      .all(table.name)
      .map((row) => String(row.name)),
  );
  for (const [name, expression] of Object.entries(table.columns)) {
    if (columns.has(name)) continue;
    database.exec(`ALTER TABLE "${table.name}" ADD COLUMN "${name}" ANY GENERATED ALWAYS AS (${expression}) VIRTUAL`);
  }
  if (table.due && !columns.has('due'))
    database.exec(
      `ALTER TABLE "${table.name}" ADD COLUMN due TEXT; ALTER TABLE "${table.name}" ADD COLUMN due_at REAL`,
    );
  const existing = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(table.name);
  const unchanged = new Set<unknown>();
  for (const { name, sql } of existing) {
    if (table.indexes[String(name)] === sql) unchanged.add(name);
    else database.exec(`DROP INDEX "${name}"`);
  }
  for (const [name, sql] of Object.entries(table.indexes)) {
    if (unchanged.has(name)) continue;
    try {
      database.exec(sql);
    } catch (error) {
      throw new Error(`index ${name} cannot be created: ${(error as Error).message}`, { cause: error });
    }
  }
};
