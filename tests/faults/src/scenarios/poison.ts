import { declared } from '@boxoffice/messaging';
import { trade } from '../client/trade.ts';
import { inspect } from '../round/inspection.ts';
import { beginRound, buyersOf, type Scenario } from '../round/round.ts';

/** Facts whose data no consumer can read. */
export const poisons = [
  'order.confirmed',
  'order.cancelled',
  'order.expired',
  'tickets.cancelled',
  'places.released',
] as const;

/** Every queue gets unreadable messages: they become dead letters, and all other work continues. */
export const poison: Scenario = {
  name: 'poison',
  about: 'unreadable messages become dead letters, nothing else does',
  async play(context) {
    const { deployment, random, size } = context;
    const round = await beginRound(context, 'poison', [{ code: 'FLOOR', capacity: 400 }]);
    const inspection = await inspect(deployment.data);
    try {
      for (const type of random.shuffled(poisons)) {
        const key = await inspection.plant(deployment.partner.institution, type, { nonsense: [null] });
        const queues = declared.queues.filter(({ types }) => types.includes(type));
        round.planted.push(...queues.map(({ name }) => `${name} ${key}`));
      }
    } finally {
      await inspection.close();
    }
    const [buyers, orders] = size === 'short' ? [4, 4] : [8, 10];
    await Promise.all(
      buyersOf(context, round, buyers).map((buyer, index) =>
        trade(buyer, round.hall, random.fork(`trade ${index}`), (done) => done >= orders),
      ),
    );
    round.afterwards = async () => {
      const operator = await inspect(deployment.data);
      await operator.dropDeadLetters();
      await operator.close();
    };
    return round;
  },
};
