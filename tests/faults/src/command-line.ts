import { parseArgs } from 'node:util';
import type { EnginesName } from './deployment/deployment.ts';

/** The options of `npm run faults`. */
export interface FaultsOptions {
  readonly minutes: number;
  /** Whether each scenario is played until it has played all of its faults. */
  readonly whole: boolean;
  readonly seed: string;
  readonly engines: readonly EnginesName[];
  /** Whether the command line names the engines: then none of them may be skipped. */
  readonly enginesNamed: boolean;
  readonly scenarios: readonly string[];
  /** The names of the bugs to plant; undefined: none. */
  readonly controls: readonly string[] | undefined;
}

export const USAGE = `npm run faults -- [--minutes N | --whole] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]
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

/** The names of a list, or all that are known. */
const readNames = (what: string, text: string | undefined, known: readonly string[]): readonly string[] => {
  const names = text?.split(',') ?? known;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no ${what} ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  return names;
};

/** Reads the arguments. @throws {Error} that names the wrong argument */
export const readCommandLine = (
  args: readonly string[],
  known: { readonly scenarios: readonly string[]; readonly controls: readonly string[] },
): FaultsOptions => {
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
};
