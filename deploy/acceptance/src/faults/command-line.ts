import { parseArgs } from 'node:util';
import type { EnginesName } from './deployment/deployment.ts';

/** What `npm run faults` plays. */
export type Mode = 'scenarios' | 'plan';

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
}

export const USAGE = `npm run faults -- [--minutes N] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]
npm run faults -- --plan [--row N] [--share 0.1] [--seed S] [--engines …] [--results FILE] [--fresh]

Without --plan: plays the fault scenarios against the product, one after the other, and checks the invariants after
each. The minutes (default 5) are divided between the deployments; every scenario is played at least once on each.

--plan plays every row of the fault plan as often as the plan says, or a --share of it, and writes the table of
docs/reliability.md. An interrupted plan goes on where it was, from the progress file (default
.cache/fault-plan.jsonl); --fresh begins anew.

The scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL; without them it is skipped, unless --engines
names it. The seed determines every choice.

Exit status: 0 no violation; 1 a violation, or the harness failed; 2 wrong arguments, engines that --engines names are
not configured, the progress file has another plan, or no scenario could be played.`;

const engineSets: Readonly<Record<string, readonly EnginesName[]>> = {
  embedded: ['embedded'],
  scaled: ['scaled'],
  both: ['embedded', 'scaled'],
};

const readRow = (text: string, rows: readonly number[]): number => {
  if (rows.includes(Number(text))) return Number(text);
  throw new Error(`--row is a row of the plan, ${rows.join(', ')}, not ${text}`);
};

const readShare = (text: string): number => {
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw new Error(`--share is a number above 0 and at most 1, not ${text}`);
};

/** The options of one mode that the command line gives in another. */
const misplaced = (values: Readonly<Record<string, unknown>>, mode: Mode): string[] => {
  const own: Readonly<Record<Mode, readonly string[]>> = {
    scenarios: ['minutes', 'scenario'],
    plan: ['row', 'share', 'results', 'fresh'],
  };
  const others = Object.entries(own).flatMap(([name, options]) => (name === mode ? [] : options));
  return others.filter((name) => values[name] !== undefined);
};

/** Reads the arguments. @throws {Error} that names the wrong argument */
export const readCommandLine = (
  args: readonly string[],
  known: readonly string[],
  rows: readonly number[] = [],
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
    },
  });
  const mode: Mode = values.plan ? 'plan' : 'scenarios';
  const [wrong] = misplaced(values, mode);
  if (wrong !== undefined) throw new Error(`--${wrong} ${mode === 'plan' ? 'does not go with' : 'needs'} --plan`);
  const minutes = Number(values.minutes ?? 5);
  if (!(minutes > 0)) throw new Error(`--minutes is a number above 0, not ${values.minutes}`);
  const engines = engineSets[values.engines ?? 'both'];
  if (!engines) throw new Error(`--engines is embedded, scaled or both, not ${values.engines}`);
  const scenarios = values.scenario?.split(',') ?? known;
  const unknown = scenarios.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  const { seed } = values;
  return {
    mode,
    minutes,
    seed,
    engines,
    enginesNamed: values.engines !== undefined,
    scenarios,
    plan: {
      row: values.row === undefined ? undefined : readRow(values.row, rows),
      share: values.share === undefined ? undefined : readShare(values.share),
      seed,
      results: values.results ?? '.cache/fault-plan.jsonl',
      fresh: values.fresh ?? false,
    },
  };
};
