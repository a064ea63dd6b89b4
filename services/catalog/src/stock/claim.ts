import type { Condition, Documents } from '@boxoffice/store';
import { bestBlock, fewestGroups } from '../domain/best-seats.ts';
import { freed, type Place } from '../domain/place.ts';
import type { PlaceDocument } from '../store.ts';
import { createRush, type Rush } from './contention.ts';

/** So many places of one seat category, or these. */
export interface StockItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly count: number;
  readonly placeIds?: readonly string[] | undefined;
  /** Numbered seats are chosen; absent: any place will do. */
  readonly seats?: { seatsInRow(row: number): number } | undefined;
}

export interface HoldRequest {
  /** Who holds: an order. */
  readonly holder: string;
  /** Which of the holder's requests this is; the same one again holds nothing more. */
  readonly request: string;
  /** The version of the order: a later one is another try of the same request. */
  readonly asOf: number;
  readonly items: readonly StockItem[];
  /** Epoch milliseconds. */
  readonly until: number;
  readonly now: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** `held`: by item, in their order. `short`: nothing is held, and this is the first item that could not be served. */
export type HoldOutcome = { readonly held: readonly (readonly PlaceDocument[])[] } | { readonly short: number };

type Places = Documents<PlaceDocument>;

const FIRST_LOOK = 60;
const CHOICES = 8;
const TRIES = 6;

const taking = (order: HoldRequest, item: number): Partial<Place> => ({
  state: 'held',
  freeFrom: order.until,
  holder: order.holder,
  request: order.request,
  item,
  asOf: order.asOf,
});

/** Gives back what this try took, unless a later one of the same request has made it its own. */
export const giveBack = async (
  places: Places,
  { holder, request, asOf }: HoldRequest,
  taken: readonly PlaceDocument[],
): Promise<void> => {
  if (taken.length === 0) return;
  const id = { in: taken.map((place) => place.id) };
  await places.claim({ where: { id, holder, request, state: 'held', asOf }, set: freed });
};

/** Any places: never sold ones first, then those whose hold is over. */
const takeAny = async (places: Places, order: HoldRequest, item: number, count: number): Promise<PlaceDocument[]> => {
  const { performanceId, seatCategoryId } = order.items[item] as StockItem;
  const claim = (freeFrom: Condition, limit: number) =>
    places.claim({
      where: { performanceId, seatCategoryId, freeFrom },
      set: taking(order, item),
      limit,
      spread: 'position',
    });
  const taken = await claim(0, count);
  // A hold that is over already (short, and the machine slow) would take its own places once more.
  if (taken.length === count || order.until <= order.now) return taken;
  return [...taken, ...(await claim({ gt: 0, lte: order.now }, count - taken.length))];
};

/** Each by itself: looking one place up by its id is what every engine does best. */
const takeNamed = async (places: Places, order: HoldRequest, item: number, ids: readonly string[]) => {
  const { performanceId, seatCategoryId } = order.items[item] as StockItem;
  const taken = await Promise.all(
    ids.map((id) =>
      places.claim({
        where: { id, performanceId, seatCategoryId, freeFrom: { lte: order.now } },
        set: taking(order, item),
      }),
    ),
  );
  return taken.flat();
};

/** Free seats of a category, the best first: at most `limit`, if given, and then perhaps not all of the best. */
const freeSeats = async (places: Places, item: StockItem, now: number, limit?: number): Promise<PlaceDocument[]> => {
  const { performanceId, seatCategoryId } = item;
  const look = (freeFrom: Condition) =>
    places.find({
      where: { performanceId, seatCategoryId, freeFrom },
      orderBy: 'position',
      ...(limit === undefined ? {} : { limit }),
    });
  return (await Promise.all([look(0), look({ gt: 0, lte: now })])).flat();
};

/** Which seats to try for: a block among the first free ones, else among all, else as few groups as possible. They are noted at once. */
const choose = async (
  places: Places,
  { now, random }: HoldRequest,
  item: StockItem,
  count: number,
  rush: Rush,
): Promise<readonly string[] | undefined> => {
  const seatsInRow = item.seats?.seatsInRow ?? (() => 0);
  const quietOf = (free: PlaceDocument[]) => {
    const quiet = free.filter(({ id }) => !rush.isBusy(id, now));
    return quiet.length < count ? free : quiet;
  };
  const rank = Math.floor(random() * rush.heat(item.seatCategoryId));
  const limit = Math.max(FIRST_LOOK, count * 4);
  const near = await freeSeats(places, item, now, limit);
  const block = bestBlock(quietOf(near), count, seatsInRow, rank);
  const free = block || near.length < limit ? near : await freeSeats(places, item, now);
  const ids = block ?? bestBlock(quietOf(free), count, seatsInRow, rank) ?? fewestGroups(quietOf(free), count);
  rush.note(ids ?? [], now);
  return ids;
};

/** The best free seats; those who lost a race for them try other good ones, not all the same. */
const takeBest = async (
  places: Places,
  order: HoldRequest,
  item: number,
  count: number,
  rush: Rush,
): Promise<PlaceDocument[]> => {
  const wanted = order.items[item] as StockItem;
  for (let choice = 0; choice < CHOICES; choice += 1) {
    const ids = await choose(places, order, wanted, count, rush);
    if (!ids) return [];
    const taken = await takeNamed(places, order, item, ids);
    if (taken.length === count) {
      rush.won(wanted.seatCategoryId);
      return taken;
    }
    rush.lost(wanted.seatCategoryId);
    await giveBack(places, order, taken);
    rush.forget(taken.map(({ id }) => id));
  }
  return [];
};

/** What an earlier run of the same request took and the holder still has, by item; lapsed holds are renewed. */
const regain = async (places: Places, order: HoldRequest): Promise<PlaceDocument[][]> => {
  const { holder, request, asOf } = order;
  const found = await places.find({ where: { holder, request } });
  // What an earlier try took is this one's now, so that the earlier one gives none of it back.
  const earlier = found.filter((place) => place.asOf < asOf).map(({ id }) => id);
  const byEarlier = { id: { in: earlier }, holder, request };
  const inherited = earlier.length > 0 ? await places.claim({ where: byEarlier, set: { asOf } }) : [];
  const had = [...found.filter(({ id }) => !earlier.includes(id)), ...inherited];
  const lapsed = had.filter(({ state, freeFrom }) => state === 'held' && freeFrom <= order.now).map(({ id }) => id);
  const where = { id: { in: lapsed }, holder, request, state: 'held' };
  const renewed = lapsed.length > 0 ? await places.claim({ where, set: { freeFrom: order.until } }) : [];
  const kept = [...had.filter(({ id }) => !lapsed.includes(id)), ...renewed];
  return order.items.map(({ seatCategoryId }, item) =>
    kept.filter((place) => place.item === item && place.seatCategoryId === seatCategoryId),
  );
};

const take = (places: Places, order: HoldRequest, item: number, have: readonly PlaceDocument[], rush: Rush) => {
  const { count, placeIds, seats } = order.items[item] as StockItem;
  const missing = count - have.length;
  if (missing <= 0) return Promise.resolve<PlaceDocument[]>([]);
  if (placeIds) {
    const others = placeIds.filter((id) => !have.some((place) => place.id === id));
    return takeNamed(places, order, item, others);
  }
  return seats ? takeBest(places, order, item, missing, rush) : takeAny(places, order, item, missing);
};

/** The named places that are in this seat category; those that were withdrawn are not. */
const known = async (places: Places, { seatCategoryId, placeIds = [] }: StockItem): Promise<PlaceDocument[]> => {
  const found = await Promise.all(placeIds.map((id) => places.get(id)));
  return found.filter(
    (place) => place?.seatCategoryId === seatCategoryId && place.state !== 'withdrawn',
  ) as PlaceDocument[];
};

/** Whether the item could be served now: then it failed only because others held what they then gave back. */
const couldBeServed = async (places: Places, item: StockItem, now: number): Promise<boolean> => {
  const { performanceId, seatCategoryId, count, placeIds } = item;
  if (placeIds) return (await known(places, item)).filter(({ freeFrom }) => freeFrom <= now).length >= count;
  return (await places.count({ performanceId, seatCategoryId, freeFrom: { lte: now } })) >= count;
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

const tryOnce = async (places: Places, order: HoldRequest, rush: Rush): Promise<Try> => {
  const held = await regain(places, order);
  const taken: PlaceDocument[] = [];
  for (const item of inOrder(order.items)) {
    const have = held[item] ?? [];
    const more = await take(places, order, item, have, rush);
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
export const holdPlaces = async (
  places: Places,
  order: HoldRequest,
  rush: Rush = createRush(),
): Promise<HoldOutcome> => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(places, order, rush);
    if ('held' in outcome) return outcome;
    const { short, taken } = outcome;
    await giveBack(places, order, taken);
    const item = order.items[short] as StockItem;
    if (attempt < TRIES && (await couldBeServed(places, item, order.now))) {
      // Two who want the last two places may each have got one: come back at different times.
      await new Promise((resolve) => setTimeout(resolve, order.random() * 10 * attempt));
      continue;
    }
    return { short };
  }
};
