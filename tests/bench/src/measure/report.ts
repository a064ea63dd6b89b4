// Measurement: processes under test, CPU time, comparisons and reports.

/** One benchmark's result: rows of measurements, and the targets. */
export interface Report {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Targets with the measured value: ratios within this one run. */
  readonly targets: readonly {
    readonly what: string;
    readonly target: string;
    readonly reached: string;
    readonly met: boolean;
  }[];
}

/** A benchmark: measures, reports its progress, and returns a report. */
export interface Benchmark {
  readonly about: string;
  /** Whether a missed target is a failure of the program. */
  readonly strict?: boolean;
  run(progress: (line: string) => void, options: Readonly<Record<string, string>>): Promise<Report>;
}

/** Rounds to three significant digits. */
export const round = (value: number): number => Number(value.toPrecision(3));

/** The value at quantile q (0 to 1) of some measurements, NaN of none. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};

/** The probability that one of some measurements exceeds one of others; ties count half. 0.5 of equal distributions. */
export const exceeding = (some: readonly number[], others: readonly number[]): number => {
  const wins = some.flatMap((one) => others.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)));
  return wins.reduce((sum: number, win) => sum + win, 0) / wins.length;
};

/** The report as a table for a terminal. */
export const table = ({ name, about, columns, rows, targets }: Report): string => {
  const cells = [columns, ...rows.map((row) => row.map((cell) => `${typeof cell === 'number' ? round(cell) : cell}`))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return [
    `${name}: ${about}`,
    ...cells.map(line),
    ...targets.map(({ what, target, reached, met }) => `${met ? '✓' : '✗'} ${what}: ${reached} (target ${target})`),
    '',
  ].join('\n');
};
