import type { ListPage, ShopKeeper } from './shop-keeper.ts';

// The first orders of the demo, as a box office takes them: held, then confirmed on account.

interface Order {
  readonly id: string;
  readonly state: string;
}

interface Item {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

interface Priced {
  readonly seatCategoryId: string;
  readonly tariffId: string;
}

const PLACES_PER_ORDER = 8;

/** Places that an earlier start has held or sold count. */
export async function sellUntilLeft(keeper: ShopKeeper, performanceId: string, left: number): Promise<void> {
  await listSoldOrders(keeper, performanceId);
  const id = performanceId;
  const { prices } = await keeper<{ readonly prices: readonly Priced[] }>('getPerformance', { id });
  const [price] = prices;
  if (!price) return;
  const { seatCategories } = await keeper<{
    readonly seatCategories: readonly { readonly id: string; readonly free: number }[];
  }>('getAvailability', { id });
  const { seatCategoryId, tariffId } = price;
  const free = seatCategories.find(({ id }) => id === seatCategoryId)?.free ?? 0;
  for (let rest = free - left; rest > 0; rest -= PLACES_PER_ORDER)
    await sell(
      keeper,
      performanceId,
      [{ performanceId, seatCategoryId, tariffId, quantity: Math.min(rest, PLACES_PER_ORDER) }],
      String(rest),
    );
}

/** Confirms what an interrupted start left open; returns the orders of the performance that are sold. */
const listSoldOrders = async (keeper: ShopKeeper, performanceId: string): Promise<readonly Order[]> => {
  const query = { externalReference: referenceOf(performanceId) };
  const { items } = await keeper<ListPage<Order>>('listOrders', { query });
  for (const order of items) if (order.state === 'open') await confirm(keeper, order);
  return items.filter(({ state }) => state === 'open' || state === 'confirmed');
};

const referenceOf = (performanceId: string): string => `demo ${performanceId}`;

const confirm = (keeper: ShopKeeper, { id }: Pick<Order, 'id'>): Promise<unknown> =>
  keeper('confirmOrder', { id, body: { onAccount: true } });

/** `name` tells it from the performance's others, so that a repeat after a lost answer is the same. */
const sell = async (keeper: ShopKeeper, performanceId: string, items: readonly Item[], name: string): Promise<void> => {
  const body = { externalReference: referenceOf(performanceId), ticketDelivery: 'electronic', items };
  const idempotencyKey = `demo-${performanceId}-${name}`;
  await confirm(keeper, await keeper<Order>('createOrder', { body, idempotencyKey }));
};

interface Place {
  readonly id: string;
  readonly seatCategoryId: string;
  readonly row?: string;
}

/** Neighbours, as couples and families buy them, more of the better ones; a quarter to two thirds, by the evening. */
export function selectSoldPlaces(places: readonly Place[], evening: number): Place[] {
  const random = randomFrom(evening);
  const demand = 0.35 + random() * 0.6;
  const taken: Place[] = [];
  for (let at = 0; at < places.length; ) {
    const party = 1 + Math.floor(random() * 4);
    const { row } = places[at] ?? {};
    const group = places.slice(at, at + party).filter((place) => place.row === row);
    if (random() < demand * (1.1 - (0.6 * at) / places.length)) taken.push(...group);
    at += group.length;
  }
  return taken;
}

/** A sequence of numbers in [0, 1) that is the same in every installation (Park and Miller). */
const randomFrom = (seed: number) => {
  let state = (seed * 7_919 + 104_729) % 2_147_483_647;
  return (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

const PLACES_PER_ITEM = 50;

/** The evenings whose halls are partly sold. */
const EVENINGS = 24;

interface Evening {
  readonly id: string;
  readonly seatCategories: readonly { readonly id: string; readonly numbered: boolean }[];
  readonly prices: readonly Priced[];
}

/** Sells parts of the first evenings with numbered seats; `fixtures` are left as they are. */
export async function sellFirstEvenings(keeper: ShopKeeper, fixtures: ReadonlySet<string>): Promise<void> {
  const query = { limit: `${2 * EVENINGS}` };
  const { items } = await keeper<ListPage<Evening>>('listAllPerformances', { query });
  const evenings = items.filter(({ id, seatCategories }) => !fixtures.has(id) && seatCategories[0]?.numbered);
  for (const [index, evening] of evenings.slice(0, EVENINGS).entries()) await sellEvening(keeper, evening, index);
}

const sellEvening = async (keeper: ShopKeeper, { id, seatCategories, prices }: Evening, evening: number) => {
  if ((await listSoldOrders(keeper, id)).length > 0) return;
  const { items } = await keeper<ListPage<Place>>('listPlaces', { id, query: { limit: '500' } });
  const taken = selectSoldPlaces(items, evening);
  const lines = seatCategories.flatMap(({ id: seatCategoryId }): Item[] => {
    const placeIds = taken.filter((place) => place.seatCategoryId === seatCategoryId).map((place) => place.id);
    const price = prices.find((one) => one.seatCategoryId === seatCategoryId);
    if (!price || placeIds.length === 0) return [];
    const { tariffId } = price;
    return [{ performanceId: id, seatCategoryId, tariffId, placeIds: placeIds.slice(0, PLACES_PER_ITEM) }];
  });
  if (lines.length > 0) await sell(keeper, id, lines, 'evening');
};
