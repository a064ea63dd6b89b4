import { setTimeout as pause } from 'node:timers/promises';
import { unpaidStates } from '@boxoffice/orders';
import type { Client } from '@boxoffice/testkit';
import { type OrderView, requireData } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import { discountPoints } from '../deployment/crash-points.ts';
import type { Check, Evidence } from '../invariants/verdict.ts';
import type { Entry } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import { beginRound, type Context, openBuyers, type Round, type Scenario } from '../round/round.ts';
import { buildAnyPlacesItem, openPointOfSale } from '../round/stage.ts';
import { repeatUntilEnough, runWithClients, waitForTrade } from '../round/traffic.ts';
import { choosePoints, countRounds, killAtEach, requireReached } from './kills.ts';

const HOLD_SECONDS = 8;
/** Far fewer than are asked for: what ends, is cancelled or removed is taken again at once. */
const LIMIT = 16;
const LOOK_EVERY_MS = 50;
/** What buyers do once nothing fails any more, so that uses change hands. */
const TRADED = { short: 20, long: 200 } as const;
const [BASE, LESS, FEE] = [2_500, 300, 100];

/** A discount of so many uses, and what it leaves of the price. */
interface Limited {
  readonly id: string;
  readonly price: number;
  readonly limit: number;
  /** Absent: it is automatic. */
  readonly code?: string;
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

const countUses = ({ lines }: Pick<OrderView, 'lines'>, { id }: Limited): number =>
  lines.filter(({ components }) => components.some((component) => component.id === id)).length;

/** Orders that have what they were promised: until their buyer begins to give it back, or their hold may have ended. */
type Promised = Map<string, OrderView>;

const isPromised = (order: OrderView): boolean =>
  isSold(order) || (order.expiresAt !== null && Date.parse(order.expiresAt) > Date.now());

interface Trade {
  readonly buyer: Buyer;
  readonly codes: readonly string[];
  readonly promised: Promised;
  readonly wrong: string[];
  readonly limited: readonly Limited[];
  /** The discounts with which this buyer has bought what he keeps. */
  readonly kept: Set<Limited>;
}

const note = ({ promised }: Trade, { answer }: Entry): void => {
  const order = answer as OrderView | null;
  if (order?.lines) promised.set(order.id, order);
};

/** Two at once, of which one is refused. */
const giveBack = async (trade: Trade, id: string, act: () => Promise<Entry>): Promise<void> => {
  trade.promised.delete(id);
  for (const entry of await Promise.all([act(), act()])) if (entry.action === 'remove') note(trade, entry);
};

/** An order that is left to its end, cancelled, or loses a line and is bought, the first ones to be kept. */
const buy = async (trade: Trade, { hall }: Round, serviceHost: string, random: Random) => {
  const { buyer, codes, limited, kept } = trade;
  const item = buildAnyPlacesItem(hall, random.between(1, 3));
  const created = await buyer.create([item], serviceHost, random.chance(0.6) ? codes : []);
  const order = getCreatedOrder(created);
  if (!order) return created.outcome === 'refused';
  note(trade, created);
  const cancel = () => giveBack(trade, order.id, () => buyer.cancel(order.id));
  const fate = random.next();
  if (fate < 0.15) return true;
  if (fate < 0.3) return cancel();
  const [line, ...others] = order.lines;
  if (line && others.length > 0 && fate > 0.5) await giveBack(trade, order.id, () => buyer.remove(order.id, line.id));
  const bought = await (fate < 0.5 ? buyer.pay(order.id, order.total) : buyer.confirm(order.id));
  note(trade, bought);
  if (bought.outcome === 'refused' && bought.unknownTries === 0 && isPromised(order))
    trade.wrong.push(`${order.id} could not be bought, ${bought.code}: it is held until ${order.expiresAt}`);
  const first = limited.find((one) => countUses(order, one) > 0 && !kept.has(one));
  return first ? kept.add(first) : cancel();
};

const readUsage = async (api: Client, { id }: Limited) =>
  (await requireData(api, `/svc/v3/catalog/discounts/${id}`)).usage;

/** What wrong sums any look finds, and uses of which fewer are held than orders have that nobody ended meanwhile. */
const watch = (api: Client, discounts: readonly Limited[], promised: Promised, wrong: string[]) => {
  const look = async (discount: Limited): Promise<void> => {
    const before = [...promised.values()];
    const { held, used, free } = await readUsage(api, discount);
    const had = before.filter((order) => promised.get(order.id) === order && isPromised(order));
    const count = (some: readonly OrderView[]) => some.reduce((sum, order) => sum + countUses(order, discount), 0);
    const isRight = held + used + free === discount.limit && Math.min(held, used, free) >= 0;
    if (!isRight || held + used < count(had) || used < count(had.filter(isSold)))
      wrong.push(
        `${discount.id}: ${held} held, ${used} used, ${free} free of ${discount.limit}; ` +
          `orders have ${count(had)}, ${count(had.filter(isSold))} of them sold`,
      );
    await pause(LOOK_EVERY_MS);
  };
  return (enough: () => boolean) => discounts.map((discount) => repeatUntilEnough(() => look(discount), enough));
};

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
    const having = (some: readonly OrderView[]) => some.reduce((sum, order) => sum + countUses(order, discount), 0);
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
    'fewer uses of a code and of an automatic discount than are asked for are held, sold, left to expire, and ' +
    'cancelled and removed by two at once; SIGKILL at eight steps a round of their claim, their sale and their release',
  rounds: countRounds(discountPoints),
  async play(context) {
    const { api, random, size, reference } = context;
    const round = await beginRound(context, [{ code: 'FLOOR', capacity: 600 }]);
    const serviceHost = await openPointOfSale(api, reference, round.hall, HOLD_SECONDS);
    const limited = await openDiscounts(context, round, serviceHost);
    const codes = limited.flatMap(({ code }) => code ?? []);
    const buyers = openBuyers(context, round, size === 'short' ? 3 : 6);
    const wrong: string[] = [];
    const promised: Promised = new Map();
    const watching = watch(api, limited, promised, wrong);
    const acting = (enough: () => boolean) => [
      ...watching(enough),
      ...buyers.map((buyer, index) => {
        const trade: Trade = { buyer, codes, promised, wrong, limited, kept: new Set() };
        const act = (turn: number) => buy(trade, round, serviceHost, random.fork(`order ${turn} of ${index}`));
        return repeatUntilEnough(act, enough);
      }),
    ];
    const missed = await runWithClients(round, acting, async () => {
      const unreached = await killAtEach(context, round, choosePoints(context, discountPoints));
      await waitForTrade(round, TRADED[size]);
      return unreached;
    });
    round.alsoTrue = async (evidence, check) => {
      requireReached(missed, check);
      check.that('prices', wrong.length === 0, () => wrong.slice(0, 3).join('; '));
      checkPrices(evidence, limited, check);
      await checkUses(context, evidence, limited, check);
    };
    return round;
  },
};
