import type { EnginesName } from './deployment/deployment.ts';
import type { Violation } from './invariants/verdict.ts';
import { countsOf } from './round/journal.ts';
import type { Round } from './round/round.ts';
import type { Settled } from './round/settle.ts';

/** The totals of all rounds of a scenario on one deployment. */
export interface Row {
  readonly engines: EnginesName;
  readonly scenario: string;
  rounds: number;
  acknowledged: number;
  refused: number;
  unknown: number;
  faults: number;
  checked: number;
  violations: number;
  seconds: number;
}

/** Adds up the rounds that were played. */
export interface Tally {
  readonly rows: readonly Row[];
  readonly violations: readonly (Violation & { readonly where: string })[];
  add(engines: EnginesName, round: Round, settled: Settled, seconds: number): void;
}

/** Creates an empty tally. */
export const createTally = (): Tally => {
  const rows: Row[] = [];
  const violations: (Violation & { where: string })[] = [];
  const rowOf = (engines: EnginesName, scenario: string): Row => {
    const known = rows.find((row) => row.engines === engines && row.scenario === scenario);
    if (known) return known;
    const counts = { rounds: 0, acknowledged: 0, refused: 0, unknown: 0, faults: 0, checked: 0, violations: 0 };
    const row = { engines, scenario, ...counts, seconds: 0 };
    rows.push(row);
    return row;
  };
  return {
    rows,
    violations,
    add(engines, round, settled, seconds) {
      const row = rowOf(engines, round.scenario);
      const { ok, refused, unknown } = countsOf(round.journal);
      row.rounds += 1;
      row.acknowledged += ok;
      row.refused += refused;
      row.unknown += unknown;
      row.faults += round.faults.length;
      row.checked += settled.checked;
      row.violations += settled.violations.length;
      row.seconds += seconds;
      for (const violation of settled.violations)
        violations.push({ ...violation, where: `${engines} ${round.reference}` });
    },
  };
};

const columns = [
  'engines',
  'scenario',
  'rounds',
  'acknowledged',
  'refused',
  'unknown',
  'faults',
  'checked',
  'violations',
  'seconds',
] as const;

/** The final table, as lines. */
export const tableOf = (rows: readonly Row[]): string[] => {
  const cells = [
    [...columns],
    ...rows.map((row) => columns.map((name) => (name === 'seconds' ? row.seconds.toFixed(1) : String(row[name])))),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const aligned = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return cells.map((line) => line.map(aligned).join('  ').trimEnd());
};
