import { lacksBrokerControl } from '../../deployment/scaled.ts';
import { brokerFaults, playBrokerFaults } from '../../scenarios/engines/broker.ts';
import { inTurns, type PlanRow, portions } from '../row.ts';

/** The broker killed, restarted, full, and without disk. */
export const brokerDown: PlanRow = {
  number: 4,
  fault: 'the broker killed, restarted, full, its disk alarm on',
  unit: 'faults',
  times: { scaled: 30 },
  lacks: () => lacksBrokerControl(process.env),
  play: {
    kind: 'rounds',
    rounds: (count, random) => {
      const faults = inTurns(random.shuffled(brokerFaults), count);
      return portions(count, brokerFaults.length).map((units, index) => {
        const own = random.shuffled(faults.slice(index * brokerFaults.length).slice(0, units));
        return { units, play: (context) => playBrokerFaults(context, own) };
      });
    },
  },
};
