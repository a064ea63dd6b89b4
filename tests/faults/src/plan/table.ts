import type { EnginesName } from '../deployment/deployment.ts';
import type { PlanId, PlayedRound } from './progress.ts';
import type { PlanRow } from './row.ts';

/** How many of a row's faults a share of the plan plays on these engines: at least one where it plays any. */
export const unitsOf = ({ times }: PlanRow, engines: EnginesName, share: number): number => {
  const whole = times[engines];
  return whole === undefined ? 0 : Math.max(1, Math.round(whole * share));
};

const sum = (rounds: readonly PlayedRound[], of: (round: PlayedRound) => number): number =>
  rounds.reduce((total, round) => total + of(round), 0);

const figure = (value: number): string => value.toLocaleString('en');

/** The reason in the table for a row that could not be played. */
export type NotPlayed = (row: PlanRow, engines: EnginesName) => string | undefined;

const lineOf = (
  row: PlanRow,
  engines: EnginesName,
  share: number,
  played: readonly PlayedRound[],
  notPlayed: NotPlayed,
): string => {
  const rounds = played.filter((one) => one.row === row.number && one.engines === engines);
  const wanted = unitsOf(row, engines, share);
  const cells = [row.number, row.fault, engines];
  if (rounds.length === 0) {
    const why = notPlayed(row, engines) ?? 'not played yet';
    return `| ${[...cells, `0 of ${figure(wanted)} ${row.unit}`, why, '', ''].join(' | ')} |`;
  }
  const requests = sum(rounds, ({ acknowledged, refused, unknown }) => acknowledged + refused + unknown);
  const violations = sum(rounds, (round) => round.violations.length);
  const units = sum(rounds, (round) => round.units);
  const missing = units < wanted ? row.lacksPart?.(engines) : undefined;
  const count = `${figure(units)} of ${figure(wanted)} ${row.unit}${missing === undefined ? '' : `; ${missing}`}`;
  return `| ${[...cells, count, figure(requests), figure(sum(rounds, (round) => round.checked)), figure(violations)].join(' | ')} |`;
};

/** The text in lines of at most 120 columns. */
const wrapped = (text: string): string => text.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();

/** The table of a plan, in Markdown. */
export const planTable = (
  rows: readonly PlanRow[],
  { seed, share }: PlanId,
  played: readonly PlayedRound[],
  notPlayed: NotPlayed,
): string => {
  const revisions = [...new Set(played.flatMap(({ revision }) => revision?.slice(0, 10) ?? []))];
  const minutes = Math.round(sum(played, ({ seconds }) => seconds) / 60);
  const lines = rows.flatMap((row) =>
    (['embedded', 'scaled'] as const)
      .filter((engines) => row.times[engines] !== undefined)
      .map((engines) => lineOf(row, engines, share, played, notPlayed)),
  );
  const from = revisions.length === 0 ? '' : `, revision ${revisions.join(', ')}`;
  return [
    wrapped(`Seed ${seed}, ${Number((share * 100).toFixed(2))} % of every row${from}, ${minutes} minutes:`),
    '',
    '| row | fault | engines | played | requests | checks | violations |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
};
