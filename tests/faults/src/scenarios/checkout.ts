import { openVisit } from '../client/api.ts';
import { openShop } from '../client/shop.ts';
import { openShopper } from '../client/shopper.ts';
import { inTurn } from '../client/trade.ts';
import {
  type CrashPointName,
  checkoutPointNames,
  rescuePointNames,
  type ServiceName,
} from '../deployment/crash-points.ts';
import type { EnginesName } from '../deployment/deployment.ts';
import { killAll, killAt } from '../deployment/killing.ts';
import { beginRound, type Context, leave, type Round, type Scenario } from '../round/round.ts';

/** The failures during checkouts: processes die at points, possibly while every process of another service is dead. */
interface Blow {
  readonly outage?: ServiceName;
  readonly points: readonly CrashPointName[];
}

/** Outages of whole services: the sale may have started by then, or be finished. */
const outages: readonly Blow[] = (
  ['contacts', 'catalog', 'tickets', 'orders', 'pos', 'authorizer', 'gateway'] as const
).map((outage) => ({ outage, points: [] }));

/** The points of the short version; the seed chooses some for each run. */
export const shortCheckout: Readonly<Record<EnginesName, readonly CrashPointName[]>> = {
  embedded: [
    'orders-before-sale',
    'orders-before-issue',
    'orders-before-guest',
    'orders-after-guest',
    'gateway-checkout-received',
  ],
  scaled: [
    'pos-checkout-received',
    'contacts-guest-answered',
    'orders-checkout-received',
    'pos-before-checkout',
    'orders-after-criteria',
    'pos-after-checkout',
    'orders-after-issue',
    'orders-checkout-answered',
    'pos-checkout-answered',
  ],
};

const blowsOf = ({ deployment, size, random }: Context): readonly Blow[] => {
  const { engines } = deployment;
  const few = size === 'short';
  const points = random.shuffled(few ? shortCheckout[engines] : checkoutPointNames).slice(0, few ? SHORT : 8);
  // The embedded deployment has one process: during an outage nothing can answer.
  if (engines === 'embedded') return [{ points }];
  // Without contacts, the checkout of a logged-in user fails before its first write and is cancelled; that cancellation
  // can be killed, too.
  const rescued: Blow = { outage: 'contacts', points: random.shuffled(rescuePointNames).slice(0, few ? 1 : 4) };
  return [{ points }, rescued, ...random.shuffled(outages).slice(0, few ? 0 : 4)];
};

/** The number of points in the short version, besides one of a cancelled checkout. */
const SHORT = 1;

/** The duration of a service's outage, long enough for visitors to notice. */
const GONE_MS = 600;

/** Applies the failures and returns the points that were not reached. */
const strike = async ({ points, outage }: Blow, context: Context, round: Round): Promise<CrashPointName[]> => {
  const { deployment, random } = context;
  const missed: CrashPointName[] = [];
  const kill = async (point: CrashPointName): Promise<void> => {
    const nth = outage === undefined ? random.fork(point).between(1, 3) : 1;
    if (!(await killAt(point, nth, deployment, round))) missed.push(point);
  };
  const act = async (): Promise<void> => {
    if (points.length === 0) await new Promise((resolve) => setTimeout(resolve, GONE_MS));
    await Promise.all(points.map(kill));
  };
  await (outage === undefined ? act() : killAll(outage, deployment, round, act));
  return missed;
};

const NAME = 'checkout';

const playCheckouts = async (context: Context, blows: readonly Blow[]): Promise<Round> => {
  const { api, deployment, random, reference, size } = context;
  const sections = [
    { code: 'FLOOR', capacity: 300 },
    { code: 'FREE', capacity: 300, amount: 0 },
  ];
  const round = await beginRound(context, NAME, sections);
  const holdSeconds = 20;
  const shop = await openShop(deployment, api, reference, round.hall, holdSeconds);
  let over = false;
  const { journal } = round;
  const pos = openVisit(deployment);
  const visitors = Array.from({ length: size === 'short' ? 3 : 8 }, (_, index) =>
    inTurn(
      (turn) => openShopper({ pos, api, shop, journal, random: random.fork(`visit ${turn} of ${index}`) }).visit(),
      () => over,
    ),
  );
  leave(round, visitors);
  const missed: CrashPointName[] = [];
  try {
    for (const blow of blows) missed.push(...(await strike(blow, context, round)));
  } finally {
    over = true;
  }
  round.alsoTrue = ({ checkouts }, check) => {
    check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
    const bought = checkouts.filter(({ answers }) => answers.some(({ state }) => state === 'confirmed'));
    check.that('round', bought.length > 0, () => 'no visitor has bought anything');
  };
  return round;
};

/** A scenario of kills at these steps of a checkout only; the steps of its rescue while contacts is down. */
export const checkoutKillsAt = (points: readonly CrashPointName[]): Scenario => ({
  name: NAME,
  about: `visitors buy carts, SIGKILL at ${points.join(', ')}`,
  play: (context) => {
    const isRescue = (point: CrashPointName) => rescuePointNames.includes(point);
    const rescued: Blow = { outage: 'contacts', points: points.filter(isRescue) };
    const blows = [{ points: points.filter((point) => !isRescue(point)) }, rescued];
    return playCheckouts(
      context,
      blows.filter((blow) => blow.points.length > 0),
    );
  },
});

/** Visitors of a point of sale fill carts and buy them while processes are killed at each step of a checkout. */
export const checkout: Scenario = {
  name: NAME,
  about: `visitors buy carts, SIGKILL at ${checkoutPointNames.length} steps of a checkout and while it is cancelled`,
  play: (context) => playCheckouts(context, blowsOf(context)),
};
