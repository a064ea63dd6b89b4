import { openApi } from '../client/api.ts';
import type { Deployment, EnginesName } from '../deployment/deployment.ts';
import { createTally, type Tally, tableOf } from '../report.ts';
import { countsOf, failuresOf } from '../round/journal.ts';
import { playRound, printFailure } from '../round/play.ts';
import { randomFrom } from '../round/random.ts';
import { scenariosFor } from './index.ts';

export interface ScenariosOptions {
  readonly minutes: number;
  readonly seed: string;
  readonly engines: readonly EnginesName[];
  /** The names of the scenarios to play. */
  readonly scenarios: readonly string[];
  readonly start: (engines: EnginesName) => Promise<Deployment>;
  readonly print: (line: string) => void;
}

/** Plays one scenario after the other until the deadline, each at least once. */
const playUntil = async (
  deadline: number,
  deployment: Deployment,
  { scenarios, seed, print }: ScenariosOptions,
  tally: Tally,
): Promise<void> => {
  const { engines } = deployment;
  const api = openApi(deployment);
  const chosen = scenariosFor(deployment).filter(({ name }) => scenarios.includes(name));
  if (chosen.length === 0) print(`skipped: the ${engines} deployment supports none of ${scenarios.join(', ')}`);
  for (let turn = 1; chosen.length > 0 && (turn === 1 || Date.now() < deadline); turn++) {
    for (const { name, play } of chosen) {
      if (turn > 1 && Date.now() > deadline) break;
      const reference = `${name}-${engines}-${turn}`;
      const random = randomFrom(`${seed}/${reference}`);
      const { round, settled, seconds } = await playRound(play, { deployment, api, random, reference, size: 'long' });
      tally.add(engines, round, settled, seconds);
      const verdict = settled.violations.length === 0 ? `quiet after ${settled.seconds.toFixed(1)} s` : 'VIOLATIONS';
      const { ok, refused, unknown } = countsOf(round.journal);
      const { failed, cancelled } = failuresOf(round.journal.checkouts);
      const failures = failed === 0 ? '' : `, ${failed} checkouts answered 500 (${cancelled} reported as cancelled)`;
      const faults = round.faults.length === 0 ? '' : `, ${round.faults.length} faults`;
      print(
        `${reference}: ${ok + refused + unknown} requests${failures}${faults}, ${verdict} (${seconds.toFixed(1)} s in all)`,
      );
      if (settled.violations.length > 0) await printFailure(deployment, round, settled, print);
    }
  }
};

/**
 * Plays scenarios for so many minutes, divided between the deployments, and prints the table of the results. Returns
 * the number of violations; undefined if no scenario could be played.
 */
export const runScenarios = async (options: ScenariosOptions): Promise<number | undefined> => {
  const { minutes, seed, engines, start, print } = options;
  print(`faults: seed ${seed}, ${minutes} minutes, ${options.scenarios.join(', ')}`);
  const tally = createTally();
  for (const name of engines) {
    const deployment = await start(name);
    try {
      const share = (minutes * 60_000) / engines.length;
      await playUntil(Date.now() + share, deployment, options, tally);
    } catch (error) {
      for (const process of deployment.processes) print(`${process.name} printed:\n${process.output()}`);
      throw error;
    } finally {
      await deployment.close();
    }
  }
  if (tally.rows.length === 0) return undefined;
  print('');
  for (const line of tableOf(tally.rows)) print(line);
  print('');
  for (const { where, invariant, text } of tally.violations.slice(0, 100)) print(`${where} ${invariant}: ${text}`);
  return tally.violations.length;
};
