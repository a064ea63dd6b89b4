import type { Documents, Where } from '@boxoffice/store';
import { freed, type Place, type PlaceState, SOLD } from '../domain/place.ts';
import type { PlaceDocument } from '../store.ts';

type Places = Documents<PlaceDocument>;

/** The order has places since a later version than that of the call, which comes too late: nothing was changed. */
export interface Superseded {
  readonly superseded: true;
}

/** `places`: all that were asked for. `missing`: the holder has lost these, and nothing was changed. */
export type ChangeOutcome =
  | { readonly places: readonly PlaceDocument[] }
  | { readonly missing: readonly string[] }
  | Superseded;

/** Who changes which of its places. */
export interface Change {
  readonly holder: string;
  /** Absent: all of the holder. */
  readonly placeIds?: readonly string[] | undefined;
  /** The version of the order that asks; absent: whatever it is. */
  readonly asOf?: number | undefined;
}

/** Places that the order has had since a version that the call knows. */
const upTo = (asOf: number | undefined): Where => (asOf === undefined ? {} : { asOf: { lte: asOf } });

/** The ids of places. */
export const idsOf = (places: readonly PlaceDocument[]): string[] => places.map(({ id }) => id);

/** Puts claimed places back to what they were, each only while the holder has it in the state `changedTo`. */
export const restore = async (
  places: Places,
  holder: string,
  before: readonly PlaceDocument[],
  changedTo: PlaceState,
): Promise<void> => {
  await Promise.all(
    before.map(({ id, state, freeFrom, request, item, asOf }) =>
      places.claim({ where: { id, holder, state: changedTo }, set: { state, freeFrom, request, item, asOf } }),
    ),
  );
};

/** Changes the holder's held places, all or none; those already sold stay sold and count as there. */
const changeHeld = async (
  places: Places,
  { holder, placeIds, asOf }: Change,
  set: Partial<Place>,
): Promise<ChangeOutcome> => {
  const own = await places.find({ where: { holder } });
  const wanted = own.filter(({ id }) => placeIds?.includes(id) ?? true);
  const isNewer = (place: PlaceDocument) => asOf !== undefined && place.asOf > asOf;
  if (wanted.some(isNewer)) return { superseded: true };
  const absent = placeIds?.filter((id) => !wanted.some((place) => place.id === id)) ?? [];
  if (absent.length > 0) return { missing: absent };
  const held = wanted.filter(({ state }) => state === 'held');
  const where = { id: { in: idsOf(held) }, holder, state: 'held', ...upTo(asOf) };
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
    set.state ?? 'held',
  );
  const now = await places.find({ where: { id: { in: idsOf(lost) }, holder } });
  return now.some(isNewer) ? { superseded: true } : { missing: idsOf(lost) };
};

/**
 * Keeps the holder's places until `until` (epoch milliseconds), also lapsed ones that nobody took; all or none. It has them as of the
 * version that asks, so that a late call of an earlier one does not shorten this.
 */
export const extendHold = (places: Places, change: Change, until: number): Promise<ChangeOutcome> =>
  changeHeld(places, change, { freeFrom: until, ...(change.asOf === undefined ? {} : { asOf: change.asOf }) });

/** Sells the holder's places, also lapsed ones that nobody took; all or none. Again: the same. */
export const sellHold = async (
  places: Places,
  change: Change & { readonly placeIds: readonly string[] },
): Promise<ChangeOutcome> => {
  const { holder, placeIds, asOf } = change;
  const sold = { state: 'sold', freeFrom: SOLD } as const;
  const [id, ...others] = placeIds;
  if (id !== undefined && others.length === 0) {
    // One place is sold or not, nothing half done: no need to look first.
    const only = await places.claim({ where: { id, holder, state: 'held', ...upTo(asOf) }, set: sold });
    if (only.length === 1) return { places: only };
  }
  return changeHeld(places, change, sold);
};

export interface Release extends Change {
  /** Only those that this request took. */
  readonly request?: string | undefined;
  /** Only those that it took before this version of the order. */
  readonly before?: number | undefined;
  /** Sold places, too (a cancellation); otherwise only held ones. */
  readonly sold?: boolean | undefined;
}

/** Gives places back; answers those that the holder still had. Again: none, and no error. */
export const releaseHold = (places: Places, release: Release): Promise<PlaceDocument[]> => {
  const { holder, placeIds, asOf, request, before, sold } = release;
  return places.claim({
    where: {
      holder,
      state: sold ? { in: ['held', 'sold'] } : 'held',
      ...(placeIds ? { id: { in: placeIds } } : {}),
      ...(request === undefined ? {} : { request }),
      ...(before === undefined ? upTo(asOf) : { asOf: { lt: before } }),
    },
    set: freed,
  });
};
