import { setTimeout as pause } from 'node:timers/promises';
import type { ProductProcess } from '../deployment/process.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round/round.ts';
import { duringTraffic } from '../round/traffic.ts';

/** How many processes die at once, in the order of a long round: three times as often one as two. */
const LONG = [1, 1, 1, 2, 1, 1, 1, 2] as const;
const SHORT = [1, 2] as const;

/** The longest time between the restart of one victim and the next kill, in milliseconds. */
const LONGEST_PAUSE_MS = 1_500;

/** Kills these processes at once and restarts them. */
const killTogether = async (
  { deployment }: Context,
  round: Round,
  victims: readonly ProductProcess[],
): Promise<void> => {
  await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
  round.faults.push(victims.map(({ name }) => name).join(' and '));
  round.revivals.push(...(await deployment.revive(victims)));
};

const playKills = async (context: Context, counts: readonly number[]): Promise<Round> => {
  const { deployment, random, size } = context;
  const round = await beginRound(context, NAME, [
    { code: 'FLOOR', capacity: 400 },
    { code: 'FREE', capacity: 200, amount: 0 },
  ]);
  const clients = size === 'short' ? { buyers: 2, visitors: 2 } : { buyers: 4, visitors: 4 };
  await duringTraffic(context, round, clients, async () => {
    for (const count of counts) {
      await pause(random.between(100, LONGEST_PAUSE_MS));
      await killTogether(context, round, random.shuffled(deployment.processes).slice(0, count));
    }
  });
  return round;
};

const NAME = 'random-kills';

/** A scenario in which so many processes die at once, one kill after the other. */
export const randomKillsOf = (counts: readonly number[]): Scenario => ({
  name: NAME,
  about: `SIGKILL at random moments of ${counts.join(', ')} processes`,
  play: (context) => playKills(context, counts),
});

/** Any process, the gateway and the authorizer included, dies at a random moment, alone or with another one. */
export const randomKills: Scenario = {
  name: NAME,
  about: 'SIGKILL of one process or two at random moments',
  play: (context) => playKills(context, context.size === 'short' ? SHORT : LONG),
};
