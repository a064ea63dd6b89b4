// Scenarios: the failures that a deployment must survive.

import { requireData } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import type { Random } from '../round/random.ts';
import { beginRound, type Context, openBuyers, type Round, type Scenario } from '../round/round.ts';
import { buildAnyPlacesItem, type Hall, openPointOfSale, type RequestedItem } from '../round/stage.ts';

const PLACES = 200;
const BUYERS = 64;

/** Buys until nothing is left; a requested item that is too big becomes a single place. */
const buyAll = async (buyer: Buyer, hall: Hall, random: Random): Promise<void> => {
  for (let quantity = random.between(1, 3); ; ) {
    const creation = await buyer.create([buildAnyPlacesItem(hall, quantity)]);
    const order = getCreatedOrder(creation);
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
    const [places, count] = context.size === 'short' ? [80, 24] : [PLACES, BUYERS];
    const round = await beginRound(context, [{ code: 'FLOOR', capacity: places }]);
    const buyers = openBuyers(context, round, count, true);
    await Promise.all(buyers.map((buyer, index) => buyAll(buyer, round.hall, context.random.fork(`items ${index}`))));
    // A place may be released just after the last refusals for lack of places.
    const [last] = buyers;
    if (last) await buyAll(last, round.hall, context.random.fork('last'));
    round.alsoTrue = ({ entries, observed }, check) => {
      const acknowledged = new Set(
        entries.filter(({ action, outcome }) => action === 'confirm' && outcome === 'ok').map(({ subject }) => subject),
      );
      const sold = observed.orders.filter(({ id }) => acknowledged.has(id)).flatMap(({ lines }) => lines).length;
      check.that('round', sold === places, () => `the buyers were sold ${sold} of ${places} places`);
    };
    return round;
  },
};

const beginSeats = async (context: Context, count: number): Promise<{ round: Round; seats: readonly string[] }> => {
  const SEATS_IN_ROW = 10;
  const rows = Array.from({ length: count / SEATS_IN_ROW }, (_, row) => ({ row: `${row + 1}`, seats: SEATS_IN_ROW }));
  const round = await beginRound(context, [{ code: 'STALLS', rows }]);
  const path = `/svc/v3/catalog/performances/${round.hall.performanceId}/places?limit=500`;
  const { items }: { items: readonly { id: string }[] } = await requireData(context.api, path);
  return { round, seats: items.map(({ id }) => id) };
};

const seatsOf = ({ performanceId, tariffId, sections }: Hall, placeIds: readonly string[]): RequestedItem => ({
  performanceId,
  tariffId,
  seatCategoryId: String(sections[0]?.id),
  placeIds,
});

export const seats: Scenario = {
  name: 'seats',
  about: 'overlapping requests for numbered seats',
  async play(context) {
    const { round, seats: all } = await beginSeats(context, 40);
    const [buyers, turns] = context.size === 'short' ? [16, 4] : [32, 8];
    await Promise.all(
      openBuyers(context, round, buyers).map(async (buyer, index) => {
        const random = context.random.fork(`items ${index}`);
        for (let turn = 0; turn < turns; turn++) {
          const first = random.between(0, all.length - 4);
          const chosen = random.shuffle(all.slice(first, first + random.between(2, 4)));
          const order = getCreatedOrder(await buyer.create([seatsOf(round.hall, chosen)]));
          if (!order) continue;
          if (random.chance(0.6)) await buyer.confirm(order.id);
          if (random.chance(0.6)) await buyer.cancel(order.id);
        }
      }),
    );
    return round;
  },
};

/** An order whose only line is removed while two requests add its seat again: it keeps what it then has a line for. */
const exchange = async (buyer: Buyer, { hall }: Round, seat: string): Promise<void> => {
  const item = seatsOf(hall, [seat]);
  const order = getCreatedOrder(await buyer.create([item]));
  const [line] = order?.lines ?? [];
  if (!order || !line) return;
  const add = () => buyer.add(order.id, [item]);
  await Promise.all([add(), buyer.remove(order.id, line.id), add()]);
};

/** Orders give a numbered seat up and take it again at the same moment; a late release must not free it then. */
export const exchanges: Scenario = {
  name: 'exchanges',
  about: 'numbered seats are removed from their orders and added again at the same moment',
  async play(context) {
    const [buyers, turns] = context.size === 'short' ? [6, 10] : [12, 40];
    const { round, seats: all } = await beginSeats(context, buyers * turns);
    await Promise.all(
      openBuyers(context, round, buyers, true).map(async (buyer, index) => {
        for (const id of all.slice(index * turns, (index + 1) * turns)) await exchange(buyer, round, id);
      }),
    );
    round.alsoTrue = ({ observed }, check) => {
      const kept = observed.orders.filter(({ lines }) => lines.length > 0);
      check.that('round', kept.length > 0, () => 'no order has its seat again');
    };
    return round;
  },
};

const HOLD_SECONDS = 0.6;
/** Spread around the deadline of the hold, to both sides. */
const SPREAD_MS = 60;

const at = (instant: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, instant - Date.now())));

const race = async (buyer: Buyer, round: Round, serviceHost: string, random: Random): Promise<void> => {
  const order = getCreatedOrder(
    await buyer.create([buildAnyPlacesItem(round.hall, random.between(1, 2))], serviceHost),
  );
  const deadline = Date.parse(order?.expiresAt ?? '');
  const around = () => deadline + random.between(-SPREAD_MS, SPREAD_MS);
  // Chosen even when the order could not be created, so that later races do not depend on it.
  const [first, second, pays] = [around(), around(), random.chance(0.25)];
  if (!order) return;
  const buy = () => (pays ? buyer.pay(order.id, order.total) : buyer.confirm(order.id));
  await Promise.all([at(first).then(buy), at(second).then(() => buyer.cancel(order.id))]);
};

export const races: Scenario = {
  name: 'races',
  about: '300 races of confirmation, expiry and cancellation within 60 ms around the deadline',
  async play(context) {
    const [total, concurrency] = context.size === 'short' ? [60, 20] : [300, 30];
    const round = await beginRound(context, [{ code: 'FLOOR', capacity: 2 * total }]);
    const serviceHost = await openPointOfSale(context.api, context.reference, round.hall, HOLD_SECONDS);
    await Promise.all(
      openBuyers(context, round, concurrency, true).map(async (buyer, index) => {
        const random = context.random.fork(`races ${index}`);
        for (let turn = 0; turn < total / concurrency; turn++) await race(buyer, round, serviceHost, random);
      }),
    );
    round.alsoTrue = ({ observed: { orders } }, check) => {
      const open = orders.filter(({ state }) => state === 'open');
      check.that('round', open.length === 0, () => 'an order outlives its hold');
      check.that('round', orders.length === total, () => `${orders.length} of ${total} races took place`);
    };
    return round;
  },
};
