import { parseArgs } from 'node:util';
import type { EnginesName } from './deployment/deployment.ts';

/** What `npm run faults` plays. */
export type Mode = 'scenarios' | 'plan' | 'controls';

/** The options of `npm run faults -- --plan`. */
export interface PlanArguments {
  /** The only row to play; undefined: all. */
  readonly row: number | undefined;
  /** Undefined: that of the progress file, else the whole plan. */
  readonly share: number | undefined;
  /** Undefined: that of the progress file, else one by the clock. */
  readonly seed: string | undefined;
  /** The progress file. */
  readonly results: string;
  /** Whether earlier progress is dropped. */
  readonly fresh: boolean;
  /** Whether the table is written to docs/reliability.md; it is printed in any case. */
  readonly written: boolean;
}

/** The options of `npm run faults`. */
export interface FaultsOptions {
  readonly mode: Mode;
  readonly minutes: number;
  /** Undefined: chosen by the clock. */
  readonly seed: string | undefined;
  readonly engines: readonly EnginesName[];
  /** Whether the command line names the engines: then none of them may be skipped. */
  readonly enginesNamed: boolean;
  readonly scenarios: readonly string[];
  readonly plan: PlanArguments;
  /** The names of the bugs to plant. */
  readonly controls: readonly string[];
}

/** The names that the command line may use. */
export interface Known {
  readonly scenarios: readonly string[];
  readonly rows?: readonly number[];
  readonly controls?: readonly string[];
}

export const USAGE = `npm run faults -- [--minutes N] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]
npm run faults -- --plan [--row N] [--share 0.1] [--seed S] [--engines …] [--results FILE] [--fresh] [--document none]
npm run faults -- --controls [--control NAME,…] [--seed S] [--engines …]

Without a mode: plays the fault scenarios against the product, one after the other, and checks the invariants after
each. The minutes (default 5) are divided between the deployments; every scenario is played at least once on each.

--plan plays every row of the fault plan as often as the plan says, or a --share of it, and writes the table of
docs/reliability.md, unless with --document none. An interrupted plan goes on where it was, from the progress file (default
tests/faults/fault-plan.jsonl); --fresh begins anew.

--controls plants bugs in the running product, one at a time, and plays the scenario that must catch each, for ten
minutes at most.

The scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL; without them it is skipped, unless --engines
names it. Faults of the store and of links need TEST_MONGODB_CONTROL and TEST_TOXIPROXY as well; what cannot be played
is said. The seed determines every choice.

Exit status: 0 no violation (with --controls: every bug was caught); 1 a violation (a bug that was not caught), a 5xx
that is not planned, or the harness failed; 2 wrong arguments, engines that --engines names are not configured, the
progress file has another plan, or nothing could be played.`;

const engineSets: Readonly<Record<string, readonly EnginesName[]>> = {
  embedded: ['embedded'],
  scaled: ['scaled'],
  both: ['embedded', 'scaled'],
};

const readRow = (text: string, rows: readonly number[]): number => {
  if (rows.includes(Number(text))) return Number(text);
  throw new Error(`--row is a row of the plan, ${rows.join(', ')}, not ${text}`);
};

const readShare = (name: string, text: string): number => {
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw new Error(`--${name} is a number above 0 and at most 1, not ${text}`);
};

const readWritten = (text: string | undefined): boolean => {
  if (text === undefined || text === 'none') return text === undefined;
  throw new Error(`--document is none, or left out, not ${text}`);
};

const readMinutes = (name: string, text: string): number => {
  const minutes = Number(text);
  if (minutes > 0) return minutes;
  throw new Error(`--${name} is a number above 0, not ${text}`);
};

/** The options of each mode that no other has. */
const ownOptions: Readonly<Record<Mode, readonly string[]>> = {
  scenarios: ['minutes', 'scenario'],
  plan: ['row', 'share', 'results', 'fresh', 'document'],
  controls: ['control'],
};

const modeOf = (values: Readonly<Record<string, unknown>>): Mode => {
  const named = (['plan', 'controls'] as const).filter((name) => values[name] !== undefined);
  const [mode = 'scenarios', second] = named;
  if (second !== undefined) throw new Error(`--${mode} does not go with --${second}`);
  for (const [other, options] of Object.entries(ownOptions)) {
    const wrong = other === mode ? undefined : options.find((name) => values[name] !== undefined);
    if (wrong === undefined) continue;
    throw new Error(`--${wrong} ${other === 'scenarios' ? `does not go with --${mode}` : `needs --${other}`}`);
  }
  return mode;
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
  { scenarios: knownScenarios, rows = [], controls: knownControls = [] }: Known,
): FaultsOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      engines: { type: 'string' },
      scenario: { type: 'string' },
      plan: { type: 'boolean' },
      row: { type: 'string' },
      share: { type: 'string' },
      results: { type: 'string' },
      fresh: { type: 'boolean' },
      document: { type: 'string' },
      controls: { type: 'boolean' },
      control: { type: 'string' },
    },
  });
  const mode = modeOf(values);
  const engines = engineSets[values.engines ?? 'both'];
  if (!engines) throw new Error(`--engines is embedded, scaled or both, not ${values.engines}`);
  const { seed } = values;
  return {
    mode,
    minutes: readMinutes('minutes', values.minutes ?? '5'),
    seed,
    engines,
    enginesNamed: values.engines !== undefined,
    scenarios: readNames('scenario', values.scenario, knownScenarios),
    controls: readNames('control', values.control, knownControls),
    plan: {
      row: values.row === undefined ? undefined : readRow(values.row, rows),
      share: values.share === undefined ? undefined : readShare('share', values.share),
      seed,
      results: values.results ?? 'tests/faults/fault-plan.jsonl',
      fresh: values.fresh ?? false,
      written: readWritten(values.document),
    },
  };
};
