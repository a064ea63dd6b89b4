import type { ParseArgsOptionsConfig } from 'node:util';
import { normaliseLine } from '@boxoffice/http';
import type { DataUse, Installation } from './installation.ts';

export interface Given {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** A command's findings; with a fault the exit status is 1. */
export interface Report {
  readonly kind: 'report';
  readonly wrong: boolean;
  /** Whether it could not be found out; unless something is wrong, the exit status is 2. */
  readonly undecided?: boolean;
  readonly text: string;
  readonly json: object;
}

type Result = Report | readonly object[] | object | string;

export function isReport(result: Result): result is Report {
  return typeof result === 'object' && 'kind' in result && result.kind === 'report';
}

/** A result as a terminal shows it; as one JSON value with `json`. */
export function formatResult(result: Result, json: boolean): string {
  if (isReport(result)) return json ? JSON.stringify(result.json, null, 2) : result.text;
  if (json) return JSON.stringify(typeof result === 'string' ? { message: result } : result, null, 2);
  if (typeof result === 'string') return result;
  if (!Array.isArray(result)) return recordOf(result);
  return result.length === 0 ? 'none' : tableOf(result);
}

const recordOf = (record: object): string => {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    .join('\n');
};

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const tableOf = (records: readonly object[]): string => {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = [
    columns,
    ...records.map((record) => columns.map((name) => cell((record as Record<string, unknown>)[name]))),
  ];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

export interface Command {
  /** `clients create` */
  readonly name: string;
  /** Words, optional ones in brackets, then options: `INSTITUTION [HOST] --name NAME [--watch]` */
  readonly usage: string;
  readonly about: string;
  readonly data?: DataUse;
  run(installation: Installation, given: Given): Promise<Result>;
}

export function parseWords(usage: string): {
  readonly required: readonly string[];
  readonly optional: readonly string[];
} {
  const [words = ''] = /^(?:\[?[A-Z_]+\]?(?: |$))*/.exec(usage) ?? [];
  const all = words.split(' ').filter((word) => word !== '');
  return {
    required: all.filter((word) => !word.startsWith('[')),
    optional: all.filter((word) => word.startsWith('[')),
  };
}

export function parseOptions(usage: string): ParseArgsOptionsConfig {
  return Object.fromEntries(
    [...usage.matchAll(/--(?!no-)([a-z-]+)( [^\s\]|]+)?/g)].map(([, name = '', value]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  );
}

/** The command line is invalid, for the reason in the message. Exit status 2, with the usage. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** The option's text. @throws {Misuse} when it is absent */
export function requireOption({ options }: Given, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value.trim() === '') throw new Misuse(`--${name} is missing`);
  return value;
}

/** The text of --name, normalised and with at most `longest` characters as in the interface. @throws {Misuse} */
export function requireName(given: Given, longest = 100): string {
  const name = normaliseLine(requireOption(given, 'name'));
  if (name === '' || /\p{Cc}/u.test(name)) throw new Misuse('--name is blank or has control characters');
  if ([...name].length > longest) throw new Misuse(`--name has ${[...name].length} characters; at most ${longest} fit`);
  return name;
}

/** A comma-separated option as a list, each entry once; absent: the default. */
export function parseList({ options }: Given, name: string, otherwise: readonly string[] = []): string[] {
  const value = options[name];
  if (typeof value !== 'string') return [...otherwise];
  const parts = value.split(',').map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}

export async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The least interval of updates on a terminal, and of lines in a file or a pipe. */
const TERMINAL_MS = 100;
const FILE_MS = 10_000;

/**
 * Creates an empty progress line on standard error, since standard output is for results: rewritten in place on a
 * terminal; elsewhere a new line at intervals.
 */
export function createProgress(name: string, output: Output = process.stderr) {
  const startedAt = performance.now();
  let reportedAt = output.isTTY ? Number.NEGATIVE_INFINITY : startedAt;
  let open = false;
  return {
    tell(what: string): void {
      const now = performance.now();
      if (now - reportedAt < (output.isTTY ? TERMINAL_MS : FILE_MS)) return;
      reportedAt = now;
      const line = `${name}: ${what}, ${((now - startedAt) / 1_000).toFixed(0)} s`;
      if (output.isTTY) output.write(`\r\x1b[2K${line.slice(0, (output.columns ?? 80) - 1)}`);
      else output.write(`${line}\n`);
      open = output.isTTY === true;
    },
    /** Removes the line. */
    end(): void {
      if (open) output.write('\r\x1b[2K');
      open = false;
    },
  };
}
