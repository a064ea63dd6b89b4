import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@boxoffice/testkit';
import { type ChangeView, findOrder, type LineView, type OrderView, requireData } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import { exchangePoints } from '../deployment/crash-points.ts';
import { checkChanges } from '../invariants/changes.ts';
import { checkChangeEvents } from '../invariants/events.ts';
import type { Evidence } from '../invariants/verdict.ts';
import type { Random } from '../round/random.ts';
import { beginRound, type Context, openBuyers, type Round, type Scenario, selectShare } from '../round/round.ts';
import { buildAnyPlacesItem, type Hall, openHall, openPointOfSale } from '../round/stage.ts';
import { repeatUntilEnough, runWithClients, waitForTrade } from '../round/traffic.ts';
import { choosePoints, countRounds, killAt, killAtEach, requireReached } from './kills.ts';

const HOLD_SECONDS = 6;
/** Of the return of the lines of a cancelled performance. */
const CLOSING = ['orders-performance-cancelled-received', 'orders-before-tickets', 'orders-after-release'];
/** Of each performance: fewer than buyers want, so that somebody takes at once what a change lets go. */
const CAPACITY = 60;
/** Of the two tariffs: exchanges cost something, or leave credit. */
const AMOUNTS = [2_500, 3_100] as const;
const POLICY = { returnMinutes: 0, returnFee: { amount: 200 }, exchangeMinutes: 0, exchangeFee: { percent: '10' } };

/** What is done with a due: at once, later, after the hold of the new places, or never. */
const WAYS = ['captured', 'onAccount', 'paid', 'pledged', 'failed', 'late', 'withdrawn', 'left'] as const;
/** The acknowledged requests before and after the kills. */
const TRADED = { short: 15, long: 150 } as const;

/** Two performances, of which orders have lines, each for two tariffs. */
interface Stage {
  readonly halls: readonly [Hall, Hall];
  readonly tariffIds: readonly string[];
  readonly serviceHost: string;
  readonly contactNumber: string;
}

const openStage = async ({ api, reference }: Context, hall: Hall): Promise<Stage> => {
  const other = await openHall(api, `${reference}-other`, [{ code: 'FLOOR', capacity: CAPACITY }]);
  const halls = [hall, other] as const;
  const tariffIds = halls.map(({ tariffId }) => tariffId);
  const prices = tariffIds.map((tariffId, index) => ({ seatCategory: 'FLOOR', tariffId, amount: AMOUNTS[index] }));
  const change = (path: string, body: object) => requireData(api, `/svc/v3/catalog/${path}`, { method: 'PATCH', body });
  for (const tariffId of tariffIds) await change(`tariffs/${tariffId}`, { returnPolicy: POLICY });
  for (const { performanceId } of halls) await change(`performances/${performanceId}`, { prices });
  const serviceHost = await openPointOfSale(api, reference, hall, HOLD_SECONDS);
  await change(`points-of-sale/${serviceHost}`, { tariffIds });
  // Fewer uses than lines are exchanged for the dearer tariff.
  const few = { tariffIds: tariffIds.slice(1), trigger: 'automatic', effect: { amount: 100 }, limits: { uses: 20 } };
  const body = { ...few, name: { en: reference } };
  await requireData(api, '/svc/v3/catalog/discounts', { method: 'POST', body });
  const contact = { lastName: 'Buyer', email: `${reference}@example.org` };
  const { contactNumber } = await requireData(api, '/svc/v3/contacts/individuals', { method: 'POST', body: contact });
  return { halls, tariffIds, serviceHost, contactNumber };
};

interface Trade extends Stage {
  readonly api: Client;
  readonly buyer: Buyer;
  /** Ids of orders of this buyer. */
  readonly own: string[];
  readonly wrong: string[];
}

/** For the first tariff, in one or both performances; paid at once, or on account. */
const sell = async ({ buyer, halls, tariffIds: [tariffId = ''], serviceHost, own }: Trade, random: Random) => {
  const [first, second] = random.shuffle([...halls]) as [Hall, Hall];
  const counts = [random.between(1, 2), random.between(0, 2)];
  const items = [first, second].flatMap((hall, index) => {
    const count = counts[index] ?? 0;
    return count > 0 ? [{ ...buildAnyPlacesItem(hall, count), tariffId }] : [];
  });
  const total = counts.reduce((sum, count) => sum + count, 0) * AMOUNTS[0];
  const sold = await buyer.sell(items, random.chance(0.8) ? total : null, serviceHost);
  const order = getCreatedOrder(sold);
  if (order) own.push(order.id);
  return sold.outcome;
};

/** A return, an exchange for the other performance, or for the other tariff on the same seat. */
const toWish = ({ halls, tariffIds }: Trade, random: Random) => {
  const all = halls.map(({ performanceId, sections }) => ({ performanceId, seatCategoryId: String(sections[0]?.id) }));
  return ({ id: lineId, performanceId, seatCategoryId, tariffId }: LineView) => {
    const other = all.find((one) => one.performanceId !== performanceId);
    if (random.chance(0.35) || !other) return { returns: [{ lineId }], exchanges: [] };
    const tariff = tariffIds.find((one) => one !== tariffId) ?? tariffId;
    const to = random.chance(0.4)
      ? { performanceId, seatCategoryId, tariffId: tariff }
      : { ...other, tariffId: random.chance(0.5) ? tariff : tariffId };
    return { returns: [], exchanges: [{ lineId, ...to }] };
  };
};

/** Quotes a change of one or two lines and makes it, perhaps while something else happens to the order. */
const alter = async (trade: Trade, order: OrderView, random: Random): Promise<void> => {
  const { api, buyer } = trade;
  const leaving = random.shuffle([...order.lines]).slice(0, random.between(1, 2));
  const wishes = leaving.map(toWish(trade, random));
  const wanted = {
    returns: wishes.flatMap(({ returns }) => returns),
    exchanges: wishes.flatMap(({ exchanges }) => exchanges),
    ...(random.chance(0.2) && { override: true }),
  };
  const quote = await requireData(api, `/svc/v3/orders/${order.id}/changes/quotes`, { method: 'POST', body: wanted });
  if (quote.difference === null) return;
  const way = WAYS[random.between(0, WAYS.length - 1)];
  const { due, credit, difference } = quote;
  const how = {
    ...(due > 0 && way === 'captured' && { payment: { method: 'card', status: 'captured' } }),
    ...(due > 0 && way === 'onAccount' && { onAccount: true }),
    ...(credit > 0 && random.chance(0.5) && { refund: { method: 'card' } }),
  };
  const [made] = await Promise.all([
    buyer.alter(order.id, { ...wanted, difference, ...how }, 'payment' in how ? due : 0),
    look(trade, order),
    ...(random.chance(0.35) ? [disturb(trade, order, leaving, random)] : []),
  ]);
  const change = made.answer as ChangeView | null;
  const ticketId = leaving[0]?.ticketId;
  if (change?.state === 'pending') await end(trade, order.id, change, way);
  else if (change && ticketId && random.chance(0.3)) await buyer.control(ticketId);
};

/** Both places or one, never neither: what is a line before and after this look has its place sold meanwhile. */
const look = async ({ api, halls, wrong }: Trade, { id, lines }: OrderView): Promise<void> => {
  const paths = halls.map(({ performanceId }) => `performances/${performanceId}/places?state=sold&limit=${CAPACITY}`);
  const pages = await Promise.all(paths.map((path) => requireData(api, `/svc/v3/catalog/${path}`)));
  const sold = new Set(pages.flatMap(({ items }) => items.map((place: { readonly id: string }) => place.id)));
  const then = await findOrder(api, id);
  const stays = then?.state === 'confirmed' ? then.lines.map((line) => line.id) : [];
  const lost = lines.filter((line) => stays.includes(line.id) && !sold.has(line.place.id));
  wrong.push(...lost.map((line) => `${line.place.id} of ${line.id} of ${id}`));
};

/** Meanwhile a ticket opens a door, the order is cancelled or named, or another change wants the same lines. */
const disturb = async (
  { buyer, contactNumber }: Trade,
  { id }: OrderView,
  leaving: readonly LineView[],
  random: Random,
) => {
  const [first] = leaving;
  const fate = random.next();
  if (fate < 0.15) await buyer.cancel(id, random.chance(0.5));
  else if (fate < 0.4) await buyer.change(id, contactNumber);
  else if (fate < 0.7 && first?.ticketId) await buyer.control(first.ticketId);
  else await buyer.alter(id, { returns: leaving.map((line) => ({ lineId: line.id })), difference: -1 });
};

const end = async ({ buyer }: Trade, id: string, change: ChangeView, way: (typeof WAYS)[number] | undefined) => {
  if (way === 'late') await pause(HOLD_SECONDS * 1_000);
  if (way === 'withdrawn') await buyer.withdraw(id, change.id);
  else if (way === 'pledged' || way === 'failed') {
    const { answer } = await buyer.pledge(id, change.due, change.id);
    const paymentId = (answer as { readonly id?: string } | null)?.id;
    if (paymentId && way === 'pledged') await buyer.settle(id, paymentId, change.due);
    else await buyer.withdraw(id, change.id);
  } else if (way !== 'left' || change.exchanges.length === 0) await buyer.pay(id, change.due, change.id);
};

/** Sells an order, changes an earlier one several times, or cancels it. */
const act = async (trade: Trade, random: Random): Promise<boolean> => {
  const { api, buyer, own } = trade;
  const outcome = random.chance(0.4) || own.length === 0 ? await sell(trade, random) : undefined;
  const id = own.length > 0 ? own[random.between(0, own.length - 1)] : undefined;
  const order = id === undefined ? undefined : await findOrder(api, id);
  if (order?.state !== 'confirmed' || order.lines.length === 0) return outcome !== 'unknown';
  if (random.chance(0.15)) await buyer.cancel(order.id);
  else await alter(trade, order, random);
  return true;
};

/** Everything that the invariants compare, read once it may be quiet. */
const readState = async (api: Client, halls: Stage['halls'], { entries, observed: { orders, tickets } }: Evidence) => {
  const changes = new Map<string, readonly ChangeView[]>();
  for (const { id, change, formerLines } of orders)
    if (change !== null || formerLines.length > 0)
      changes.set(id, (await requireData(api, `/svc/v3/orders/${id}/changes?limit=100`)).items);
  const door = new Map<string, string>();
  const stock = new Map<string, { readonly held: number; readonly sold: number }>();
  for (const { performanceId } of halls) {
    const { items } = await requireData(api, `/svc/v3/tickets/statuses/all?performanceId=${performanceId}`);
    for (const { id, status } of items) door.set(id, status);
    const { seatCategories } = await requireData(api, `/svc/v3/catalog/performances/${performanceId}/availability`);
    stock.set(performanceId, seatCategories[0]);
  }
  return { entries, orders, changes, tickets, door, stock };
};

export const changes: Scenario = {
  name: 'changes',
  about:
    'lines are returned and exchanged, also for another tariff on the same seat, with a due that is paid, pledged, ' +
    'left, withdrawn or comes too late, while their tickets are controlled and their orders cancelled; SIGKILL at ' +
    'eight steps a round, and as one of two performances is cancelled',
  rounds: countRounds(exchangePoints),
  async play(context) {
    const { api, random, size } = context;
    const begun = await beginRound(context, [{ code: 'FLOOR', capacity: CAPACITY }]);
    const stage = await openStage(context, begun.hall);
    const round: Round = { ...begun, others: [stage.halls[1]], closed: true };
    const wrong: string[] = [];
    const buyers = openBuyers(context, round, size === 'short' ? 3 : 6);
    const [, { performanceId: ending }] = stage.halls;
    const acting = (enough: () => boolean) =>
      buyers.map((buyer, index) => {
        const trade: Trade = { ...stage, api, buyer, own: [], wrong };
        return repeatUntilEnough((turn) => act(trade, random.fork(`act ${turn} of ${index}`)), enough);
      });
    const missed = await runWithClients(round, acting, async () => {
      await waitForTrade(round, TRADED[size]);
      const unreached = await killAtEach(context, round, choosePoints(context, exchangePoints));
      const path = `/svc/v3/catalog/performances/${ending}`;
      const close = () => requireData(api, path, { method: 'PATCH', body: { state: 'cancelled' } });
      for (const point of selectShare(context, CLOSING, 1))
        if (!(await killAt(context, round, point, 1, close))) unreached.push(point);
      await waitForTrade(round, TRADED[size]);
      return unreached;
    });
    round.alsoTrue = async (evidence, check) => {
      requireReached(missed, check);
      check.that('changes', wrong.length === 0, () => `not sold, and a line: ${wrong.join(', ')}`);
      const state = await readState(api, stage.halls, evidence);
      checkChanges({ ...state, cancelled: ending }, check);
      if (evidence.received) checkChangeEvents([...state.changes.values()].flat(), evidence.received.events, check);
    };
    return round;
  },
};
