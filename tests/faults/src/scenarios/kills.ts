import { trade } from '../client/trade.ts';
import { type CrashPointName, crashPointNames } from '../deployment/crash-points.ts';
import type { EnginesName } from '../deployment/deployment.ts';
import { killAt } from '../deployment/killing.ts';
import { beginRound, buyersOf, type Context, leave, type Round, type Scenario } from '../round/round.ts';

/**
 * The points of the short version; the seed chooses some for each run. Together with those of the checkouts, they cover
 * each point in at least one deployment.
 */
export const shortKills: Readonly<Record<EnginesName, readonly CrashPointName[]>> = {
  embedded: [
    'orders-after-hold',
    'catalog-sale-answered',
    'orders-confirmation-answered',
    'tickets-cancelled-handled',
    'orders-tickets-received',
  ],
  // Each service is killed while the others run.
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

/** Kills at the given points. */
const playKills = async (context: Context, points: readonly CrashPointName[]): Promise<Round> => {
  const { random } = context;
  const round = await beginRound(context, NAME, [{ code: 'FLOOR', capacity: 400 }]);
  let over = false;
  const traffic = buyersOf(context, round, context.size === 'short' ? 3 : 6).map((buyer, index) =>
    trade(buyer, round.hall, random.fork(`trade ${index}`), () => over),
  );
  leave(round, traffic);
  const missed: CrashPointName[] = [];
  try {
    const strike = async (point: CrashPointName): Promise<void> => {
      const nth = random.fork(point).between(1, 3);
      if (!(await killAt(point, nth, context.deployment, round))) missed.push(point);
    };
    await Promise.all(points.map(strike));
  } finally {
    over = true;
  }
  round.alsoTrue = (_, check) => {
    check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
  };
  return round;
};

const NAME = 'kills';
/** The number of kills in the short version: the embedded process restarts after each. */
const SHORT: Readonly<Record<EnginesName, number>> = { embedded: 2, scaled: 3 };

/** A scenario that kills at these points only. */
export const killsAt = (points: readonly CrashPointName[]): Scenario => ({
  name: NAME,
  about: `SIGKILL at ${points.join(', ')}`,
  play: (context) => playKills(context, points),
});

/** A process is killed with SIGKILL at each named step of purchase and cancellation during a sale, and restarted. */
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
