import type { Client } from '@boxoffice/testkit';
import type { Deployment, EnginesName } from '../deployment/deployment.ts';
import type { Violation } from '../invariants/verdict.ts';
import type { Random } from '../round/random.ts';
import type { Context, Round } from '../round/round.ts';

/** One round of a row: a scenario with the size that the plan gives it. */
export interface PlannedRound {
  /** How many of the row's faults it plays. */
  readonly units: number;
  play(context: Context): Promise<Round>;
}

/** What a suite found that runs without a deployment. */
export interface SuiteResult {
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** How a row is played: in rounds on a deployment, or as a suite of its own. */
export type RowPlay =
  | {
      readonly kind: 'rounds';
      /** Starts the deployment that the rounds need; default: {@link startDeployment} of `main.ts`. */
      readonly start?: (engines: EnginesName) => Promise<Deployment>;
      /** The rounds that together play `count` faults; the seed decides them. */
      rounds(count: number, random: Random, engines: EnginesName): readonly PlannedRound[];
    }
  | {
      readonly kind: 'suite';
      /** How many units one run has at most: an interrupted row goes on after the last run that ended. */
      readonly most: number;
      run(count: number, seed: string, engines: EnginesName): Promise<SuiteResult>;
    };

/** A row of the fault plan: one kind of fault, and how often it is played on each set of engines. */
export interface PlanRow {
  /** As `--row` names it. */
  readonly number: number;
  /** The fault, in words; docs/reliability.md has the same text. */
  readonly fault: string;
  /** The unit of `times`, in the plural. */
  readonly unit: string;
  /** How often the whole plan plays it; absent where the engines have no such fault. */
  readonly times: Readonly<Partial<Record<EnginesName, number>>>;
  /** Why it cannot be played on this machine; undefined if it can. */
  readonly lacks?: (engines: EnginesName) => string | undefined;
  /** Why a part of its faults cannot be played on this machine; the others are. */
  readonly lacksPart?: (engines: EnginesName) => string | undefined;
  readonly play: RowPlay;
}

/** A deployment in use, with the partner's client. */
export interface Stage {
  readonly deployment: Deployment;
  readonly api: Client;
}

/** Divides `count` into rounds of at most `most`. */
export const portions = (count: number, most: number): number[] => {
  const rounds = Math.ceil(count / most);
  return Array.from({ length: rounds }, (_, index) => Math.min(most, count - index * most));
};

/** `count` of them, each as often as the others. */
export const inTurns = <T>(from: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, index) => from[index % from.length] as T);
