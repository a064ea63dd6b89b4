import {
  accessPointNames,
  type CrashPointName,
  checkoutPointNames,
  crashPoints,
  rescuePointNames,
} from '../../deployment/crash-points.ts';
import type { EnginesName } from '../../deployment/deployment.ts';
import type { Random } from '../../round/random.ts';
import type { Scenario } from '../../round/round.ts';
import { checkoutKillsAt } from '../../scenarios/checkout.ts';
import { closing } from '../../scenarios/closing.ts';
import { commandKillsAt } from '../../scenarios/commands.ts';
import { killsAt } from '../../scenarios/kills.ts';
import { randomKillsOf } from '../../scenarios/random-kills.ts';
import { signInKillsAt } from '../../scenarios/sign-ins.ts';
import { type PlannedRound, type PlanRow, portions } from '../row.ts';

const TIMES = 4;
/** The kills of one round. */
const PER_ROUND = 8;

/**
 * The points of sales that a deployment reaches: while contacts is down, the one process of the embedded one is down,
 * too.
 */
const pointsOf = (engines: EnginesName): CrashPointName[] =>
  (Object.keys(crashPoints) as CrashPointName[])
    .filter((name) => !accessPointNames.includes(name))
    .filter((name) => engines === 'scaled' || !rescuePointNames.includes(name));

const kinds = (engines: EnginesName): number => pointsOf(engines).length + accessPointNames.length;

/** Divides points into rounds of the scenario that reaches them. */
const roundsOf = (points: readonly CrashPointName[], play: (points: readonly CrashPointName[]) => Scenario) => {
  let taken = 0;
  return portions(points.length, PER_ROUND).map((units): PlannedRound => {
    const own = points.slice(taken, taken + units);
    taken += units;
    return { units, play: (context) => play(own).play(context) };
  });
};

const rounds = (count: number, random: Random, engines: EnginesName): PlannedRound[] => {
  const all = pointsOf(engines);
  // A share plays as many different points as it can.
  const some = (points: readonly CrashPointName[], name: string, most: number): CrashPointName[] =>
    Array.from({ length: TIMES }, (_, time) => random.fork(`${name} ${time}`).shuffled(points))
      .flat()
      .slice(0, most);
  const ofSales = Math.round((count * all.length) / kinds(engines));
  const chosen = some(all, 'time', ofSales);
  const ofAccess = some(accessPointNames, 'access', count - ofSales);
  const step = (name: CrashPointName) => crashPoints[name].step;
  const closings = chosen.filter((name) => step(name) === 'closing');
  const own: readonly string[] = [...checkoutPointNames, ...rescuePointNames];
  const ofCheckouts = chosen.filter((name) => step(name) !== 'purchase' && own.includes(name));
  const others = chosen.filter((name) => step(name) === 'purchase' || step(name) === 'cancellation');
  return [
    ...roundsOf(others, killsAt),
    ...roundsOf(ofCheckouts, checkoutKillsAt),
    ...roundsOf(
      chosen.filter((name) => step(name) === 'command'),
      commandKillsAt,
    ),
    ...closings.map((): PlannedRound => ({ units: 1, play: closing.play })),
    ...roundsOf(ofAccess, signInKillsAt),
  ];
};

/** SIGKILL at every known point of every command and reaction. */
export const killsAtPoints: PlanRow = {
  number: 1,
  fault: 'SIGKILL of a process at each known point of every command and reaction, four times',
  unit: 'kills',
  times: { embedded: TIMES * kinds('embedded'), scaled: TIMES * kinds('scaled') },
  play: { kind: 'rounds', rounds },
};

const ONE = 150;
const TWO = 50;

/** SIGKILL of one process or two at random moments. */
export const killsAtRandomMoments: PlanRow = {
  number: 2,
  fault: 'SIGKILL at a random moment, three times of one process, once of two at once',
  unit: 'kills',
  // The embedded deployment is one process: there are no two to kill at once.
  times: { embedded: ONE, scaled: ONE + TWO },
  play: {
    kind: 'rounds',
    rounds: (count, random, engines) =>
      portions(count, PER_ROUND).map((units) => {
        const counts = Array.from({ length: units }, (_, index) => (engines === 'scaled' && index % 4 === 3 ? 2 : 1));
        return { units, play: randomKillsOf(random.shuffled(counts)).play };
      }),
  },
};
