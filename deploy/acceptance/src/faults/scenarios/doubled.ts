import { trade } from '../client/trade.ts';
import { faithful } from '../inside/orders.ts';
import { beginRound, buyersOf, type Scenario } from '../round/round.ts';

/** Every message is published three times: twice at once, and again after later ones. */
export const doubled: Scenario = {
  name: 'doubled',
  about: 'every message delivered twice, and once more late',
  async play(context) {
    const { deployment, random, size } = context;
    const round = await beginRound(context, 'doubled', [{ code: 'FLOOR', capacity: 400 }]);
    await deployment.behave({ ...faithful, bus: 'doubling' });
    await deployment.deliveries();
    const [buyers, orders] = size === 'short' ? [6, 6] : [12, 20];
    await Promise.all(
      buyersOf(context, round, buyers).map((buyer, index) =>
        trade(buyer, round.hall, random.fork(`trade ${index}`), (done) => done >= orders),
      ),
    );
    const handled: string[] = [];
    round.alsoTrue = async (_, check) => {
      handled.push(...(await deployment.deliveries()).handled);
      const once = new Set(handled).size;
      check.that(
        'round',
        once > 0 && handled.length >= 2 * once,
        () => `${handled.length} deliveries of ${once} facts`,
      );
    };
    round.afterwards = () => deployment.behave(faithful);
    return round;
  },
};
