// The fault plan: rounds of partners and visitors on a deployment whose parts fail, and the table of their results.

import { type FaultsOptions, readCommandLine, USAGE } from './command-line.ts';
import { controls } from './controls/index.ts';
import { runControls } from './controls/run.ts';
import type { Deployment, EnginesName } from './deployment/deployment.ts';
import { startEmbedded } from './deployment/embedded.ts';
import { NO_SCALED_ENGINES, scaledEngines, startScaled } from './deployment/scaled.ts';
import type { Mutation } from './inside/orders.ts';
import { playPlan } from './plan/plan.ts';
import { AnotherPlan, openProgress, type Progress } from './plan/progress.ts';
import { planRows } from './plan/rows/index.ts';
import { planTable } from './plan/table.ts';
import { scenarios } from './scenarios/index.ts';
import { runScenarios } from './scenarios/run.ts';
import { writeTable } from './write-table.ts';

// npm run faults

const RELIABILITY = new URL('../../../docs/reliability.md', import.meta.url);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The exit statuses, as the usage explains them. */
const [CLEAN, VIOLATED, NOT_PLAYED] = [0, 1, 2];

const scaled = scaledEngines(process.env);

/** Starts a deployment without rate limits. */
const start = async (engines: EnginesName, mutations: readonly Mutation[] = []): Promise<Deployment> => {
  if (engines === 'embedded') return startEmbedded(mutations);
  if (!scaled) throw new Error(NO_SCALED_ENGINES);
  return startScaled(scaled, { mutations });
};

/** Says what was found; returns the exit status. */
const conclude = (violations: number, seed: string): number => {
  print(violations === 0 ? `no violation; seed ${seed}` : `${violations} violations; seed ${seed}`);
  return violations === 0 ? CLEAN : VIOLATED;
};

/** What prevents the plan's row from being played here. */
const openPlan = async ({ results, seed, share, fresh }: FaultsOptions['plan']): Promise<Progress | undefined> => {
  try {
    return await openProgress(results, { seed, share, fresh });
  } catch (error) {
    if (!(error instanceof AnotherPlan)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
};

const runPlan = async (engines: readonly EnginesName[], options: FaultsOptions['plan']): Promise<number> => {
  const progress = await openPlan(options);
  if (!progress) return NOT_PLAYED;
  const { seed, share } = progress;
  const rows = planRows.filter(({ number }) => options.row === undefined || number === options.row);
  const before = progress.resumed ? `, ${progress.rounds.length} rounds were played before` : '';
  print(`fault plan: seed ${seed}, share ${share}${before}; progress in ${options.results}`);
  try {
    await playPlan({ rows, engines, progress, start: (name) => start(name), print });
  } finally {
    const table = planTable(planRows, progress, progress.rounds, (row, name) => row.lacks?.(name));
    if (options.written) await writeTable(RELIABILITY, 'plan', table);
    print(`\n${table}\n${options.written ? '\nwritten to docs/reliability.md' : ''}`);
  }
  return conclude(
    progress.rounds.reduce((total, { violations }) => total + violations.length, 0),
    seed,
  );
};

const plantBugs = async (engines: readonly EnginesName[], names: readonly string[], seed: string): Promise<number> => {
  const chosen = controls.filter((one) => names.includes(one.name) && engines.includes(one.engines));
  if (chosen.length === 0) {
    process.stderr.write('none of these bugs is planted on these engines\n');
    return NOT_PLAYED;
  }
  return (await runControls({ controls: chosen, seed, start, print })) ? CLEAN : VIOLATED;
};

const run = async (options: FaultsOptions): Promise<number> => {
  const engines = options.engines.filter((name) => name === 'embedded' || scaled !== undefined);
  if (engines.length < options.engines.length) {
    if (options.enginesNamed) {
      process.stderr.write(`${NO_SCALED_ENGINES}\n`);
      return NOT_PLAYED;
    }
    print(`skipped: ${NO_SCALED_ENGINES}`);
  }
  if (options.mode === 'plan') return runPlan(engines, options.plan);
  const seed = options.seed ?? `${Date.now() % 1_000_000}`;
  if (options.mode === 'controls') return plantBugs(engines, options.controls, seed);
  const violations = await runScenarios({ ...options, seed, engines, start: (name) => start(name), print });
  if (violations !== undefined) return conclude(violations, seed);
  process.stderr.write('no scenario was played\n');
  return NOT_PLAYED;
};

const readOptions = (): FaultsOptions | undefined => {
  try {
    return readCommandLine(process.argv.slice(2), {
      scenarios: scenarios.map(({ name }) => name),
      rows: planRows.map(({ number }) => number),
      controls: controls.map(({ name }) => name),
    });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return undefined;
  }
};

const options = readOptions();
process.exitCode = options === undefined ? NOT_PLAYED : await run(options);
