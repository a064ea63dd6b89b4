import { openVisit } from '../client/api.ts';
import { openShop } from '../client/shop.ts';
import { openShopper } from '../client/shopper.ts';
import { inTurn, trade } from '../client/trade.ts';
import { buyersOf, type Context, leave, type Round } from './round.ts';

/** The number of clients of each kind. */
export interface Traffic {
  readonly buyers: number;
  readonly visitors: number;
}

/** Seconds for which the point of sale of the traffic holds places. */
const HOLD_SECONDS = 20;

/**
 * Lets an institution's clients and visitors of a web shop buy and cancel while `act` runs; the round is checked after
 * their last request.
 */
export const duringTraffic = async (
  context: Context,
  round: Round,
  { buyers, visitors }: Traffic,
  act: () => Promise<void>,
): Promise<void> => {
  const { api, deployment, random, reference } = context;
  const { hall, journal } = round;
  const shop = await openShop(deployment, api, reference, hall, HOLD_SECONDS);
  const pos = openVisit(deployment);
  let over = false;
  const partners = buyersOf(context, round, buyers).map((buyer, index) =>
    trade(buyer, hall, random.fork(`trade ${index}`), () => over),
  );
  const visits = Array.from({ length: visitors }, (_, index) =>
    inTurn(
      (turn) => openShopper({ pos, api, shop, journal, random: random.fork(`visit ${turn} of ${index}`) }).visit(),
      () => over,
    ),
  );
  leave(round, [...partners, ...visits]);
  try {
    await act();
  } finally {
    over = true;
  }
};
