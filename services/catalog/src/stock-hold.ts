import type { Documents } from '@boxoffice/store';
import { bestBlock, fewestGroups } from './domain/best-seats.ts';
import { freed, orderRange, type Place } from './domain/place.ts';
import type { PlaceDocument } from './store.ts';

/** So many places of one seat category, or these. */
export interface StockItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly count: number;
  readonly placeIds?: readonly string[] | undefined;
  /** Numbered seats are chosen; absent: any place will do. */
  readonly seats?: { readonly category: number; seatsInRow(row: number): number } | undefined;
}

export interface HoldRequest {
  /** Who holds: an order. */
  readonly holder: string;
  /** Which of the holder's requests this is; the same one again holds nothing more. */
  readonly request: string;
  readonly items: readonly StockItem[];
  /** Epoch milliseconds. */
  readonly until: number;
  readonly now: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** `held`: by item, in their order. `short`: nothing is held, and this is the first item that could not be served. */
export type HoldOutcome =
  | { readonly held: readonly (readonly PlaceDocument[])[] }
  | { readonly short: number; readonly why: 'unavailable' | 'unknown_place' };

/** Seats that claims of this process are about to take: other choices pass them over. A hint, never a guarantee. */
export type Busy = Set<string>;

type Places = Documents<PlaceDocument>;

const FIRST_LOOK = 200;
const CHOICES = 8;
const TRIES = 6;

const taking = (order: HoldRequest, item: number): Partial<Place> => ({
  state: 'held',
  freeFrom: order.until,
  holder: order.holder,
  request: order.request,
  item,
});

const giveBack = async (places: Places, order: HoldRequest, taken: readonly PlaceDocument[]): Promise<void> => {
  if (taken.length === 0) return;
  const id = { in: taken.map((place) => place.id) };
  await places.claim({ where: { id, holder: order.holder, request: order.request, state: 'held' }, set: freed });
};

/** Any places: never sold ones first, then those whose hold is over. */
const takeAny = async (places: Places, order: HoldRequest, item: number, count: number): Promise<PlaceDocument[]> => {
  const { performanceId, seatCategoryId } = order.items[item] as StockItem;
  const claim = (freeFrom: object | number, limit: number) =>
    places.claim({
      where: { performanceId, seatCategoryId, freeFrom: freeFrom as 0 },
      set: taking(order, item),
      limit,
      spread: 'position',
    });
  const taken = await claim(0, count);
  return taken.length < count ? [...taken, ...(await claim({ gt: 0, lte: order.now }, count - taken.length))] : taken;
};

const takeNamed = (places: Places, order: HoldRequest, item: number, ids: readonly string[]) => {
  const { performanceId, seatCategoryId } = order.items[item] as StockItem;
  return places.claim({
    where: { id: { in: ids }, performanceId, seatCategoryId, freeFrom: { lte: order.now } },
    set: taking(order, item),
  });
};

/** Which seats to try for: a block among the first free ones, else among all, else as few groups as possible. */
const choose = async (
  places: Places,
  order: HoldRequest,
  { performanceId, seats }: StockItem,
  count: number,
  rank: number,
  busy: Busy,
): Promise<readonly string[] | undefined> => {
  if (!seats) return undefined;
  const look = async (limit?: number) => {
    const where = { performanceId, order: orderRange(seats.category), freeFrom: { lte: order.now } };
    const free = await places.find({ where, orderBy: 'order', ...(limit ? { limit } : {}) });
    const quiet = free.filter(({ id }) => !busy.has(id));
    return { all: !limit || free.length < limit, free: quiet.length < count ? free : quiet };
  };
  const first = await look(Math.max(FIRST_LOOK, count * 4));
  const near = bestBlock(first.free, count, seats.seatsInRow, rank);
  if (near || first.all) return near ?? fewestGroups(first.free, count);
  const { free } = await look();
  return bestBlock(free, count, seats.seatsInRow, rank) ?? fewestGroups(free, count);
};

/** The best free seats; those who lost a race for them try other good ones, not all the same. */
const takeBest = async (
  places: Places,
  order: HoldRequest,
  item: number,
  count: number,
  busy: Busy,
): Promise<PlaceDocument[]> => {
  for (let choice = 0; choice < CHOICES; choice += 1) {
    const rank = choice === 0 ? 0 : Math.floor(order.random() * 4 ** choice);
    const ids = await choose(places, order, order.items[item] as StockItem, count, rank, busy);
    if (!ids) return [];
    for (const id of ids) busy.add(id);
    try {
      const taken = await takeNamed(places, order, item, ids);
      if (taken.length === count) return taken;
      await giveBack(places, order, taken);
    } finally {
      for (const id of ids) busy.delete(id);
    }
  }
  return [];
};

/** What an earlier run of the same request took and the holder still has, by item; lapsed holds are renewed. */
const regain = async (places: Places, order: HoldRequest): Promise<PlaceDocument[][]> => {
  const { holder, request } = order;
  const had = await places.find({ where: { holder, request } });
  const lapsed = had.filter(({ state, freeFrom }) => state === 'held' && freeFrom <= order.now).map(({ id }) => id);
  const where = { id: { in: lapsed }, holder, request, state: 'held' };
  const renewed = lapsed.length > 0 ? await places.claim({ where, set: { freeFrom: order.until } }) : [];
  const kept = [...had.filter(({ id }) => !lapsed.includes(id)), ...renewed];
  return order.items.map((_, item) => kept.filter((place) => place.item === item));
};

const take = (places: Places, order: HoldRequest, item: number, have: readonly PlaceDocument[], busy: Busy) => {
  const { count, placeIds, seats } = order.items[item] as StockItem;
  const missing = count - have.length;
  if (missing <= 0) return Promise.resolve<PlaceDocument[]>([]);
  if (placeIds) {
    const others = placeIds.filter((id) => !have.some((place) => place.id === id));
    return takeNamed(places, order, item, others);
  }
  return seats ? takeBest(places, order, item, missing, busy) : takeAny(places, order, item, missing);
};

/** Whether the item could be served now: then it failed only because others held what they then gave back. */
const couldBeServed = async (places: Places, order: HoldRequest, item: number): Promise<boolean> => {
  const { performanceId, seatCategoryId, count, placeIds } = order.items[item] as StockItem;
  const where = { performanceId, seatCategoryId, freeFrom: { lte: order.now } };
  return (await places.count(placeIds ? { ...where, id: { in: placeIds } } : where)) >= count;
};

const isUnknown = async (places: Places, { performanceId, seatCategoryId, placeIds }: StockItem): Promise<boolean> => {
  if (!placeIds) return false;
  const where = { id: { in: placeIds }, performanceId, seatCategoryId, state: { ne: 'withdrawn' } };
  return (await places.count(where)) < placeIds.length;
};

const sorted = (places: readonly PlaceDocument[]): PlaceDocument[] =>
  [...places].sort((left, right) => left.order - right.order);

/** One canonical order for everybody, so that two requests do not take half each of what both want. */
const inOrder = (items: readonly StockItem[]): number[] =>
  items
    .map((_, item) => item)
    .sort((left, right) => {
      const [one, other] = [left, right].map((item) => items[item]?.seatCategoryId ?? '');
      return one === other ? left - right : (one ?? '') < (other ?? '') ? -1 : 1;
    });

type Try =
  | { readonly held: readonly (readonly PlaceDocument[])[] }
  | { readonly short: number; readonly taken: readonly PlaceDocument[] };

const tryOnce = async (places: Places, order: HoldRequest, busy: Busy): Promise<Try> => {
  const held = await regain(places, order);
  const taken: PlaceDocument[] = [];
  for (const item of inOrder(order.items)) {
    const have = held[item] ?? [];
    const more = await take(places, order, item, have, busy);
    taken.push(...more);
    held[item] = [...have, ...more];
    if (have.length + more.length < (order.items[item]?.count ?? 0)) return { short: item, taken };
  }
  return { held: held.map((each, item) => sorted(each).slice(0, order.items[item]?.count)) };
};

/**
 * Holds all the places that the request wants, or none. Each place is claimed atomically, so none goes to two holders;
 * when some are missing, what this run took is given back. Repeating the request, also after a crash in the middle of it, gives
 * what it already has. What two runs of one request on two instances hold too much lapses with the hold: neither gives
 * back what the other may have answered.
 */
export const holdPlaces = async (places: Places, order: HoldRequest, busy: Busy = new Set()): Promise<HoldOutcome> => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(places, order, busy);
    if ('held' in outcome) return outcome;
    const { short, taken } = outcome;
    await giveBack(places, order, taken);
    if (attempt < TRIES && (await couldBeServed(places, order, short))) {
      // Two who want the last two places may each have got one: come back at different times.
      await new Promise((resolve) => setTimeout(resolve, order.random() * 10 * attempt));
      continue;
    }
    const unknown = await isUnknown(places, order.items[short] as StockItem);
    return { short, why: unknown ? 'unknown_place' : 'unavailable' };
  }
};
