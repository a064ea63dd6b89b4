// The fault plan: every kind of fault, how often it is played on each set of engines, and the table of the results.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openApi } from '../client/api.ts';
import type { Deployment, EnginesName } from '../deployment/deployment.ts';
import { countsOf } from '../round/journal.ts';
import { playRound, printFailure } from '../round/play.ts';
import { randomFrom } from '../round/random.ts';
import type { PlayedRound, Progress } from './progress.ts';
import { type PlannedRound, type PlanRow, portions, type Stage } from './row.ts';
import { unitsOf } from './table.ts';

export interface PlanOptions {
  readonly rows: readonly PlanRow[];
  readonly engines: readonly EnginesName[];
  readonly progress: Progress;
  /** Starts a deployment for rounds that bring none of their own. */
  readonly start: (engines: EnginesName) => Promise<Deployment>;
  readonly print: (line: string) => void;
}

const revisionOf = async (): Promise<string | null> => {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD']);
    return stdout.trim();
  } catch {
    return null;
  }
};

/** Plays one round and returns what the table counts. */
const playOne = async (
  { deployment, api }: Stage,
  row: PlanRow,
  index: number,
  { units, play }: PlannedRound,
  { progress, print }: PlanOptions,
): Promise<Omit<PlayedRound, 'revision'>> => {
  const { engines } = deployment;
  // A repeated round, after an interruption, must not meet the data of its first try.
  const reference = `plan-${row.number}-${index}-${Date.now().toString(36)}`;
  const random = randomFrom(`${progress.seed}/${engines}/${row.number}/${index}`);
  const { round, settled, seconds } = await playRound(play, { deployment, api, random, reference, size: 'long' });
  const { ok: acknowledged, refused, unknown } = countsOf(round.journal);
  if (settled.violations.length > 0) await printFailure(deployment, round, settled, print);
  const { checked, violations } = settled;
  return {
    row: row.number,
    engines,
    round: index,
    units,
    acknowledged,
    refused,
    unknown,
    checked,
    violations,
    ...(round.remarks.length === 0 ? {} : { remarks: round.remarks }),
    seconds,
  };
};

/** The indexes of the rounds that were played before. */
const playedBefore = ({ rounds }: Progress, row: PlanRow, engines: EnginesName): ReadonlySet<number> =>
  new Set(rounds.filter((one) => one.row === row.number && one.engines === engines).map(({ round }) => round));

const printRound = (
  { row, engines, round, units, violations, seconds, remarks = [] }: Omit<PlayedRound, 'revision'>,
  unit: string,
  of: number,
  print: (line: string) => void,
): void => {
  const verdict = violations.length === 0 ? 'no violation' : `${violations.length} VIOLATIONS`;
  print(`row ${row} ${engines}, round ${round + 1} of ${of}: ${units} ${unit}, ${verdict} (${seconds.toFixed(1)} s)`);
  for (const remark of remarks) print(`  ${remark}`);
};

/** Plays the rounds of a row that are left. */
const playRounds = async (
  row: PlanRow & { readonly play: { readonly kind: 'rounds' } },
  engines: EnginesName,
  options: PlanOptions,
  note: (played: Omit<PlayedRound, 'revision'>) => Promise<void>,
): Promise<void> => {
  const { progress, print } = options;
  const random = randomFrom(`${progress.seed}/${engines}/${row.number}`);
  const rounds = row.play.rounds(unitsOf(row, engines, progress.share), random, engines);
  const done = playedBefore(progress, row, engines);
  let stage: Stage | undefined;
  try {
    for (const [index, round] of rounds.entries()) {
      if (done.has(index)) continue;
      if (!stage) {
        const deployment = await (row.play.start ?? options.start)(engines);
        stage = { deployment, api: openApi(deployment) };
      }
      const played = await playOne(stage, row, index, round, options);
      await note(played);
      printRound(played, row.unit, rounds.length, print);
      if (played.violations.length === 0) continue;
      // What is wrong now would be found again in every later round.
      await stage.deployment.close();
      stage = undefined;
    }
  } catch (error) {
    for (const { name, output } of stage?.deployment.processes ?? []) print(`${name} printed:\n${output()}`);
    throw error;
  } finally {
    await stage?.deployment.close();
  }
};

/** Plays the parts of a suite that are left. */
const playSuite = async (
  row: PlanRow & { readonly play: { readonly kind: 'suite' } },
  engines: EnginesName,
  { progress, print }: PlanOptions,
  note: (played: Omit<PlayedRound, 'revision'>) => Promise<void>,
): Promise<void> => {
  const parts = portions(unitsOf(row, engines, progress.share), row.play.most);
  const done = playedBefore(progress, row, engines);
  for (const [round, units] of parts.entries()) {
    if (done.has(round)) continue;
    const startedAt = performance.now();
    const { checked, violations } = await row.play.run(units, `${progress.seed}/${round}`, engines);
    const seconds = (performance.now() - startedAt) / 1000;
    const none = { acknowledged: 0, refused: 0, unknown: 0 };
    const played = { row: row.number, engines, round, units, ...none, checked, violations, seconds };
    await note(played);
    printRound(played, row.unit, parts.length, print);
    for (const { text } of violations) print(`  ${text}`);
  }
};

/** Plays what is left of the rows and notes each round. @throws {Error} when the harness itself fails */
export const playPlan = async (options: PlanOptions): Promise<void> => {
  const { rows, progress, print } = options;
  const revision = await revisionOf();
  const note = (played: Omit<PlayedRound, 'revision'>) => progress.add({ ...played, revision });
  for (const engines of options.engines) {
    for (const row of rows) {
      if (row.times[engines] === undefined) continue;
      const lacking = row.lacks?.(engines);
      if (lacking !== undefined) {
        print(`row ${row.number} ${engines}: not played, ${lacking}`);
        continue;
      }
      const missing = row.lacksPart?.(engines);
      if (missing !== undefined) print(`row ${row.number} ${engines}: played in part, ${missing}`);
      const { play } = row;
      if (play.kind === 'rounds') await playRounds({ ...row, play }, engines, options, note);
      else await playSuite({ ...row, play }, engines, options, note);
    }
  }
};
