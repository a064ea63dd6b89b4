import { openApi } from '../../src/client/api.ts';
import { openFeed, receiverFor } from '../../src/client/feed.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import type { Violation } from '../../src/invariants/verdict.ts';
import { settle } from '../../src/round/play.ts';
import { randomFrom } from '../../src/round/random.ts';
import type { Round, Scenario } from '../../src/round/round.ts';

/** A new seed for each run; a failing run is repeated with its seed. */
const seed = `${Date.now() % 1_000_000}`;

export interface PlayOptions {
  /** How long the invariants may take to hold; default: what is promised, with the slack of short rounds. */
  readonly patienceMs?: number;
  /** The crash points to kill at. */
  readonly points?: readonly string[] | undefined;
}

/**
 * Plays the short versions, one after the other, those of an inner list at once, and then waits for all to be quiet.
 * Returns the violations.
 */
export const play = async (
  deployment: Deployment,
  scenarios: readonly (Scenario | readonly Scenario[])[],
  { patienceMs, points }: PlayOptions = {},
): Promise<readonly Violation[]> => {
  const api = openApi(deployment);
  const rounds: Round[] = [];
  const receiver = await receiverFor(deployment, api);
  const feed = await openFeed(api);
  const begin = async ({ name, play: start }: Scenario): Promise<void> => {
    const reference = `${name}-${Math.random().toString(36).slice(2, 8)}`;
    const random = randomFrom(`${seed}/${name}`);
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
};
