import { openApi } from '../../src/client/api.ts';
import { openDeploymentReceiver, openFeed } from '../../src/client/feed.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import type { Violation } from '../../src/invariants/verdict.ts';
import { inspect } from '../../src/round/inspection.ts';
import { createRandom } from '../../src/round/random.ts';
import { beginRound, type Round, type Scenario, settle } from '../../src/round/round.ts';
import { createPartners, runWithClients } from '../../src/round/traffic.ts';

/** A new seed for each run; a failing run is repeated with its seed. */
const seed = `${Date.now() % 1_000_000}`;

interface PlayOptions {
  /** How long the invariants may take to hold; default: what is promised, with the slack of short rounds. */
  readonly patienceMs?: number;
  /** The crash points to kill at. */
  readonly points?: readonly string[] | undefined;
}

/**
 * Plays the short versions, one after the other, those of an inner list at once, and then waits for all to be quiet.
 * Returns the violations.
 */
export async function play(
  deployment: Deployment,
  scenarios: readonly (Scenario | readonly Scenario[])[],
  { patienceMs, points }: PlayOptions = {},
): Promise<readonly Violation[]> {
  const api = openApi(deployment);
  const rounds: Round[] = [];
  const receiver = await openDeploymentReceiver(deployment, api);
  const feed = await openFeed(api);
  const begin = async ({ name, play: start }: Scenario): Promise<void> => {
    const reference = `${name}-${Math.random().toString(36).slice(2, 8)}`;
    const random = createRandom(`${seed}/${name}`);
    const size = 'short' as const;
    rounds.push(await start({ deployment, api, random, seed, turn: 0, reference, size, points, receiver, feed }));
  };
  for (const turn of scenarios) await Promise.all([turn].flat().map(begin));
  const { violations } = await settle(deployment, api, rounds, patienceMs);
  await receiver.close();
  for (const round of rounds) await round.afterwards?.();
  if (violations.length > 0)
    process.stdout.write(`seed ${seed}\n${JSON.stringify(rounds.map(({ faults }) => faults))}\n`);
  return violations;
}

/** How long a finding must stay unchanged, and how long it is read again. */
const TIMES = {
  embedded: { settleMs: 1_000, patienceMs: 5_000 },
  // The broker does not count a message that a consumer has taken: on a busy machine it may take seconds to handle.
  scaled: { settleMs: 8_000, patienceMs: 12_000 },
} as const;

/** The operator's check during sales and cancellations: what is under way is no violation. */
export const checking: Scenario = {
  name: 'checking',
  about: 'operator check during sales and cancellations',
  async play(context) {
    const round = await beginRound(context);
    const { violations } = await runWithClients(round, createPartners(context, round, 1), async () => {
      while (round.journal.entries.length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
      const operator = await inspect(context.deployment.data);
      const { settleMs, patienceMs } = TIMES[context.deployment.engines];
      return operator.check(patienceMs, settleMs).finally(operator.close);
    });
    const wrong = violations.filter(({ text }) => !text.endsWith('(under way)')).map(({ text }) => text);
    round.alsoTrue = (_, check) =>
      check.that('round', wrong.length === 0, () => `during the sale: ${wrong.join(', ')}`);
    return round;
  },
};
