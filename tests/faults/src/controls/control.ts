import type { EnginesName } from '../deployment/deployment.ts';
import type { Mutation } from '../inside/orders.ts';
import type { Violation } from '../invariants/verdict.ts';
import type { Scenario } from '../round/round.ts';

/** A bug that the plan must catch, planted in the running product. */
export interface Control {
  /** As `--control` names it. */
  readonly name: string;
  /** The programmer's mistake, in words; docs/reliability.md has the same text. */
  readonly bug: string;
  readonly engines: EnginesName;
  readonly mutations: readonly Mutation[];
  /** The scenario that catches it, played until it does. */
  readonly scenario: Scenario;
  /** The expectation of the scenario itself that speaks of this bug; without one only the invariants count. */
  readonly expectation?: RegExp;
}

/** Whether the violation shows the bug: one of an invariant, or of the expectation that the control names. */
export const shows = ({ expectation }: Pick<Control, 'expectation'>, { invariant, text }: Violation): boolean =>
  invariant !== 'round' || expectation?.test(text) === true;

/**
 * The SQLite writer thread starts without the program's arguments; with this it has them, and so the mutations of its
 * own sources.
 */
export const inWriterThread: Mutation = {
  file: 'libs/store/src/sqlite/writer/thread.ts',
  from: 'execArgv: [],',
  to: 'execArgv: process.execArgv,',
};
