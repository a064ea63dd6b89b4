// The fault harness: rounds of partners and visitors on a deployment whose parts fail.

import { type FaultsOptions, readCommandLine, USAGE } from './command-line.ts';
import { controls } from './controls.ts';
import { lacksScaledEngines } from './deployment/scaled.ts';
import { runControls, runScenarios, scenarios } from './run.ts';

// npm run faults

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

/** The exit statuses, as the usage explains them. */
const [CLEAN, VIOLATED, NOT_PLAYED] = [0, 1, 2];

const run = async (options: FaultsOptions): Promise<number> => {
  const { controls: planted, seed } = options;
  if (planted) {
    const chosen = controls.filter(({ name }) => planted.includes(name));
    return (await runControls(chosen, seed)) ? CLEAN : VIOLATED;
  }
  const lacking = options.engines.includes('scaled') ? lacksScaledEngines(process.env) : undefined;
  if (lacking !== undefined && options.enginesNamed) {
    warn(lacking);
    return NOT_PLAYED;
  }
  if (lacking !== undefined) print(`skipped: ${lacking}`);
  const engines = options.engines.filter((name) => name === 'embedded' || lacking === undefined);
  const violations = await runScenarios({ ...options, engines });
  if (violations === undefined) {
    warn('no scenario was played');
    return NOT_PLAYED;
  }
  print(violations === 0 ? `no violation; seed ${seed}` : `${violations} violations; seed ${seed}`);
  return violations === 0 ? CLEAN : VIOLATED;
};

const readOptions = (): FaultsOptions | undefined => {
  const known = { scenarios: scenarios.map(({ name }) => name), controls: controls.map(({ name }) => name) };
  try {
    return readCommandLine(process.argv.slice(2), known);
  } catch (error) {
    warn(`${(error as Error).message}\n\n${USAGE}`);
    return undefined;
  }
};

const options = readOptions();
process.exitCode = options === undefined ? NOT_PLAYED : await run(options);
