// Measurement: processes under test, CPU time, intervals and reports.

export interface Target {
  readonly what: string;
  readonly target: string;
  readonly reached: string;
  readonly met: boolean;
}

interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly targets: readonly Target[];
}

export interface Benchmark {
  readonly about: string;
  /** Whether a missed target is a failure of the program. */
  readonly strict?: boolean;
  /** What this machine or the options lack to run it, and how to get it; undefined if nothing. */
  findMissing?(options: Readonly<Record<string, string>>): string | undefined;
  run(progress: (line: string) => void, options: Readonly<Record<string, string>>): Promise<Result>;
}

/** The value at quantile q (0 to 1) of some measurements, NaN of none. */
export function computeQuantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export function computeMedian(values: readonly number[]): number {
  return computeQuantile(values, 0.5);
}

/** A target that a measurement reaches from above. */
export function createMinimumTarget(what: string, reached: number, least: number, unit = '×'): Target {
  return {
    what,
    target: `≥ ${least} ${unit}`,
    reached: `${round(reached)} ${unit}`,
    met: reached >= least,
  };
}

const round = (value: number): number => Number(value.toPrecision(3));

export function createMaximumTarget(what: string, reached: number, most: number, unit: string): Target {
  return {
    what,
    target: `≤ ${most} ${unit}`,
    reached: `${round(reached)} ${unit}`,
    met: reached <= most,
  };
}

export function formatTable(name: string, about: string, { columns, rows, targets }: Result): string {
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
}

/** The median of some values and an interval that contains the true median with at least 95 % probability. */
export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The fewest values that bound a median with 95 % probability. */
const FEWEST = 6;

/** Undefined if they are enough, as they are by default. */
export function findTooFewPairs(pairs: string = String(FEWEST)): string | undefined {
  return Number(pairs) >= FEWEST ? undefined : `needs --pairs of at least ${FEWEST}, not ${pairs}`;
}

/**
 * Bounds the median of independent values by two of them, without an assumption about their distribution (the sign
 * test's interval): each value is below the true median with probability one half. @throws {RangeError} for fewer than
 * six values
 */
export function computeMedianInterval(values: readonly number[]): MedianInterval {
  const count = values.length;
  if (count < FEWEST) throw new RangeError(`${count} values do not bound a median with 95 % probability`);
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  // Drops as many values at either end as keep the probability of a miss at that end below 2.5 %.
  let dropped = -1;
  let term = 0.5 ** count;
  for (let tail = term; tail <= 0.025; tail += term) {
    dropped += 1;
    term *= (count - dropped) / (dropped + 1);
  }
  const middle = (at(Math.floor((count - 1) / 2)) + at(Math.ceil((count - 1) / 2))) / 2;
  return { median: middle, low: at(dropped), high: at(count - 1 - dropped) };
}
