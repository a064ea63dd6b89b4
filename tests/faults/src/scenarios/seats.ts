import { must } from '../client/api.ts';
import { type Buyer, createdBy } from '../client/buyer.ts';
import type { PlaceView } from '../client/views.ts';
import type { Random } from '../round/random.ts';
import { beginRound, buyersOf, type Round, type Scenario } from '../round/round.ts';

const ROWS = 4;
const SEATS = 10;

/** Two to four adjacent seats, so that requested items overlap. */
const someSeats = (seats: readonly string[], random: Random): string[] => {
  const first = random.between(0, ROWS - 1) * SEATS + random.between(0, SEATS - 4);
  return random.shuffled(seats.slice(first, first + random.between(2, 4)));
};

const orderSeats = async (buyer: Buyer, { hall }: Round, seats: readonly string[], random: Random, count: number) => {
  for (let turn = 0; turn < count; turn++) {
    const placeIds = someSeats(seats, random);
    const [section] = hall.sections;
    const { performanceId, tariffId } = hall;
    const item = { performanceId, tariffId, seatCategoryId: String(section?.id), placeIds };
    const order = createdBy(await buyer.create([item]));
    if (!order) continue;
    if (random.chance(0.6)) await buyer.confirm(order.id);
    if (random.chance(0.6)) await buyer.cancel(order.id);
  }
};

/** Many buyers compete for the same numbered seats, in overlapping groups and different orders. */
export const seats: Scenario = {
  name: 'seats',
  about: 'overlapping numbered seats',
  async play(context) {
    const rows = Array.from({ length: ROWS }, (_, row) => ({ row: String.fromCharCode(65 + row), seats: SEATS }));
    const round = await beginRound(context, 'seats', [{ code: 'STALLS', rows }]);
    const path = `/svc/v3/catalog/performances/${round.hall.performanceId}/places?limit=500`;
    const places: { items: readonly PlaceView[] } = await must(context.api, path);
    const all = places.items.map(({ id }) => id);
    const [buyers, turns] = context.size === 'short' ? [16, 4] : [32, 8];
    await Promise.all(
      buyersOf(context, round, buyers).map((buyer, index) =>
        orderSeats(buyer, round, all, context.random.fork(`items ${index}`), turns),
      ),
    );
    return round;
  },
};
