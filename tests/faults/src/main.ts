// The fault harness: rounds of partners and visitors on a deployment whose parts fail.

import { parseArgs } from 'node:util';
import { controls } from './controls.ts';
import type { EnginesName } from './deployment/deployment.ts';
import { describeMissingScaledEngines } from './deployment/scaled.ts';
import { type FaultsOptions, runControls, runScenarios, scenarios } from './run.ts';

const USAGE = `npm run faults -- [--minutes N | --whole] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]
npm run faults -- --controls [--control NAME,…] [--seed S]

Plays the scenarios one after the other, and checks the invariants after each round. The minutes (default 5) are divided
between the deployments; every scenario is played at least once on each. --whole plays each as often as all of its
faults need.

--controls plants bugs in the embedded deployment, one at a time, and plays the scenario that must catch each, for ten
minutes at most.

The scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL; without them it is skipped, unless --engines
names it. Links need toxiproxy (TEST_TOXIPROXY, or Go to build it), kills of the store need TEST_MONGODB_CONTROL; what
cannot be played is said. The seed determines every choice.

Exit status: 0 no violation (with --controls: every bug was caught); 1 a violation (a bug that was not caught), or the
harness failed; 2 wrong arguments, engines that --engines names are not configured, or nothing could be played.`;

const engineSets: Readonly<Record<string, readonly EnginesName[]>> = {
  embedded: ['embedded'],
  scaled: ['scaled'],
  both: ['embedded', 'scaled'],
};

const readNames = (what: string, text: string | undefined, known: readonly string[]): readonly string[] => {
  const names = text?.split(',') ?? known;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no ${what} ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  return names;
};

/** Reads the arguments. @throws {Error} that names the wrong argument */
export function readCommandLine(
  args: readonly string[],
  known: { readonly scenarios: readonly string[]; readonly controls: readonly string[] },
): FaultsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '5' },
      whole: { type: 'boolean', default: false },
      seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
      engines: { type: 'string' },
      scenario: { type: 'string' },
      controls: { type: 'boolean', default: false },
      control: { type: 'string' },
    },
  });
  const engines = engineSets[values.engines ?? 'both'];
  if (!engines) throw new Error(`--engines is embedded, scaled or both, not ${values.engines}`);
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes is a number above 0, not ${values.minutes}`);
  if (values.control !== undefined && !values.controls) throw new Error('--control needs --controls');
  return {
    minutes,
    whole: values.whole,
    seed: values.seed,
    engines,
    enginesNamed: values.engines !== undefined,
    scenarios: readNames('scenario', values.scenario, known.scenarios),
    controls: values.controls ? readNames('control', values.control, known.controls) : undefined,
  };
}

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
  const lacking = options.engines.includes('scaled') ? describeMissingScaledEngines(process.env) : undefined;
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

// npm run faults
if (import.meta.main) {
  const options = readOptions();
  process.exitCode = options === undefined ? NOT_PLAYED : await run(options);
}
