import { clocksOf } from '../../scenarios/clocks.ts';
import { type PlanRow, portions } from '../row.ts';

/** Seconds: a difference that the product bears by promise, and one that it does not. */
const [PROMISED, FAR] = [5, 60] as const;
const TIMES = 20;
const PER_ROUND = 2;

/** The clocks of two instances differ. Each round has one difference: what a greater one relaxes, the other keeps. */
export const clocks: PlanRow = {
  number: 7,
  fault: 'clocks of two instances 5 s and 60 s apart',
  unit: 'differences',
  // The embedded deployment is one process with one clock.
  times: { scaled: TIMES },
  play: {
    kind: 'rounds',
    rounds: (count) =>
      portions(count, PER_ROUND).map((units, index) => {
        const seconds = index % 2 === 0 ? PROMISED : FAR;
        return { units, play: clocksOf(Array.from({ length: units }, () => seconds)).play };
      }),
  },
};
