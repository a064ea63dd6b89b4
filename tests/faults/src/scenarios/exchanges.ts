import { must } from '../client/api.ts';
import { type Buyer, createdBy } from '../client/buyer.ts';
import type { PlaceView } from '../client/views.ts';
import { beginRound, buyersOf, type Round, type Scenario } from '../round/round.ts';

const SEATS_IN_ROW = 20;

/** An order whose only line is removed while two requests add its seat again: it keeps what it then has a line for. */
const exchange = async (buyer: Buyer, { hall }: Round, seat: string): Promise<void> => {
  const { performanceId, tariffId, sections } = hall;
  const item = { performanceId, tariffId, seatCategoryId: String(sections[0]?.id), placeIds: [seat] };
  const order = createdBy(await buyer.create([item]));
  const [line] = order?.lines ?? [];
  if (!order || !line) return;
  const add = () => buyer.add(order.id, [item]);
  await Promise.all([add(), buyer.remove(order.id, line.id), add()]);
};

/** Orders give a numbered seat up and take it again at the same moment; a late release must not free it then. */
export const exchanges: Scenario = {
  name: 'exchanges',
  about: 'numbered seats removed and added again at once',
  async play(context) {
    const [buyers, turns] = context.size === 'short' ? [6, 10] : [12, 40];
    const rows = Array.from({ length: (buyers * turns) / SEATS_IN_ROW }, (_, row) => ({
      row: `${row + 1}`,
      seats: SEATS_IN_ROW,
    }));
    const round = await beginRound(context, 'exchanges', [{ code: 'STALLS', rows }]);
    const path = `/svc/v3/catalog/performances/${round.hall.performanceId}/places?limit=500`;
    const places: { items: readonly PlaceView[] } = await must(context.api, path);
    await Promise.all(
      buyersOf(context, round, buyers, true).map(async (buyer, index) => {
        for (const { id } of places.items.slice(index * turns, (index + 1) * turns)) await exchange(buyer, round, id);
      }),
    );
    round.alsoTrue = ({ observed }, check) => {
      const kept = observed.orders.filter(({ lines }) => lines.length > 0);
      check.that('round', kept.length > 0, () => 'no order has its seat again');
    };
    return round;
  },
};
