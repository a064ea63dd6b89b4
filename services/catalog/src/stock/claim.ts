import type { Condition, Documents } from '@boxoffice/store';
import { bestBlock, fewestGroups } from '../domain/best-seats.ts';
import { freed, type Place } from '../domain/place.ts';
import type { PlaceDocument } from '../store.ts';
import { type Contention, createContention } from './contention.ts';

/** So many places of one seat category, or these. */
export interface StockItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly count: number;
  readonly placeIds?: readonly string[] | undefined;
  /** Numbered seats are chosen; absent: any place will do. */
  readonly seats?: { seatsInRow(row: number): number } | undefined;
}

export interface ClaimRequest {
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
export type ClaimOutcome = { readonly held: readonly (readonly PlaceDocument[])[] } | { readonly short: number };

type Places = Documents<PlaceDocument>;

const FIRST_LOOK = 60;
const CHOICES = 8;
const ATTEMPTS = 6;

const heldBy = (claim: ClaimRequest, item: number): Partial<Place> => ({
  state: 'held',
  freeFrom: claim.until,
  holder: claim.holder,
  request: claim.request,
  item,
  asOf: claim.asOf,
});

/** Gives back what this try took, unless a later one of the same request has made it its own. */
export const releaseTaken = async (
  places: Places,
  { holder, request, asOf }: ClaimRequest,
  taken: readonly PlaceDocument[],
): Promise<void> => {
  if (taken.length === 0) return;
  const id = { in: taken.map((place) => place.id) };
  await places.claim({ where: { id, holder, request, state: 'held', asOf }, set: freed });
};

/** Any places: never sold ones first, then those whose hold is over. */
const takeAny = async (places: Places, claim: ClaimRequest, item: number, count: number): Promise<PlaceDocument[]> => {
  const { performanceId, seatCategoryId } = claim.items[item] as StockItem;
  const claimFrom = (freeFrom: Condition, limit: number) =>
    places.claim({
      where: { performanceId, seatCategoryId, freeFrom },
      set: heldBy(claim, item),
      limit,
      spread: 'position',
    });
  const taken = await claimFrom(0, count);
  // A hold that is over already (short, and the machine slow) would take its own places once more.
  if (taken.length === count || claim.until <= claim.now) return taken;
  return [...taken, ...(await claimFrom({ gt: 0, lte: claim.now }, count - taken.length))];
};

/** Each by itself: looking one place up by its id is what every engine does best. */
const takeNamed = async (places: Places, claim: ClaimRequest, item: number, ids: readonly string[]) => {
  const { performanceId, seatCategoryId } = claim.items[item] as StockItem;
  const taken = await Promise.all(
    ids.map((id) =>
      places.claim({
        where: { id, performanceId, seatCategoryId, freeFrom: { lte: claim.now } },
        set: heldBy(claim, item),
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
  { now, random }: ClaimRequest,
  item: StockItem,
  count: number,
  contention: Contention,
): Promise<readonly string[] | undefined> => {
  const seatsInRow = item.seats?.seatsInRow ?? (() => 0);
  const quietOf = (free: PlaceDocument[]) => {
    const quiet = free.filter(({ id }) => !contention.isBusy(id, now));
    return quiet.length < count ? free : quiet;
  };
  const rank = Math.floor(random() * contention.choices(item.seatCategoryId));
  const limit = Math.max(FIRST_LOOK, count * 4);
  const near = await freeSeats(places, item, now, limit);
  const block = bestBlock(quietOf(near), count, seatsInRow, rank);
  const free = block || near.length < limit ? near : await freeSeats(places, item, now);
  const ids = block ?? bestBlock(quietOf(free), count, seatsInRow, rank) ?? fewestGroups(quietOf(free), count);
  contention.markBusy(ids ?? [], now);
  return ids;
};

/** The best free seats; those who lost a race for them try other good ones, not all the same. */
const takeBest = async (
  places: Places,
  claim: ClaimRequest,
  item: number,
  count: number,
  contention: Contention,
): Promise<PlaceDocument[]> => {
  const requested = claim.items[item] as StockItem;
  for (let choice = 0; choice < CHOICES; choice += 1) {
    const ids = await choose(places, claim, requested, count, contention);
    if (!ids) return [];
    const taken = await takeNamed(places, claim, item, ids);
    if (taken.length === count) {
      contention.won(requested.seatCategoryId);
      return taken;
    }
    contention.lost(requested.seatCategoryId);
    await releaseTaken(places, claim, taken);
    contention.clearBusy(taken.map(({ id }) => id));
  }
  return [];
};

/** What an earlier run of the same request took and the holder still has, by item; lapsed holds are renewed. */
const resume = async (places: Places, claim: ClaimRequest): Promise<PlaceDocument[][]> => {
  const { holder, request, asOf } = claim;
  const found = await places.find({ where: { holder, request } });
  // What an earlier try took is this one's now, so that the earlier one gives none of it back.
  const earlier = found.filter((place) => place.asOf < asOf).map(({ id }) => id);
  const byEarlier = { id: { in: earlier }, holder, request };
  const inherited = earlier.length > 0 ? await places.claim({ where: byEarlier, set: { asOf } }) : [];
  const had = [...found.filter(({ id }) => !earlier.includes(id)), ...inherited];
  const lapsed = had.filter(({ state, freeFrom }) => state === 'held' && freeFrom <= claim.now).map(({ id }) => id);
  const where = { id: { in: lapsed }, holder, request, state: 'held' };
  const renewed = lapsed.length > 0 ? await places.claim({ where, set: { freeFrom: claim.until } }) : [];
  const resumed = [...had.filter(({ id }) => !lapsed.includes(id)), ...renewed];
  return claim.items.map(({ seatCategoryId }, item) =>
    resumed.filter((place) => place.item === item && place.seatCategoryId === seatCategoryId),
  );
};

const take = (
  places: Places,
  claim: ClaimRequest,
  item: number,
  have: readonly PlaceDocument[],
  contention: Contention,
) => {
  const { count, placeIds, seats } = claim.items[item] as StockItem;
  const missing = count - have.length;
  if (missing <= 0) return Promise.resolve<PlaceDocument[]>([]);
  if (placeIds) {
    const others = placeIds.filter((id) => !have.some((place) => place.id === id));
    return takeNamed(places, claim, item, others);
  }
  return seats ? takeBest(places, claim, item, missing, contention) : takeAny(places, claim, item, missing);
};

/** The named places that are in this seat category; those that were withdrawn are not. */
const namedPlaces = async (places: Places, { seatCategoryId, placeIds = [] }: StockItem): Promise<PlaceDocument[]> => {
  const found = await Promise.all(placeIds.map((id) => places.get(id)));
  return found.filter(
    (place) => place?.seatCategoryId === seatCategoryId && place.state !== 'withdrawn',
  ) as PlaceDocument[];
};

/** Whether the item could be served now: then it failed only because others held what they then gave back. */
const couldBeServed = async (places: Places, item: StockItem, now: number): Promise<boolean> => {
  const { performanceId, seatCategoryId, count, placeIds } = item;
  if (placeIds) return (await namedPlaces(places, item)).filter(({ freeFrom }) => freeFrom <= now).length >= count;
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

type Attempt =
  | { readonly held: readonly (readonly PlaceDocument[])[] }
  | { readonly short: number; readonly taken: readonly PlaceDocument[] };

const attemptOnce = async (places: Places, claim: ClaimRequest, contention: Contention): Promise<Attempt> => {
  const held = await resume(places, claim);
  const taken: PlaceDocument[] = [];
  for (const item of inOrder(claim.items)) {
    const have = held[item] ?? [];
    const more = await take(places, claim, item, have, contention);
    taken.push(...more);
    held[item] = [...have, ...more];
    if (have.length + more.length < (claim.items[item]?.count ?? 0)) return { short: item, taken };
  }
  return { held: held.map((each, item) => sorted(each).slice(0, claim.items[item]?.count)) };
};

/**
 * Holds all the places that the request wants, or none. Each place is claimed atomically, so none goes to two holders;
 * when some are missing, what this run took is given back. Repeating the request, also after a crash in the middle of it, gives
 * what it already has. What two runs of one request on two instances hold too much lapses with the hold: neither gives
 * back what the other may have answered.
 */
export const claimPlaces = async (
  places: Places,
  claim: ClaimRequest,
  contention: Contention = createContention(),
): Promise<ClaimOutcome> => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(places, claim, contention);
    if ('held' in outcome) return outcome;
    const { short, taken } = outcome;
    await releaseTaken(places, claim, taken);
    const item = claim.items[short] as StockItem;
    if (attempt < ATTEMPTS && (await couldBeServed(places, item, claim.now))) {
      // Two who want the last two places may each have got one: come back at different times.
      await new Promise((resolve) => setTimeout(resolve, claim.random() * 10 * attempt));
      continue;
    }
    return { short };
  }
};
