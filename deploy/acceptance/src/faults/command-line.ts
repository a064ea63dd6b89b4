import { parseArgs } from 'node:util';
import type { EnginesName } from './deployment/deployment.ts';

/** What `npm run faults` plays. */
export type Mode = 'scenarios' | 'plan' | 'siege';

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

/** The options of `npm run faults -- --siege MINUTES`. */
export interface SiegeArguments {
  readonly minutes: number;
  /** The share of one core that the attacker may use. */
  readonly share: number;
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
  readonly siege: SiegeArguments;
}

export const USAGE = `npm run faults -- [--minutes N] [--seed S] [--engines embedded|scaled|both] [--scenario NAME,…]
npm run faults -- --plan [--row N] [--share 0.1] [--seed S] [--engines …] [--results FILE] [--fresh]
npm run faults -- --siege MINUTES [--attacker-share 0.25] [--seed S] [--engines …]

Without --plan: plays the fault scenarios against the product, one after the other, and checks the invariants after
each. The minutes (default 5) are divided between the deployments; every scenario is played at least once on each.

--plan plays every row of the fault plan as often as the plan says, or a --share of it, and writes the table of
docs/reliability.md. An interrupted plan goes on where it was, from the progress file (default
.cache/fault-plan.jsonl); --fresh begins anew.

--siege plays a sale at half of the measured capacity, first without and then for the minutes with an attacker, who
may use --attacker-share of one core (default 0.25), and writes its table of docs/reliability.md. A p99 over three times
that without the attacker is marked, but is no failure.

The scaled deployment needs TEST_MONGODB_URL and TEST_RABBITMQ_CONTROL; without them it is skipped, unless --engines
names it. The seed determines every choice.

Exit status: 0 no violation; 1 a violation, a 5xx that is not planned, or the harness failed; 2 wrong arguments, engines that --engines names are
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

const readShare = (name: string, text: string): number => {
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw new Error(`--${name} is a number above 0 and at most 1, not ${text}`);
};

const readMinutes = (name: string, text: string): number => {
  const minutes = Number(text);
  if (minutes > 0) return minutes;
  throw new Error(`--${name} is a number above 0, not ${text}`);
};

/** The options of each mode that no other has. */
const ownOptions: Readonly<Record<Mode, readonly string[]>> = {
  scenarios: ['minutes', 'scenario'],
  plan: ['row', 'share', 'results', 'fresh'],
  siege: ['attacker-share'],
};

/** @throws {Error} on an option of another mode */
const refuseMisplaced = (values: Readonly<Record<string, unknown>>, mode: Mode): void => {
  for (const owner of ['scenarios', 'plan', 'siege'] as const) {
    const wrong = owner === mode ? undefined : ownOptions[owner].find((name) => values[name] !== undefined);
    if (wrong === undefined) continue;
    throw new Error(`--${wrong} ${owner === 'scenarios' ? `does not go with --${mode}` : `needs --${owner}`}`);
  }
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
      siege: { type: 'string' },
      'attacker-share': { type: 'string' },
    },
  });
  if (values.plan && values.siege !== undefined) throw new Error('--plan does not go with --siege');
  const mode: Mode = values.plan ? 'plan' : values.siege === undefined ? 'scenarios' : 'siege';
  refuseMisplaced(values, mode);
  const engines = engineSets[values.engines ?? 'both'];
  if (!engines) throw new Error(`--engines is embedded, scaled or both, not ${values.engines}`);
  const scenarios = values.scenario?.split(',') ?? known;
  const unknown = scenarios.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  const { seed } = values;
  return {
    mode,
    minutes: readMinutes('minutes', values.minutes ?? '5'),
    seed,
    engines,
    enginesNamed: values.engines !== undefined,
    scenarios,
    plan: {
      row: values.row === undefined ? undefined : readRow(values.row, rows),
      share: values.share === undefined ? undefined : readShare('share', values.share),
      seed,
      results: values.results ?? '.cache/fault-plan.jsonl',
      fresh: values.fresh ?? false,
    },
    siege: {
      minutes: readMinutes('siege', values.siege ?? '3'),
      share: readShare('attacker-share', values['attacker-share'] ?? '0.25'),
    },
  };
};
