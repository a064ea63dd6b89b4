import { type Buyer, createdBy } from '../client/buyer.ts';
import type { Random } from '../round/random.ts';
import { beginRound, buyersOf, type Scenario } from '../round/round.ts';
import { anyPlaces, type Hall } from '../round/stage.ts';

const PLACES = 200;
const BUYERS = 64;

/** Buys until nothing is left; a requested item that is too big becomes a single place. */
const buyAll = async (buyer: Buyer, hall: Hall, random: Random): Promise<void> => {
  for (let quantity = random.between(1, 3); ; ) {
    const creation = await buyer.create([anyPlaces(hall, quantity)]);
    const order = createdBy(creation);
    if (order) {
      await buyer.confirm(order.id);
      quantity = random.between(1, 3);
    } else if (quantity > 1) quantity = 1;
    else return;
  }
};

/** 64 buyers compete for 200 places: all are sold, none twice, as the buyers count them. */
export const contention: Scenario = {
  name: 'contention',
  about: `${BUYERS} buyers on ${PLACES} places`,
  async play(context) {
    const round = await beginRound(context, 'contention', [{ code: 'FLOOR', capacity: PLACES }]);
    const buyers = buyersOf(context, round, BUYERS, true);
    await Promise.all(buyers.map((buyer, index) => buyAll(buyer, round.hall, context.random.fork(`items ${index}`))));
    // A place may be released just after the last refusals for lack of places.
    const [last] = buyers;
    if (last) await buyAll(last, round.hall, context.random.fork('last'));
    round.alsoTrue = ({ entries, observed }, check) => {
      const acknowledged = new Set(
        entries.filter(({ action, outcome }) => action === 'confirm' && outcome === 'ok').map(({ subject }) => subject),
      );
      const sold = observed.orders.filter(({ id }) => acknowledged.has(id)).flatMap(({ lines }) => lines).length;
      check.that('round', sold === PLACES, () => `the buyers were sold ${sold} of ${PLACES} places`);
    };
    return round;
  },
};
