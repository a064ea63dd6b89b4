import { openApi } from './client/api.ts';
import { type Control, isBug } from './controls.ts';
import { type Deployment, type EnginesName, startEmbeddedDeployment } from './deployment/deployment.ts';
import { describeMissingLinks } from './deployment/links.ts';
import { startScaledDeployment } from './deployment/scaled.ts';
import { inspect } from './round/inspection.ts';
import { countOutcomes } from './round/journal.ts';
import { createRandom } from './round/random.ts';
import { type Played, playRound, type Scenario } from './round/round.ts';
import { changes } from './scenarios/changes.ts';
import { commands } from './scenarios/commands.ts';
import { contention, exchanges, races, seats } from './scenarios/contention.ts';
import { discounts } from './scenarios/discounts.ts';
import { broker, links, outage, store } from './scenarios/engines.ts';
import { checkout, closing, kills } from './scenarios/kills.ts';
import { messages } from './scenarios/messages.ts';
import { payments } from './scenarios/payments.ts';
import { clocks, pauses, randomKills } from './scenarios/processes.ts';
import { signIns } from './scenarios/sign-ins.ts';

export const scenarios: readonly Scenario[] = [
  contention,
  seats,
  exchanges,
  races,
  kills,
  checkout,
  commands,
  discounts,
  changes,
  payments,
  signIns,
  closing,
  randomKills,
  pauses,
  clocks,
  messages,
  outage,
  broker,
  store,
  links,
];

export function selectScenarios(deployment: Deployment, names: readonly string[]): Scenario[] {
  const has = {
    broker: deployment.broker !== undefined,
    links: deployment.links !== undefined,
    processes: deployment.processes.length > 1,
  };
  return scenarios.filter(({ name, needs }) => names.includes(name) && (needs === undefined || has[needs]));
}

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

type Row = ReturnType<typeof newRow>;

/** Plays scenarios and prints the table of the results; returns the number of violations; undefined: none played. */
export async function runScenarios(options: FaultsOptions): Promise<number | undefined> {
  print(`faults: seed ${options.seed}, ${options.scenarios.join(', ')}`);
  const rows: Row[] = [];
  for (const engines of options.engines) await playOn(engines, rows, options);
  if (rows.length === 0) return undefined;
  console.table(rows);
  return rows.reduce((sum, { violations }) => sum + violations, 0);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Plays the scenarios on one deployment, started afresh after a violation: what is wrong would be found again. */
const playOn = async (engines: EnginesName, rows: Row[], options: FaultsOptions): Promise<void> => {
  const { scenarios: names, seed, whole } = options;
  const until = Date.now() + (options.minutes * 60_000) / options.engines.length;
  let deployment = await start(engines, names);
  const chosen = selectScenarios(deployment, names);
  const others = names.filter((name) => !chosen.some((scenario) => scenario.name === name));
  if (others.length > 0) print(`not played on ${engines}: ${others.join(', ')}`);
  const own = new Map(chosen.map(({ name }) => [name, newRow(engines, name)]));
  rows.push(...own.values());
  const isDue = ({ rounds = 1 }: Scenario, turn: number) => turn === 0 || (whole ? turn < rounds : Date.now() < until);
  try {
    for (let turn = 0; chosen.some((scenario) => isDue(scenario, turn)); turn++) {
      for (const scenario of chosen.filter((one) => isDue(one, turn))) {
        const played = await play(deployment, scenario, turn, seed);
        addTo(own.get(scenario.name) as Row, played);
        const { round, violations, seconds } = played;
        const verdict = violations.length === 0 ? 'no violation' : `${violations.length} VIOLATIONS`;
        print(`${round.reference}: ${verdict} (${seconds.toFixed(1)} s; ${round.faults.join(', ') || 'no faults'})`);
        if (violations.length === 0) continue;
        await printFailure(deployment, played);
        await deployment.close();
        deployment = await start(engines, names);
      }
    }
  } catch (error) {
    for (const { name, output } of deployment.processes) print(`${name} printed:\n${output()}`);
    throw error;
  } finally {
    await deployment.close();
  }
};

/** Starts a deployment; the scaled one with links, if one of these scenarios needs them and they can be had. */
const start = (engines: EnginesName, names: readonly string[]): Promise<Deployment> => {
  if (engines === 'embedded') return startEmbeddedDeployment();
  const wanted = scenarios.some(({ name, needs }) => needs === 'links' && names.includes(name));
  const lacking = wanted ? describeMissingLinks(process.env) : undefined;
  if (lacking !== undefined) print(`no links: ${lacking}`);
  return startScaledDeployment(process.env, { links: wanted && lacking === undefined });
};

const newRow = (engines: EnginesName, scenario: string) => {
  const counts = { rounds: 0, acknowledged: 0, refused: 0, unknown: 0, faults: 0, checked: 0, violations: 0 };
  return { engines, scenario, ...counts, seconds: 0 };
};

const play = (
  deployment: Deployment,
  scenario: Scenario,
  turn: number,
  seed: string,
  points?: readonly string[],
): Promise<Played> => {
  const reference = `${scenario.name}-${deployment.engines}-${turn + 1}`;
  const random = createRandom(`${seed}/${reference}`);
  const api = openApi(deployment);
  return playRound(scenario.play, { deployment, api, random, seed, turn, reference, size: 'long', points });
};

const addTo = (row: Row, { round, checked, violations, seconds }: Played): void => {
  const { ok, refused, unknown } = countOutcomes(round.journal);
  row.rounds += 1;
  row.acknowledged += ok;
  row.refused += refused;
  row.unknown += unknown;
  row.faults += round.faults.length;
  row.checked += checked;
  row.violations += violations.length;
  row.seconds += Math.round(seconds);
};

const printFailure = async ({ data, processes }: Deployment, { violations }: Played): Promise<void> => {
  const shown = violations.slice(0, 20);
  for (const { invariant, text } of shown) print(`  ${invariant}: ${text}`);
  const inspection = await inspect(data);
  const ids = new Set(shown.flatMap(({ text }) => text.match(/\b[a-z]{3}_\w+/g) ?? []));
  for (const line of await inspection.documents([...ids])) print(`  ${line}`);
  await inspection.close();
  for (const { name, output } of processes) {
    for (const line of output().trim().split('\n').slice(-10)) print(`  ${name}: ${line.slice(0, 500)}`);
  }
};

/** A bug that has not been caught by then has escaped. */
const WITHIN_SECONDS = 600;

/** Plants the bugs, one at a time, each on a deployment of its own; returns whether all were caught. */
export async function runControls(controls: readonly Control[], seed: string): Promise<boolean> {
  let caught = 0;
  for (const control of controls) {
    const outcome = await outcomeOf(control, seed).catch((error: Error) => `NOT SHOWN: ${error.message}`);
    if (outcome.startsWith('caught')) caught += 1;
    print(`${control.name}: ${control.bug}\n   ${outcome}`);
  }
  print(`${caught} of ${controls.length} planted bugs were caught; seed ${seed}`);
  return caught === controls.length;
}

/** What became of a planted bug: caught, escaped, or nothing is shown, since the product or the harness failed. */
const outcomeOf = async ({ mutations, scenario, points }: Control, seed: string): Promise<string> => {
  const deployment = await startEmbeddedDeployment(mutations);
  try {
    const startedAt = performance.now();
    for (let turn = 0; ; turn++) {
      const { violations } = await play(deployment, scenario, turn, seed, points);
      const planted = await deployment.planted();
      const missing = mutations.filter(({ file }) => !planted.has(file)).map(({ file }) => file);
      if (missing.length > 0) throw new Error(`no process has loaded ${missing.join(', ')}`);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const after = `after ${seconds} s, round ${turn + 1} of ${scenario.name}`;
      const by = violations.find(isBug);
      if (by) return `caught ${after}, ${by.invariant}: ${by.text.slice(0, 300)}`;
      if (seconds > WITHIN_SECONDS) return `ESCAPED ${after}`;
    }
  } finally {
    await deployment.close();
  }
};
