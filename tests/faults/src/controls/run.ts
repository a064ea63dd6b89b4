import { openApi } from '../client/api.ts';
import type { Deployment, EnginesName } from '../deployment/deployment.ts';
import type { Mutation } from '../inside/orders.ts';
import type { Violation } from '../invariants/verdict.ts';
import { playRound } from '../round/play.ts';
import { randomFrom } from '../round/random.ts';
import { type Control, shows } from './control.ts';

/** A bug that the plan has not caught by then has escaped it. */
const WITHIN_MINUTES = 10;

export interface ControlsOptions {
  readonly controls: readonly Control[];
  readonly seed: string;
  readonly start: (engines: EnginesName, mutations: readonly Mutation[]) => Promise<Deployment>;
  readonly print: (line: string) => void;
}

/** What became of a planted bug. `failed`: the product or the harness failed, so nothing is shown. */
type Outcome =
  | { readonly state: 'caught'; readonly by: Violation; readonly seconds: number; readonly rounds: number }
  | { readonly state: 'escaped'; readonly seconds: number; readonly rounds: number; readonly others: number }
  | { readonly state: 'failed'; readonly reason: string };

/** @throws {Error} that names the mutations whose file no process has loaded */
const mustBePlanted = async ({ mutations }: Control, deployment: Deployment): Promise<void> => {
  const planted = await deployment.planted();
  const missing = mutations.filter(({ file }) => !planted.has(file)).map(({ file }) => file);
  if (missing.length > 0) throw new Error(`no process has loaded ${missing.join(', ')}`);
};

/** Plays the control's scenario on a deployment with its bug, until a violation shows the bug or the time is over. */
const play = async (control: Control, { seed }: ControlsOptions, deployment: Deployment): Promise<Outcome> => {
  const { engines, name, scenario } = control;
  const api = openApi(deployment);
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let others = 0;
  for (let rounds = 1; ; rounds++) {
    const reference = `${name}-${rounds}`;
    const random = randomFrom(`${seed}/${engines}/${reference}`);
    const context = { deployment, api, random, reference, size: 'long' } as const;
    const { settled } = await playRound(scenario.play, context);
    await mustBePlanted(control, deployment);
    const by = settled.violations.find((violation) => shows(control, violation));
    if (by) return { state: 'caught', by, seconds: seconds(), rounds };
    others += settled.violations.length;
    if (seconds() > WITHIN_MINUTES * 60) return { state: 'escaped', seconds: seconds(), rounds, others };
  }
};

const outcomeOf = async (control: Control, options: ControlsOptions): Promise<Outcome> => {
  let deployment: Deployment | undefined;
  try {
    deployment = await options.start(control.engines, control.mutations);
    return await play(control, options, deployment);
  } catch (error) {
    return { state: 'failed', reason: (error as Error).message };
  } finally {
    await deployment?.close();
  }
};

const wordsOf = (outcome: Outcome, { scenario }: Control): string => {
  if (outcome.state === 'failed') return `NOT SHOWN, the product or the harness failed: ${outcome.reason}`;
  const rounds = outcome.rounds === 1 ? '1 round' : `${outcome.rounds} rounds`;
  const after = `after ${outcome.seconds.toFixed(0)} s and ${rounds} of ${scenario.name}`;
  if (outcome.state === 'caught') {
    const { invariant, text } = outcome.by;
    return `caught by ${invariant} ${after}: ${text.slice(0, 300)}`;
  }
  const others = outcome.others === 0 ? '' : `, with ${outcome.others} violations that do not show it`;
  return `ESCAPED ${after}${others}`;
};

/** Plants the bugs, one at a time, each on a deployment of its own; returns whether all were caught. */
export const runControls = async (options: ControlsOptions): Promise<boolean> => {
  const { controls, seed, print } = options;
  const uncaught: string[] = [];
  for (const [index, control] of controls.entries()) {
    const { name, bug, engines, mutations } = control;
    const outcome = await outcomeOf(control, options);
    if (outcome.state !== 'caught') uncaught.push(`${name} (${outcome.state})`);
    const files = [...new Set(mutations.map(({ file }) => file))].join(', ');
    print(`${index + 1} ${name}, ${engines}: ${bug} (${files})\n   ${wordsOf(outcome, control)}`);
  }
  const caught = controls.length - uncaught.length;
  print(`${caught} of ${controls.length} planted bugs were caught; seed ${seed}`);
  if (uncaught.length > 0) print(`not caught: ${uncaught.join(', ')}`);
  return uncaught.length === 0;
};
