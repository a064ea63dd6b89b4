import { createId } from '@boxoffice/runtime';
import type { Condition, Documents } from '@boxoffice/store';
import { findBestBlock, findFewestGroups } from '../domain/best-seats.ts';
import { buildUse, freed, type Place } from '../domain/place.ts';
import type { PlaceDocument } from '../store.ts';

/** Milliseconds for which other requests avoid a seat that is being claimed. */
const BUSY_MS = 1_000;
const MAX_CHOICES = 256;
const PRUNE_AT = 10_000;

/**
 * Spreads concurrent choices of numbered seats within one process. Hints only: the atomic claim decides. Instants are
 * epoch milliseconds.
 */
export function createContention() {
  const busyUntil = new Map<string, number>();
  const choicesByCategory = new Map<string, number>();
  const prune = (now: number) => {
    for (const [id, until] of busyUntil) if (until <= now) busyUntil.delete(id);
  };
  return {
    isBusy: (placeId: string, now: number): boolean => (busyUntil.get(placeId) ?? 0) > now,
    markBusy(placeIds: readonly string[], now: number): void {
      if (busyUntil.size > PRUNE_AT) prune(now);
      for (const id of placeIds) busyUntil.set(id, now + BUSY_MS);
    },
    clearBusy(placeIds: readonly string[]): void {
      for (const id of placeIds) busyUntil.delete(id);
    },
    /** The number of best blocks to choose from at random: 1 without contention, more after lost claims. */
    choices: (seatCategoryId: string): number => choicesByCategory.get(seatCategoryId) ?? 1,
    recordWin(seatCategoryId: string): void {
      const choices = (choicesByCategory.get(seatCategoryId) ?? 1) * 0.9;
      if (choices > 1) choicesByCategory.set(seatCategoryId, choices);
      else choicesByCategory.delete(seatCategoryId);
    },
    recordLoss(seatCategoryId: string): void {
      choicesByCategory.set(
        seatCategoryId,
        Math.min(MAX_CHOICES, (choicesByCategory.get(seatCategoryId) ?? 1) * 1.5 + 1),
      );
    },
  };
}

export type Contention = ReturnType<typeof createContention>;

export interface StockItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly count: number;
  readonly placeIds?: readonly string[] | undefined;
  /** Of uses that are made as they are wanted. */
  readonly isUnlimited?: boolean;
  /** For numbered seats, of which the best are chosen; absent: any place. */
  readonly seats?: { seatsInRow(row: number): number } | undefined;
}

interface ClaimRequest {
  /** The id of an order. */
  readonly holder: string;
  /** The holder's request; a repeat holds nothing more. */
  readonly request: string;
  /** The order's version; a later one is a new attempt of the same request. */
  readonly asOf: number;
  readonly items: readonly StockItem[];
  /** Epoch milliseconds. */
  readonly until: number;
  readonly now: number;
  /** Looks for what it already holds only where too few places are free. */
  readonly claimFirst?: boolean | undefined;
}

/** `held`: by item, in their order. `short`: the first item without enough places; nothing is held. */
type ClaimOutcome = { readonly held: readonly (readonly PlaceDocument[])[] } | { readonly short: number };

type Places = Documents<PlaceDocument>;

const FIRST_LOOK = 60;
const CHOICES = 8;
const ATTEMPTS = 6;

type Attempt =
  | { readonly held: readonly (readonly PlaceDocument[])[] }
  | { readonly short: number; readonly taken: readonly PlaceDocument[] };

/**
 * Holds all places or none, each by an atomic claim. A repeated request, also after a crash, returns what it already
 * holds. Two attempts of one request on two instances may hold too many places: the surplus lapses with the hold, since
 * neither may release what the other has answered.
 */
export async function claimPlaces(
  places: Places,
  claim: ClaimRequest,
  contention: Contention = createContention(),
): Promise<ClaimOutcome> {
  let earlier: readonly PlaceDocument[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const isFirst = claim.claimFirst === true && attempt === 1;
    const outcome = await attemptOnce(places, claim, contention, isFirst ? [] : await resume(places, claim));
    if ('held' in outcome) return outcome;
    const { short, taken } = outcome;
    if (isFirst) {
      // Not released: another attempt of the request may have found them, and have answered with them.
      earlier = taken;
      continue;
    }
    await releaseTaken(places, claim, [...earlier, ...taken]);
    earlier = [];
    const item = claim.items[short] as StockItem;
    if (attempt < ATTEMPTS && (await couldBeServed(places, item, claim.now))) {
      // Two requests for the last two places may each have taken one.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
      continue;
    }
    return { short };
  }
}

const attemptOnce = async (
  places: Places,
  claim: ClaimRequest,
  contention: Contention,
  held: PlaceDocument[][],
): Promise<Attempt> => {
  const taken: PlaceDocument[] = [];
  for (const item of inOrder(claim.items)) {
    const have = held[item] ?? [];
    const more = await take(places, claim, item, have, contention);
    taken.push(...more);
    held[item] = [...have, ...more];
    if (have.length + more.length < (claim.items[item]?.count ?? 0)) return { short: item, taken };
  }
  const byOrder = (left: PlaceDocument, right: PlaceDocument) => left.order - right.order;
  return { held: held.map((each, item) => each.toSorted(byOrder).slice(0, claim.items[item]?.count)) };
};

/**
 * What earlier attempts of this request took, by item. Lapsed holds, those of an earlier version, and all of a request
 * that claims first end with this attempt's.
 */
const resume = async (places: Places, claim: ClaimRequest): Promise<PlaceDocument[][]> => {
  const { holder, request, asOf } = claim;
  const found = await places.find({ where: { holder, request } });
  // Otherwise an earlier attempt that still runs could release them.
  const earlier = found.filter((place) => place.asOf < asOf).map(({ id }) => id);
  const byEarlier = { id: { in: earlier }, holder, request };
  const inherited = earlier.length > 0 ? await places.claim({ where: byEarlier, set: { asOf } }) : [];
  const had = [...found.filter(({ id }) => !earlier.includes(id)), ...inherited];
  const since = claim.claimFirst ? claim.until - 1 : claim.now;
  const isOld = ({ id, freeFrom }: PlaceDocument) => freeFrom <= since || earlier.includes(id);
  const old = had.filter((place) => place.state === 'held' && isOld(place)).map(({ id }) => id);
  const where = { id: { in: old }, holder, request, state: 'held' };
  const renewed = old.length > 0 ? await places.claim({ where, set: { freeFrom: claim.until } }) : [];
  const resumed = [...had.filter(({ id }) => !old.includes(id)), ...renewed];
  return claim.items.map(({ seatCategoryId }, item) =>
    resumed.filter((place) => place.item === item && place.seatCategoryId === seatCategoryId),
  );
};

/** The order is canonical, so that two concurrent requests do not each take half of the same places. */
const inOrder = (items: readonly StockItem[]): number[] =>
  items
    .map((_, item) => item)
    .sort((left, right) => {
      const [one, other] = [left, right].map((item) => items[item]?.seatCategoryId ?? '');
      return one === other ? left - right : (one ?? '') < (other ?? '') ? -1 : 1;
    });

const take = (
  places: Places,
  claim: ClaimRequest,
  item: number,
  have: readonly PlaceDocument[],
  contention: Contention,
) => {
  const { count, placeIds, seats, isUnlimited } = claim.items[item] as StockItem;
  const missing = count - have.length;
  if (missing <= 0) return Promise.resolve<PlaceDocument[]>([]);
  if (isUnlimited) return makeHeld(places, claim, item, missing);
  if (placeIds) {
    const others = placeIds.filter((id) => !have.some((place) => place.id === id));
    return takeNamed(places, claim, item, others);
  }
  return seats ? takeBest(places, claim, item, missing, contention) : takeAny(places, claim, item, missing);
};

/** A look-up by id is the fastest query of every engine. */
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

const heldBy = (claim: ClaimRequest, item: number): Partial<Place> => ({
  state: 'held',
  freeFrom: claim.until,
  holder: claim.holder,
  request: claim.request,
  item,
  asOf: claim.asOf,
});

const makeHeld = (places: Places, claim: ClaimRequest, item: number, count: number): Promise<PlaceDocument[]> => {
  const { performanceId } = claim.items[item] as StockItem;
  const makeOne = (_: unknown, nth: number) =>
    places.insert({ ...buildUse(performanceId, createId('use', claim.now), nth), ...heldBy(claim, item) });
  return Promise.all(Array.from({ length: count }, makeOne));
};

/** Makes another good choice after a lost race. */
const takeBest = async (
  places: Places,
  claim: ClaimRequest,
  item: number,
  count: number,
  contention: Contention,
): Promise<PlaceDocument[]> => {
  const requested = claim.items[item] as StockItem;
  for (let choice = 0; choice < CHOICES; choice += 1) {
    const ids = await choose(places, claim.now, requested, count, contention);
    if (!ids) return [];
    const taken = await takeNamed(places, claim, item, ids);
    if (taken.length === count) {
      contention.recordWin(requested.seatCategoryId);
      return taken;
    }
    contention.recordLoss(requested.seatCategoryId);
    await releaseTaken(places, claim, taken);
    contention.clearBusy(taken.map(({ id }) => id));
  }
  return [];
};

/** Prefers a block among the first free seats, else among all, else as few groups as possible. */
const choose = async (
  places: Places,
  now: number,
  item: StockItem,
  count: number,
  contention: Contention,
): Promise<readonly string[] | undefined> => {
  const seatsInRow = item.seats?.seatsInRow ?? (() => 0);
  const quietOf = (free: PlaceDocument[]) => {
    const quiet = free.filter(({ id }) => !contention.isBusy(id, now));
    return quiet.length < count ? free : quiet;
  };
  const rank = Math.floor(Math.random() * contention.choices(item.seatCategoryId));
  const limit = Math.max(FIRST_LOOK, count * 4);
  const near = await freeSeats(places, item, now, limit);
  const block = findBestBlock(quietOf(near), count, seatsInRow, rank);
  const free = block || near.length < limit ? near : await freeSeats(places, item, now);
  const ids = block ?? findBestBlock(quietOf(free), count, seatsInRow, rank) ?? findFewestGroups(quietOf(free), count);
  contention.markBusy(ids ?? [], now);
  return ids;
};

/** The best come first. With `limit`, at most that many of the free and of the lapsed ones each. */
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

/** Keeps places that a later attempt of the same request has taken over. */
const releaseTaken = async (
  places: Places,
  { holder, request, asOf }: ClaimRequest,
  taken: readonly PlaceDocument[],
): Promise<void> => {
  if (taken.length === 0) return;
  const id = { in: taken.map((place) => place.id) };
  await places.claim({ where: { id, holder, request, state: 'held', asOf }, set: freed });
};

/** Takes first those that are free, then those whose hold has lapsed. */
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
  // A hold that has already lapsed would take its own places a second time.
  if (taken.length === count || claim.until <= claim.now) return taken;
  return [...taken, ...(await claimFrom({ gt: 0, lte: claim.now }, count - taken.length))];
};

/** True if concurrent attempts, which released their places again, made the claim fail. */
const couldBeServed = async (places: Places, item: StockItem, now: number): Promise<boolean> => {
  const { performanceId, seatCategoryId, count, placeIds } = item;
  if (placeIds) return (await namedPlaces(places, item)).filter(({ freeFrom }) => freeFrom <= now).length >= count;
  return (await places.count({ performanceId, seatCategoryId, freeFrom: { lte: now } })) >= count;
};

/** Leaves out places of other categories, and withdrawn ones. */
const namedPlaces = async (places: Places, { seatCategoryId, placeIds = [] }: StockItem): Promise<PlaceDocument[]> => {
  const found = await Promise.all(placeIds.map((id) => places.get(id)));
  return found.filter(
    (place) => place?.seatCategoryId === seatCategoryId && place.state !== 'withdrawn',
  ) as PlaceDocument[];
};
