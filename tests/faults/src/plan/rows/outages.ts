import { lacksBrokerControl } from '../../deployment/scaled.ts';
import { longOutageOf } from '../../scenarios/long-outage.ts';
import { type PlanRow, portions } from '../row.ts';

const TIMES = 2;
const MINUTES = 10;

/** The broker is away for ten minutes of a sale. A share plays shorter outages. */
export const outages: PlanRow = {
  number: 10,
  fault: 'broker away for 10 minutes in a full sale, twice',
  unit: 'minutes',
  times: { scaled: TIMES * MINUTES },
  lacks: () => lacksBrokerControl(process.env),
  play: {
    kind: 'rounds',
    rounds: (count) => portions(count, MINUTES).map((units) => ({ units, play: longOutageOf(units).play })),
  },
};
