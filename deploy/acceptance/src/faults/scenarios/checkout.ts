import { openVisit } from '../api.ts';
import { type CrashPointName, checkoutPointNames, type ServiceName } from '../crash-points.ts';
import type { EnginesName } from '../deployment.ts';
import { killAll, killAt } from '../killing.ts';
import { beginRound, type Context, type Round, type Scenario } from '../round.ts';
import { openShop } from '../shop.ts';
import { openShopper } from '../shopper.ts';

/** What befalls the checkouts: a process dies at a point, while every process of another service is dead, or a whole service dies. */
interface Blow {
  readonly point?: CrashPointName;
  readonly outage?: ServiceName;
}

const at = (point: CrashPointName): Blow => ({ point });

/** Without contacts a checkout meets an error before its first write: it is cancelled, and that can be killed, too. */
const rescued: readonly Blow[] = [
  { outage: 'contacts', point: 'pos-before-rescue' },
  { outage: 'contacts', point: 'orders-rescue-received' },
  { outage: 'contacts', point: 'orders-rescue-answered' },
  { outage: 'contacts', point: 'pos-after-rescue' },
  { outage: 'contacts' },
  // The sale has begun by then; perhaps it is over.
  { outage: 'catalog' },
  { outage: 'tickets' },
  { outage: 'orders' },
  { outage: 'pos' },
  { outage: 'authorizer' },
];

/** The blows of the short version. */
const few: Readonly<Record<EnginesName, readonly Blow[]>> = {
  embedded: (['orders-checkout-received', 'orders-before-issue', 'pos-after-checkout'] as const).map(at),
  scaled: [
    at('orders-after-criteria'),
    at('orders-before-sale'),
    at('orders-after-sale'),
    at('orders-after-issue'),
    at('orders-checkout-answered'),
    at('pos-before-checkout'),
    { outage: 'contacts', point: 'orders-rescue-answered' },
    { outage: 'catalog' },
  ],
};

const blowsOf = ({ deployment, size, random }: Context): readonly Blow[] => {
  const { engines } = deployment;
  if (size === 'short') return few[engines];
  // One process is everything there: an outage leaves nobody to say something.
  if (engines === 'embedded') return random.shuffled(checkoutPointNames).slice(0, 8).map(at);
  return [...random.shuffled(checkoutPointNames).slice(0, 8).map(at), ...random.shuffled(rescued).slice(0, 4)];
};

/** How long a service is gone that dies as a whole: visitors are to notice. */
const GONE_MS = 600;

/** How long a visit takes, when all is well, at most. */
const IMPATIENCE_MS = 1_500;

const strike = async ({ point, outage }: Blow, { deployment, random }: Context, round: Round): Promise<boolean> => {
  if (outage !== undefined) await killAll(outage, deployment, round);
  if (point !== undefined) return killAt(point, outage === undefined ? random.between(1, 3) : 1, deployment, round);
  await new Promise((resolve) => setTimeout(resolve, GONE_MS));
  round.revivals.push(...(await deployment.revive()));
  return true;
};

/** Visitors of a point of sale fill carts and buy them while processes are killed at each step of a checkout. */
export const checkout: Scenario = {
  name: 'checkout',
  about: `visitors buy carts, SIGKILL at ${checkoutPointNames.length} steps of a checkout and while it is cancelled`,
  async play(context) {
    const { api, deployment, random, reference, size } = context;
    const sections = [
      { code: 'FLOOR', capacity: 300 },
      { code: 'FREE', capacity: 300, amount: 0 },
    ];
    const round = await beginRound(context, 'checkout', sections);
    const holdSeconds = 20;
    const shop = await openShop(deployment, api, reference, round.hall, holdSeconds);
    let over = false;
    const { journal } = round;
    const pos = openVisit(deployment);
    const visitors = Array.from({ length: size === 'short' ? 4 : 8 }, async (_, index) => {
      const visits: Promise<void>[] = [];
      for (let turn = 0; !over; turn++) {
        const own = random.fork(`visit ${turn} of ${index}`);
        visits.push(openShopper({ pos, api, shop, journal, random: own }).visit());
        // Whoever waits for a crash to be noticed does not keep the next ones out.
        await Promise.race([visits.at(-1), new Promise((resolve) => setTimeout(resolve, IMPATIENCE_MS))]);
      }
      await Promise.all(visits);
    });
    const missed: string[] = [];
    try {
      for (const blow of blowsOf(context)) {
        if (!(await strike(blow, context, round))) missed.push(`${blow.point}`);
      }
    } finally {
      over = true;
      round.unfinished.push(...visitors);
    }
    round.alsoTrue = ({ checkouts }, check) => {
      check.that('round', missed.length === 0, () => `never reached: ${missed.join(', ')}`);
      const bought = checkouts.filter(({ answers }) => answers.some(({ state }) => state === 'confirmed'));
      check.that('round', bought.length > 0, () => 'no visitor has bought anything');
    };
    return round;
  },
};
