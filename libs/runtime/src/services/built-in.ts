import { readFileSync } from 'node:fs';
import { checkRows } from './check.ts';
import type { ServiceRow } from './rows.ts';

// Of the package, beside `src` and `dist`.
const FILE = new URL('../../services.json', import.meta.url);

/** The services of the product: the list without a SERVICES_FILE. */
export const builtInRows: readonly ServiceRow[] = JSON.parse(readFileSync(FILE, 'utf8'));

const builtIn: ReadonlySet<string> = new Set(builtInRows.map(({ name }) => name));

/** Whether the product itself has a service of this name. */
export const isBuiltIn = (name: string): boolean => builtIn.has(name);

const EMPTY = { prefixes: [], domains: [], open: [], sessions: [], pages: [], calls: [], publishes: [], consumes: [] };

/**
 * The built-in rows and, below them, those of a file's text; a row with the name of a built-in service sets its url.
 * @throws {RowsFault} naming each wrong row, and why
 */
export const rowsWith = (text: string): readonly ServiceRow[] => {
  const added = checkRows(text, builtInRows);
  const addressed = builtInRows.map((row) => ({ ...row, ...added.find(({ name }) => name === row.name) }));
  return [...addressed, ...added.filter(({ name }) => !isBuiltIn(name))].map((row) => ({ ...EMPTY, ...row }));
};
