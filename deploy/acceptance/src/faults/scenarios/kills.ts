import { trade } from '../client/trade.ts';
import { type CrashPointName, crashPointNames } from '../deployment/crash-points.ts';
import type { EnginesName } from '../deployment/deployment.ts';
import { killAt } from '../deployment/killing.ts';
import { beginRound, buyersOf, type Context, leave, type Round, type Scenario } from '../round/round.ts';

/**
 * The points of the short version, of which each run plays some, as its seed says: together with those of the checkouts, each point in
 * one deployment at least.
 */
export const shortKills: Readonly<Record<EnginesName, readonly CrashPointName[]>> = {
  embedded: [
    'orders-after-hold',
    'catalog-sale-answered',
    'orders-confirmation-answered',
    'tickets-cancelled-handled',
    'orders-tickets-received',
  ],
  // Each service is killed beside the others.
  scaled: [
    'orders-before-hold',
    'catalog-hold-received',
    'tickets-issue-received',
    'orders-creation-answered',
    'catalog-hold-answered',
    'tickets-confirmed-received',
    'orders-after-sale',
    'catalog-cancelled-received',
    'tickets-confirmed-handled',
    'orders-before-control-check',
    'catalog-release-received',
    'tickets-cancelled-received',
    'orders-cancellation-answered',
    'catalog-release-handled',
    'orders-tickets-handled',
    'orders-released-received',
    'orders-released-handled',
  ],
};

/** Plays with the points given. */
const playKills = async (context: Context, points: readonly CrashPointName[]): Promise<Round> => {
  const { random } = context;
  const round = await beginRound(context, NAME, [{ code: 'FLOOR', capacity: 400 }]);
  let over = false;
  const traffic = buyersOf(context, round, context.size === 'short' ? 3 : 6).map((buyer, index) =>
    trade(buyer, round.hall, random.fork(`trade ${index}`), () => over),
  );
  const missed: CrashPointName[] = [];
  try {
    const strike = async (point: CrashPointName): Promise<void> => {
      const nth = random.fork(point).between(1, 3);
      if (!(await killAt(point, nth, context.deployment, round))) missed.push(point);
    };
    await Promise.all(points.map(strike));
  } finally {
    over = true;
    leave(round, traffic);
  }
  round.alsoTrue = (_, check) => {
    check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
  };
  return round;
};

const NAME = 'kills';
/** So many kills are a short version: where one process is everything, it starts anew after each. */
const SHORT: Readonly<Record<EnginesName, number>> = { embedded: 2, scaled: 3 };

/** Kills at these points and no others. */
export const killsAt = (points: readonly CrashPointName[]): Scenario => ({
  name: NAME,
  about: `SIGKILL at ${points.join(', ')}`,
  play: (context) => playKills(context, points),
});

/** A process is killed with SIGKILL at each named step of purchase and of cancellation while others buy, and started again. */
export const kills: Scenario = {
  name: NAME,
  about: `SIGKILL at ${crashPointNames.length} named steps`,
  play: (context) => {
    const { deployment, random, size } = context;
    const [from, count] =
      size === 'short' ? [shortKills[deployment.engines], SHORT[deployment.engines]] : [crashPointNames, 8];
    const points = random.shuffled(from).slice(0, count);
    return playKills(context, points);
  },
};
