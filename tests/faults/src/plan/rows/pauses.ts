import { pausesOf } from '../../scenarios/pauses.ts';
import { type PlanRow, portions } from '../row.ts';

/** Seconds: shorter than a step's time, longer than it, and longer than every timeout of the product. */
const LENGTHS = [5, 20, 60] as const;

/** SIGSTOP of a process, and SIGCONT. */
export const pauses: PlanRow = {
  number: 3,
  fault: 'SIGSTOP of a process for 5, 20 and 60 s, then SIGCONT',
  unit: 'pauses',
  times: { embedded: 30, scaled: 30 },
  play: {
    kind: 'rounds',
    rounds: (count) =>
      portions(count, LENGTHS.length).map((units) => ({ units, play: pausesOf(LENGTHS.slice(0, units)).play })),
  },
};
