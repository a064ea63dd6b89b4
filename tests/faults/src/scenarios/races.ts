import { type Buyer, createdBy } from '../client/buyer.ts';
import type { Random } from '../round/random.ts';
import { beginRound, buyersOf, type Round, type Scenario } from '../round/round.ts';
import { anyPlaces, openPointOfSale } from '../round/stage.ts';

const HOLD_SECONDS = 0.6;
/** Spread around the deadline of the hold, to both sides. */
const SPREAD_MS = 60;

const at = (instant: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, instant - Date.now())));

const race = async (buyer: Buyer, round: Round, serviceHost: string, random: Random): Promise<void> => {
  const order = createdBy(await buyer.create([anyPlaces(round.hall, random.between(1, 2))], serviceHost));
  const deadline = Date.parse(order?.expiresAt ?? '');
  const around = () => deadline + random.between(-SPREAD_MS, SPREAD_MS);
  // Chosen even when the order could not be created, so that later races do not depend on it.
  const [first, second, pays] = [around(), around(), random.chance(0.25)];
  if (!order) return;
  const buy = () => (pays ? buyer.pay(order.id, order.total) : buyer.confirm(order.id));
  await Promise.all([at(first).then(buy), at(second).then(() => buyer.cancel(order.id))]);
};

/** Confirmation (or payment), expiry and cancellation of an order at the same moment. */
export const races: Scenario = {
  name: 'races',
  about: '300 races of confirmation, expiry and cancellation',
  async play(context) {
    const [total, abreast] = context.size === 'short' ? [60, 20] : [300, 30];
    const round = await beginRound(context, 'races', [{ code: 'FLOOR', capacity: 2 * total }]);
    const serviceHost = await openPointOfSale(context.api, context.reference, round.hall, HOLD_SECONDS);
    await Promise.all(
      buyersOf(context, round, abreast, true).map(async (buyer, index) => {
        const random = context.random.fork(`races ${index}`);
        for (let turn = 0; turn < total / abreast; turn++) await race(buyer, round, serviceHost, random);
      }),
    );
    round.alsoTrue = ({ observed }, check) => {
      const ended = observed.orders.filter(({ state }) => state !== 'open');
      check.that('round', ended.length === observed.orders.length, () => 'an order outlives its hold');
      check.that(
        'round',
        observed.orders.length === total,
        () => `${observed.orders.length} of ${total} races took place`,
      );
    };
    return round;
  },
};
