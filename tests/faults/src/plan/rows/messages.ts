import { reorderedOf } from '../../scenarios/reordered.ts';
import { type PlanRow, portions } from '../row.ts';

const DELIVERIES = 10_000;
/** The deliveries of one round. */
const PER_ROUND = 1_000;

/** Every message twice and out of order, and one unreadable message for each fifty deliveries. */
export const reordered: PlanRow = {
  number: 9,
  fault: 'every message twice and out of order, and 200 unreadable messages',
  unit: 'deliveries',
  times: { embedded: DELIVERIES, scaled: DELIVERIES },
  play: {
    kind: 'rounds',
    rounds: (count) => portions(count, PER_ROUND).map((units) => ({ units, play: reorderedOf(units).play })),
  },
};
