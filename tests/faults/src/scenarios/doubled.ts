import { setTimeout as pause } from 'node:timers/promises';
import { type Buyer, createdBy } from '../client/buyer.ts';
import { trade } from '../client/trade.ts';
import { faithful } from '../inside/orders.ts';
import { beginRound, buyersOf, type Scenario } from '../round/round.ts';
import { anyPlaces, type Hall, openPointOfSale } from '../round/stage.ts';

const HOLD_SECONDS = 0.6;

/** The section of the late payers; the others buy in the first one. */
const LATE = 1;

/** Pays an order that has just expired, so that copies of its expiry arrive after its sale. */
const payLate = async (buyer: Buyer, hall: Hall, serviceHost: string): Promise<void> => {
  const order = createdBy(await buyer.create([anyPlaces(hall, 1, LATE)], serviceHost));
  if (!order) return;
  await pause(Math.max(0, Date.parse(order.expiresAt ?? '') - Date.now()) + 20);
  await buyer.pay(order.id, order.total);
};

/** Every message is published three times: twice at once, and again after later ones. */
export const doubled: Scenario = {
  name: 'doubled',
  about: 'every message delivered twice, and once more late',
  async play(context) {
    const { api, deployment, random, reference, size } = context;
    const round = await beginRound(context, 'doubled', [
      { code: 'FLOOR', capacity: 400 },
      { code: 'LATE', capacity: 200 },
    ]);
    const serviceHost = await openPointOfSale(api, reference, round.hall, HOLD_SECONDS);
    await deployment.behave({ ...faithful, bus: 'doubling' });
    await deployment.deliveries();
    const [buyers, orders] = size === 'short' ? [6, 6] : [12, 20];
    await Promise.all(
      buyersOf(context, round, buyers).map(async (buyer, index) => {
        await trade(buyer, round.hall, random.fork(`trade ${index}`), (done) => done >= orders);
        await payLate(buyer, round.hall, serviceHost);
      }),
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
