import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '@boxoffice/testkit';
import { type OrderView, openVisit } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import { openShop, visitShop } from '../client/shop.ts';
import type { Random } from './random.ts';
import { type Context, openBuyers, type Round } from './round.ts';
import { buildAnyPlacesItem, type Hall } from './stage.ts';

/** The longest time for which one purchase delays the next: a wait for crash detection does not stop the sale. */
const REQUEST_TIMEOUT_MS = 1_500;
/** The most purchases in flight. */
const CONCURRENCY = 3;

/** After a purchase that could not begin: clients in a hurry would leave the starting processes no processor. */
const PAUSE_MS = 500;

/**
 * Runs one after the other, until `enough` returns true; resolves when all are finished. After one that returns false
 * there is a pause.
 */
export async function repeatUntilEnough(act: (turn: number) => Promise<unknown>, enough: () => boolean): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for (let turn = 0; !enough(); turn++) {
    const one = act(turn)
      .then((begun) => (begun === false ? pause(PAUSE_MS) : undefined))
      .finally(() => underWay.delete(one));
    underWay.add(one);
    await Promise.race(underWay.size < CONCURRENCY ? [one, pause(REQUEST_TIMEOUT_MS)] : underWay);
  }
  await Promise.all(underWay);
}

const TRADED_MS = 90_000;

/** Waits until so many more requests of a round's clients were acknowledged. */
export async function waitForTrade({ journal, slack }: Round, count: number): Promise<void> {
  const countTraded = () => journal.entries.filter(({ outcome }) => outcome === 'ok').length;
  const enough = countTraded() + count;
  await waitUntil(() => countTraded() >= enough, { what: 'acknowledged requests', withinMs: TRADED_MS * slack });
}

/** One purchase after the other, most of them cancelled again, until `enough` returns true. */
export function tradeUntilEnough(buyer: Buyer, hall: Hall, random: Random, enough: () => boolean): Promise<void> {
  return repeatUntilEnough(async (turn) => {
    const own = random.fork(`${turn}`);
    const quantity = own.between(1, 3);
    const items = [buildAnyPlacesItem(hall, quantity)];
    const isSold = own.chance(0.4);
    const amount = own.chance(0.5) ? quantity * Number(hall.sections[0]?.amount) : null;
    const order = getCreatedOrder(await (isSold ? buyer.sell(items, amount) : buyer.create(items)));
    if (order) await (isSold ? useSold(buyer, order, own) : goOn(buyer, order, own));
    return order !== undefined;
  }, enough);
}

const goOn = async (buyer: Buyer, { id, total }: OrderView, random: Random): Promise<void> => {
  const fate = random.next();
  if (fate < 0.1) return; // the hold lapses, or stays
  if (fate < 0.2) return void (await buyer.cancel(id));
  if (fate < 0.3) await buyer.reserve(id, new Date(Date.now() + 3_600_000));
  const bought = fate < 0.5 ? await buyer.pay(id, total) : await buyer.confirm(id);
  if (bought.outcome === 'unknown' && random.chance(0.5)) await buyer.confirm(id);
  await useSold(buyer, { id, lines: (bought.answer as Partial<OrderView> | null)?.lines ?? [] }, random);
};

const useSold = async (buyer: Buyer, { id, lines }: Pick<OrderView, 'id' | 'lines'>, random: Random): Promise<void> => {
  const [first] = lines.flatMap(({ ticketId }) => ticketId ?? []);
  if (first !== undefined && random.chance(0.4)) {
    await buyer.print(first);
    if (random.chance(0.5)) await buyer.control(first);
  }
  if (random.chance(0.6)) await buyer.cancel(id, random.chance(0.3));
};

/** Starts clients that go on until `enough`. */
export type Clients = (enough: () => boolean) => readonly Promise<unknown>[];

/** Lets clients act while `act` runs; the round is checked after their last request. */
export async function runWithClients<T>(round: Round, clients: Clients, act: () => Promise<T>): Promise<T> {
  let over = false;
  const acting = clients(() => over);
  round.unfinished.push(...acting);
  // The rejection reaches the caller that awaits the round.
  for (const client of acting) client.catch(() => undefined);
  try {
    return await act();
  } finally {
    over = true;
  }
}

export function createPartners(context: Context, round: Round, count: number, persistent?: boolean): Clients {
  const buyers = openBuyers(context, round, count, persistent);
  return (enough) =>
    buyers.map((buyer, index) => tradeUntilEnough(buyer, round.hall, context.random.fork(`trade ${index}`), enough));
}

/** Seconds for which the point of sale of visitors holds places. */
const HOLD_SECONDS = 20;

export async function createVisitors(context: Context, round: Round, count: number): Promise<Clients> {
  const { api, deployment, random, reference } = context;
  const { hall, journal } = round;
  const shop = await openShop(deployment, api, reference, hall, HOLD_SECONDS);
  const pos = openVisit(deployment);
  return (enough) =>
    Array.from({ length: count }, (_, index) =>
      repeatUntilEnough(
        (turn) => visitShop({ pos, api, shop, journal, random: random.fork(`visit ${turn} of ${index}`) }),
        enough,
      ),
    );
}

/** Lets partners and visitors buy and cancel while `act` runs; fewer of them in the short version. */
export async function runDuringTraffic<T>(context: Context, round: Round, act: () => Promise<T>): Promise<T> {
  const each = context.size === 'short' ? 2 : 4;
  const partners = createPartners(context, round, each);
  const visitors = await createVisitors(context, round, each);
  return runWithClients(round, (enough) => [...partners(enough), ...visitors(enough)], act);
}
