import type { Condition, Documents } from '@boxoffice/store';
import { freed, type Place, SOLD } from './domain/place.ts';
import type { PlaceDocument } from './store.ts';

type Places = Documents<PlaceDocument>;

/** `places`: all that were asked for. `missing`: the holder has lost these, and nothing was changed. */
export type ChangeOutcome = { readonly places: readonly PlaceDocument[] } | { readonly missing: readonly string[] };

const idsOf = (places: readonly PlaceDocument[]): string[] => places.map(({ id }) => id);

/** Puts claimed places back to what they were, each only while the holder has it. */
const restore = async (places: Places, holder: string, before: readonly PlaceDocument[]): Promise<void> => {
  await Promise.all(
    before.map(({ id, state, freeFrom, request, item }) =>
      places.claim({ where: { id, holder }, set: { state, freeFrom, request, item, holder } }),
    ),
  );
};

/** Changes the holder's held places, all or none; those already sold stay sold and count as there. */
const changeHeld = async (
  places: Places,
  holder: string,
  placeIds: readonly string[] | undefined,
  set: Partial<Place>,
): Promise<ChangeOutcome> => {
  const mine = await places.find({ where: { holder } });
  const wanted = mine.filter(({ id }) => placeIds?.includes(id) ?? true);
  const absent = placeIds?.filter((id) => !wanted.some((place) => place.id === id)) ?? [];
  if (absent.length > 0) return { missing: absent };
  const held = wanted.filter(({ state }) => state === 'held');
  const where = { id: { in: idsOf(held) }, holder, state: 'held' };
  const changed = held.length > 0 ? await places.claim({ where, set }) : [];
  const lost = held.filter(({ id }) => !changed.some((place) => place.id === id));
  if (lost.length === 0) return { places: [...wanted.filter(({ state }) => state === 'sold'), ...changed] };
  // Somebody took a lapsed one in this very moment, or a repeat of this request sold it.
  const soldMeanwhile = await places.count({ id: { in: idsOf(lost) }, holder, state: 'sold' });
  if (soldMeanwhile === lost.length)
    return { places: await places.find({ where: { holder, id: { in: idsOf(wanted) } } }) };
  await restore(
    places,
    holder,
    held.filter(({ id }) => changed.some((place) => place.id === id)),
  );
  return { missing: idsOf(lost) };
};

/** Keeps the holder's places until `until` (epoch milliseconds), also lapsed ones that nobody took; all or none. */
export const extendHold = (
  places: Places,
  holder: string,
  until: number,
  placeIds?: readonly string[],
): Promise<ChangeOutcome> => changeHeld(places, holder, placeIds, { freeFrom: until });

/** Sells the holder's places, also lapsed ones that nobody took; all or none. Again: the same. */
export const sellHold = (places: Places, holder: string, placeIds: readonly string[]): Promise<ChangeOutcome> =>
  changeHeld(places, holder, placeIds, { state: 'sold', freeFrom: SOLD });

export interface Release {
  readonly holder: string;
  /** Absent: all of the holder. */
  readonly placeIds?: readonly string[] | undefined;
  /** Only those that this request took. */
  readonly request?: string | undefined;
  /** Sold places, too (a cancellation); otherwise only held ones. */
  readonly sold?: boolean | undefined;
}

/** Gives places back; answers those that the holder still had. Again: none, and no error. */
export const releaseHold = (places: Places, { holder, placeIds, request, sold }: Release): Promise<PlaceDocument[]> =>
  places.claim({
    where: {
      holder,
      state: sold ? { in: ['held', 'sold'] } : 'held',
      ...(placeIds ? { id: { in: placeIds } } : {}),
      ...(request === undefined ? {} : { request }),
    },
    set: freed,
  });

/** A place held again; `replaces` is the one that it stands for, if that was gone and any place of its category would do. */
export interface HeldAgain {
  readonly place: PlaceDocument;
  readonly replaces: string | null;
}

export interface HoldAgain {
  readonly holder: string;
  /** The same request again, also after a crash, gives the same places. */
  readonly request: string;
  readonly placeIds: readonly string[];
  /** Epoch milliseconds. */
  readonly until: number;
  readonly now: number;
}

const claimInstead = async (places: Places, order: HoldAgain, id: string): Promise<PlaceDocument | undefined> => {
  const { holder, request, until, now, placeIds } = order;
  const set = { state: 'held', freeFrom: until, holder, request, item: placeIds.indexOf(id) } as const;
  const [same] = await places.claim({ where: { id, freeFrom: { lte: now } }, set });
  if (same) return same;
  const gone = await places.get(id);
  if (!gone || gone.row !== null) return undefined;
  const { performanceId, seatCategoryId } = gone;
  const any = (freeFrom: Condition) =>
    places.claim({
      where: { performanceId, seatCategoryId, freeFrom },
      set,
      limit: 1,
      spread: 'position',
    });
  return (await any(0))[0] ?? (await any({ gt: 0, lte: now }))[0];
};

/**
 * Holds places once more whose hold may be over (a late payment): the same ones if nobody has taken them; a numbered seat
 * that is gone cannot be replaced, another place can. All or none.
 */
export const holdAgain = async (
  places: Places,
  order: HoldAgain,
): Promise<{ readonly places: readonly HeldAgain[] } | { readonly missing: readonly string[] }> => {
  const { holder, request, placeIds } = order;
  const mine = await places.find({ where: { holder } });
  const earlier = (id: string) =>
    mine.find(
      (place) => place.request === request && place.item === placeIds.indexOf(id) && !placeIds.includes(place.id),
    );
  const had = placeIds.flatMap((id) => mine.find((place) => place.id === id) ?? earlier(id) ?? []);
  const kept = had.length > 0 ? await extendHold(places, holder, order.until, idsOf(had)) : { places: [] };
  if ('missing' in kept) return kept;
  const found = new Map<string, PlaceDocument>();
  for (const id of placeIds) {
    const own = kept.places.find((place) => place.id === id || place.id === earlier(id)?.id);
    const place = own ?? (await claimInstead(places, order, id));
    if (place) found.set(id, place);
  }
  const missing = placeIds.filter((id) => !found.has(id));
  if (missing.length === 0) {
    return {
      places: placeIds.map((id) => {
        const place = found.get(id) as PlaceDocument;
        return { place, replaces: place.id === id ? null : id };
      }),
    };
  }
  const fresh = [...found.values()].filter((place) => !had.some(({ id }) => id === place.id));
  await releaseHold(places, { holder, placeIds: idsOf(fresh), request });
  await restore(
    places,
    holder,
    had.filter(({ state }) => state === 'held'),
  );
  return { missing };
};
