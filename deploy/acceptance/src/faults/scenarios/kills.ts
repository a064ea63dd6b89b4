import { type CrashPointName, crashPointNames } from '../crash-points.ts';
import type { EnginesName } from '../deployment.ts';
import { killAt } from '../killing.ts';
import { beginRound, buyersOf, type Context, type Round, type Scenario } from '../round.ts';
import { trade } from '../trade.ts';

/** The points of the short version, which each deployment plays a half of: steps of both, in every service. */
const few: Readonly<Record<EnginesName, readonly CrashPointName[]>> = {
  embedded: [
    'orders-after-hold',
    'catalog-sale-answered',
    'orders-confirmation-answered',
    'tickets-cancelled-handled',
    'orders-tickets-received',
  ],
  scaled: [
    'orders-before-hold',
    'orders-after-sale',
    'tickets-issue-received',
    'orders-cancellation-answered',
    'catalog-release-handled',
  ],
};

/** Plays with the points given. */
const playKills = async (context: Context, points: readonly CrashPointName[]): Promise<Round> => {
  const { random } = context;
  const round = await beginRound(context, NAME, [{ code: 'FLOOR', capacity: 400 }]);
  let over = false;
  const traffic = buyersOf(context, round, 6).map((buyer, index) =>
    trade(buyer, round.hall, random.fork(`trade ${index}`), () => over),
  );
  const missed: CrashPointName[] = [];
  try {
    for (const point of points) {
      const nth = random.between(1, 3);
      if (!(await killAt(point, nth, context.deployment, round))) missed.push(point);
    }
  } finally {
    over = true;
    round.unfinished.push(...traffic);
  }
  round.alsoTrue = (_, check) => {
    check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
  };
  return round;
};

const NAME = 'kills';

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
    const points =
      context.size === 'short' ? few[context.deployment.engines] : context.random.shuffled(crashPointNames).slice(0, 8);
    return playKills(context, points);
  },
};
