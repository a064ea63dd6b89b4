import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EnginesName } from '../deployment/deployment.ts';
import type { Violation } from '../invariants/verdict.ts';

/** What decides every choice of a plan. */
export interface PlanId {
  readonly seed: string;
  /** The part of every row that is played, above 0 and at most 1. */
  readonly share: number;
}

/** A round that was played to its end. */
export interface PlayedRound {
  readonly row: number;
  readonly engines: EnginesName;
  /** The index of the round in its row. */
  readonly round: number;
  /** The commit of the sources; null outside a repository. */
  readonly revision: string | null;
  readonly units: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly checked: number;
  readonly violations: readonly Violation[];
  /** Figures of the round beside those of the table. */
  readonly remarks?: readonly string[];
  readonly seconds: number;
}

/** The file in which a plan notes its rounds, so that an interrupted plan goes on where it was. */
export interface Progress extends PlanId {
  readonly rounds: readonly PlayedRound[];
  /** Whether earlier rounds were found. */
  readonly resumed: boolean;
  add(round: PlayedRound): Promise<void>;
}

/** The file contains a plan with another seed or share than the command line names. */
export class AnotherPlan extends Error {}

const read = async (file: string): Promise<readonly string[]> => {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** A line that a kill cut short is ignored: its round is played again. */
const parsed = (line: string): PlayedRound[] => {
  try {
    return [JSON.parse(line) as PlayedRound];
  } catch {
    return [];
  }
};

/**
 * Opens the progress of a plan. Without a seed or share, those of the file are used; `fresh` begins anew.
 * @throws {AnotherPlan} when the file contains another plan
 */
export const openProgress = async (
  file: string,
  { seed, share, fresh }: { readonly seed?: string | undefined; readonly share?: number | undefined; fresh: boolean },
): Promise<Progress> => {
  const [header, ...lines] = fresh ? [] : await read(file);
  const before = header === undefined ? undefined : (JSON.parse(header) as PlanId);
  const id: PlanId = {
    seed: seed ?? before?.seed ?? `${Date.now() % 1_000_000}`,
    share: share ?? before?.share ?? 1,
  };
  if (before && (before.seed !== id.seed || before.share !== id.share))
    throw new AnotherPlan(
      `${file} has a plan with seed ${before.seed} and share ${before.share}: name these or none, or begin anew with --fresh`,
    );
  const rounds = lines.flatMap(parsed);
  await mkdir(dirname(file), { recursive: true });
  if (!before) await writeFile(file, `${JSON.stringify(id)}\n`);
  return {
    ...id,
    rounds,
    resumed: rounds.length > 0,
    async add(round) {
      rounds.push(round);
      // A line of its own even after one that was cut short.
      await appendFile(file, `\n${JSON.stringify(round)}\n`);
    },
  };
};
