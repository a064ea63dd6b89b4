/** The result of one step. */
export interface Row {
  readonly step: string;
  readonly ok: boolean;
  readonly what: string;
  readonly seconds: number;
}

/** Aligns rows in columns; the first row is the header. */
export const inColumns = (rows: readonly (readonly string[])[]): string[] => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** The final table, as lines. */
export const tableOf = (rows: readonly Row[]): string[] =>
  inColumns([
    ['step', '', 'seconds', 'what'],
    ...rows.map(({ step, ok, what, seconds }) => [step, ok ? 'ok' : 'FAILED', seconds.toFixed(1).padStart(7), what]),
  ]);
