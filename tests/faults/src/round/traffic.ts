import { openVisit } from '../client/api.ts';
import { openShop } from '../client/shop.ts';
import { openShopper } from '../client/shopper.ts';
import { inTurn, trade } from '../client/trade.ts';
import { buyersOf, type Context, type Round } from './round.ts';

/** Starts clients that go on until `enough`. */
export type Clients = (enough: () => boolean) => readonly Promise<unknown>[];

/** Lets clients act while `act` runs; the round is checked after their last request. */
export const during = async <T>(round: Round, clients: Clients, act: () => Promise<T>): Promise<T> => {
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
};

/** Partners who buy and cancel. */
export const partnersOf = (context: Context, round: Round, count: number, persistent?: boolean): Clients => {
  const buyers = buyersOf(context, round, count, persistent);
  return (enough) =>
    buyers.map((buyer, index) => trade(buyer, round.hall, context.random.fork(`trade ${index}`), enough));
};

/** Seconds for which the point of sale of visitors holds places. */
const HOLD_SECONDS = 20;

/** Visitors of a web shop, who fill carts and buy them. */
export const visitorsOf = async (context: Context, round: Round, count: number): Promise<Clients> => {
  const { api, deployment, random, reference } = context;
  const { hall, journal } = round;
  const shop = await openShop(deployment, api, reference, hall, HOLD_SECONDS);
  const pos = openVisit(deployment);
  return (enough) =>
    Array.from({ length: count }, (_, index) =>
      inTurn(
        (turn) => openShopper({ pos, api, shop, journal, random: random.fork(`visit ${turn} of ${index}`) }).visit(),
        enough,
      ),
    );
};

/** Lets partners and visitors buy and cancel while `act` runs; fewer of them in the short version. */
export const duringTraffic = async <T>(context: Context, round: Round, act: () => Promise<T>): Promise<T> => {
  const each = context.size === 'short' ? 2 : 4;
  const partners = partnersOf(context, round, each);
  const visitors = await visitorsOf(context, round, each);
  return during(round, (enough) => [...partners(enough), ...visitors(enough)], act);
};
