import { unpaidStates } from '@boxoffice/orders';
import type { Client } from '@boxoffice/testkit';
import { type OrderView, requireData } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import { discountPoints } from '../deployment/crash-points.ts';
import type { Check, Evidence } from '../invariants/verdict.ts';
import type { Random } from '../round/random.ts';
import { beginRound, type Context, openBuyers, type Round, type Scenario } from '../round/round.ts';
import { buildAnyPlacesItem, openPointOfSale } from '../round/stage.ts';
import { repeatUntilEnough, runWithClients } from '../round/traffic.ts';
import { choosePoints, countRounds, killAtEach, requireReached } from './kills.ts';

const HOLD_SECONDS = 8;
/** More buyers ask than there are uses: holds that end, cancellations and removals give them back. */
const LIMIT = 60;
const [BASE, LESS, FEE] = [2_500, 300, 100];

/** A discount of so many uses, and what it leaves of the price. */
interface Limited {
  readonly id: string;
  readonly price: number;
  readonly limit: number;
  /** Absent: it is automatic. */
  readonly code?: string;
}

interface Usage {
  readonly held: number;
  readonly used: number;
  readonly free: number;
}

/** Of this round's performance and point of sale, so that other rounds are as they were. */
const openDiscounts = async ({ api, reference }: Context, { hall }: Round, serviceHost: string): Promise<Limited[]> => {
  const create = (path: string, body: object) =>
    requireData(api, `/svc/v3/catalog/${path}`, { method: 'POST', body: { name: { en: reference }, ...body } });
  const code = reference.toUpperCase().replaceAll(/[^A-Z0-9]/g, '-');
  const tax = await create('taxes', { code, rate: '8.1' });
  const fee = { per: 'ticket', taxId: tax.id, channels: { pointsOfSale: [serviceHost], clientIds: [] } };
  await create('fees', { ...fee, code: `${code}-1`, amount: FEE });
  await create('fees', { ...fee, code: `${code}-2`, percent: '10' });
  const own = { performanceIds: [hall.performanceId] };
  const automatic = { ...own, trigger: 'automatic', effect: { amount: LESS }, limits: { uses: LIMIT } };
  const first: { readonly id: string } = await create('discounts', automatic);
  const coded = { ...own, trigger: 'code', effect: { percent: '50' }, limits: { uses: LIMIT } };
  const half: { readonly id: string } = await create('discounts', coded);
  const path = `/svc/v3/catalog/discounts/${half.id}/codes`;
  await requireData(api, path, { method: 'POST', body: { codes: [{ code, maxUses: LIMIT }] } });
  return [
    { id: first.id, price: BASE - LESS, limit: LIMIT },
    { id: half.id, price: BASE / 2, limit: LIMIT, code },
  ];
};

const isSold = ({ state }: Pick<OrderView, 'state'>): boolean => state === 'confirmed';

/** An order that is bought, left to its end, cancelled, or loses a line first. */
const buy = async (buyer: Buyer, { hall }: Round, serviceHost: string, codes: readonly string[], random: Random) => {
  const item = buildAnyPlacesItem(hall, random.between(1, 3));
  const order = getCreatedOrder(await buyer.create([item], serviceHost, random.chance(0.6) ? codes : []));
  if (!order) return false;
  const fate = random.next();
  const [line, ...others] = order.lines;
  if (line && others.length > 0 && fate > 0.6) await buyer.remove(order.id, line.id);
  if (fate < 0.3) return true;
  if (fate < 0.4) return (await buyer.cancel(order.id)).outcome !== 'unknown';
  if (fate < 0.6) await buyer.pay(order.id, order.total);
  else await buyer.confirm(order.id);
  if (random.chance(0.3)) await buyer.cancel(order.id);
  return true;
};

const readUsage = async (api: Client, { id }: Limited): Promise<Usage> =>
  (await requireData(api, `/svc/v3/catalog/discounts/${id}`)).usage;

/** What wrong sums any look finds. */
const watch = (api: Client, discounts: readonly Limited[], wrong: string[]) => (enough: () => boolean) =>
  discounts.map((discount) =>
    repeatUntilEnough(async () => {
      const { held, used, free } = await readUsage(api, discount);
      const isRight = held + used + free === discount.limit && Math.min(held, used, free) >= 0;
      if (!isRight) wrong.push(`${discount.id}: ${held} held, ${used} used, ${free} free of ${discount.limit}`);
      return false;
    }, enough),
  );

const checkPrices = ({ observed }: Evidence, discounts: readonly Limited[], check: Check): void => {
  for (const { id, lines } of observed.orders)
    for (const { amount, components } of lines) {
      const price = discounts.find((one) => components.some((component) => component.id === one.id))?.price ?? BASE;
      const expected = price + FEE + Math.round(price / 10);
      check.that('prices', amount === expected, () => `${id} has a line of ${amount}, its parts make ${expected}`);
    }
};

/** used = the sold lines that have it, and nothing is held once no order waits. */
const checkUses = async (
  { api, size, points }: Context,
  { observed: { orders } }: Evidence,
  discounts: readonly Limited[],
  check: Check,
): Promise<void> => {
  for (const discount of discounts) {
    const having = (some: readonly OrderView[]): number =>
      some.flatMap(({ lines }) => lines).filter(({ components }) => components.some(({ id }) => id === discount.id))
        .length;
    const { held, used, free } = await readUsage(api, discount);
    const [sold, ended] = [orders.filter(isSold), orders.filter(({ state }) => state === 'expired')];
    const cancelled = orders.filter(({ state }) => state === 'cancelled');
    const waiting = orders.filter(({ state }) => unpaidStates.includes(state));
    const text = () =>
      `${discount.id}: ${used} used, ${held} held, ${free} free; ${having(sold)} lines are sold with it, ${waiting.length} orders wait`;
    const isRight = used === having(sold) && held === 0 && free === discount.limit - used && waiting.length === 0;
    check.that('prices', isRight, text);
    const had = [sold, ended, cancelled].map(having);
    const isWhole = size === 'long' && points === undefined;
    check.that(
      'round',
      !isWhole || Math.min(...had) > 0,
      () => `lines with ${discount.id}: sold, expired, cancelled ${had}`,
    );
  }
};

export const discounts: Scenario = {
  name: 'discounts',
  about:
    'limited uses of a code and of an automatic discount are held, sold, left to expire, cancelled and removed; ' +
    'SIGKILL at eight steps a round of their claim, their sale and their release',
  rounds: countRounds(discountPoints),
  async play(context) {
    const { api, random, size, reference } = context;
    const round = await beginRound(context, [{ code: 'FLOOR', capacity: 600 }]);
    const serviceHost = await openPointOfSale(api, reference, round.hall, HOLD_SECONDS);
    const limited = await openDiscounts(context, round, serviceHost);
    const codes = limited.flatMap(({ code }) => code ?? []);
    const buyers = openBuyers(context, round, size === 'short' ? 3 : 6);
    const wrong: string[] = [];
    const watching = watch(api, limited, wrong);
    const acting = (enough: () => boolean) => [
      ...watching(enough),
      ...buyers.map((buyer, index) =>
        repeatUntilEnough(
          (turn) => buy(buyer, round, serviceHost, codes, random.fork(`order ${turn} of ${index}`)),
          enough,
        ),
      ),
    ];
    const missed = await runWithClients(round, acting, () =>
      killAtEach(context, round, choosePoints(context, discountPoints)),
    );
    round.alsoTrue = async (evidence, check) => {
      requireReached(missed, check);
      check.that('prices', wrong.length === 0, () => wrong.slice(0, 3).join('; '));
      checkPrices(evidence, limited, check);
      await checkUses(context, evidence, limited, check);
    };
    return round;
  },
};
