import { isReport, type Result } from './command.ts';

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

const recordOf = (record: object): string => {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    .join('\n');
};

/** A result as a terminal shows it; as one JSON value with `json`. */
export const printed = (result: Result, json: boolean): string => {
  if (isReport(result)) return json ? JSON.stringify(result.json, null, 2) : result.text;
  if (json) return JSON.stringify(typeof result === 'string' ? { message: result } : result, null, 2);
  if (typeof result === 'string') return result;
  if (!Array.isArray(result)) return recordOf(result);
  return result.length === 0 ? 'none' : tableOf(result);
};
