// The fault plan: rounds of partners and visitors on a deployment whose parts fail, and the table of their results.

import { openApi } from './client/api.ts';
import { type FaultsOptions, readCommandLine, USAGE } from './command-line.ts';
import type { Deployment, EnginesName } from './deployment/deployment.ts';
import { startEmbedded } from './deployment/embedded.ts';
import { NO_SCALED_ENGINES, scaledEngines, startScaled } from './deployment/scaled.ts';
import { createTally, type Tally, tableOf } from './report.ts';
import { countsOf, failuresOf } from './round/journal.ts';
import { randomFrom } from './round/random.ts';
import type { Round } from './round/round.ts';
import { settle } from './round/settle.ts';
import { scenarios, scenariosFor } from './scenarios/index.ts';

// npm run faults

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the processes' output after a round with violations. */
const printProcessOutput = ({ processes }: Deployment, { faults }: Round): void => {
  if (faults.length > 0) print(`  faults: ${faults.join(', ')}`);
  for (const { name, output } of processes) {
    for (const line of output().trim().split('\n').slice(-10)) print(`  ${name}: ${line.slice(0, 500)}`);
  }
};

/** Plays one scenario after the other until the deadline, each at least once. */
const playUntil = async (
  deadline: number,
  deployment: Deployment,
  options: FaultsOptions,
  tally: Tally,
): Promise<void> => {
  const { engines } = deployment;
  const api = openApi(deployment);
  const chosen = scenariosFor(deployment).filter(({ name }) => options.scenarios.includes(name));
  if (chosen.length === 0) print(`skipped: the ${engines} deployment supports none of ${options.scenarios.join(', ')}`);
  for (let turn = 1; chosen.length > 0 && (turn === 1 || Date.now() < deadline); turn++) {
    for (const scenario of chosen) {
      if (turn > 1 && Date.now() > deadline) break;
      const startedAt = performance.now();
      const reference = `${scenario.name}-${engines}-${turn}`;
      const random = randomFrom(`${options.seed}/${reference}`);
      const round = await scenario.play({ deployment, api, random, reference, size: 'long' });
      const settled = await settle(deployment, api, [round]);
      await round.afterwards?.();
      const seconds = (performance.now() - startedAt) / 1000;
      tally.add(engines, round, settled, seconds);
      const verdict = settled.violations.length === 0 ? `quiet after ${settled.seconds.toFixed(1)} s` : 'VIOLATIONS';
      const { ok, refused, unknown } = countsOf(round.journal);
      const { failed, cancelled } = failuresOf(round.journal.checkouts);
      const failures = failed === 0 ? '' : `, ${failed} checkouts answered 500 (${cancelled} reported as cancelled)`;
      const faults = round.faults.length === 0 ? '' : `, ${round.faults.length} faults`;
      print(
        `${reference}: ${ok + refused + unknown} requests${failures}${faults}, ${verdict} (${seconds.toFixed(1)} s in all)`,
      );
      for (const { invariant, text } of settled.violations.slice(0, 20)) print(`  ${invariant}: ${text}`);
      if (settled.violations.length > 0) printProcessOutput(deployment, round);
    }
  }
};

/** The exit statuses, as the usage explains them. */
const [CLEAN, VIOLATED, NOT_PLAYED] = [0, 1, 2];

const starter = (engines: EnginesName): (() => Promise<Deployment>) | undefined => {
  if (engines === 'embedded') return () => startEmbedded();
  const scaled = scaledEngines(process.env);
  return scaled && (() => startScaled(scaled));
};

const run = async (options: FaultsOptions): Promise<number> => {
  const { minutes, seed } = options;
  print(`faults: seed ${seed}, ${minutes} minutes, ${options.scenarios.join(', ')}`);
  const starters = options.engines.flatMap((engines) => starter(engines) ?? []);
  if (starters.length < options.engines.length) {
    if (options.enginesNamed) {
      process.stderr.write(`${NO_SCALED_ENGINES}\n`);
      return NOT_PLAYED;
    }
    print(`skipped: ${NO_SCALED_ENGINES}`);
  }
  const tally = createTally();
  for (const start of starters) {
    const deployment = await start();
    try {
      const share = (minutes * 60_000) / starters.length;
      await playUntil(Date.now() + share, deployment, options, tally);
    } catch (error) {
      for (const process of deployment.processes) print(`${process.name} printed:\n${process.output()}`);
      throw error;
    } finally {
      await deployment.close();
    }
  }
  if (tally.rows.length === 0) {
    process.stderr.write('no scenario was played\n');
    return NOT_PLAYED;
  }
  print('');
  for (const line of tableOf(tally.rows)) print(line);
  print('');
  for (const { where, invariant, text } of tally.violations.slice(0, 100)) print(`${where} ${invariant}: ${text}`);
  const count = tally.violations.length;
  print(count === 0 ? `no violation; seed ${seed}` : `${count} violations; seed ${seed}`);
  return count === 0 ? CLEAN : VIOLATED;
};

const readOptions = (): FaultsOptions | undefined => {
  try {
    return readCommandLine(
      process.argv.slice(2),
      scenarios.map(({ name }) => name),
    );
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return undefined;
  }
};

const options = readOptions();
process.exitCode = options === undefined ? NOT_PLAYED : await run(options);
