import type { Documents, Where } from '@boxoffice/store';
import { freed, type Place, SOLD } from '../domain/place.ts';
import type { PlaceDocument } from '../store.ts';

type Places = Documents<PlaceDocument>;

/** The order has places as of a later version than the call, which comes too late: nothing was changed. */
export interface Superseded {
  readonly superseded: true;
}

/** `places`: all that were requested. `missing`: the holder has lost these, and nothing was changed. */
export type ChangeOutcome =
  | { readonly places: readonly PlaceDocument[] }
  | { readonly missing: readonly string[] }
  | Superseded;

/** A change of places that a holder has. */
export interface Change {
  readonly holder: string;
  /** Absent: all places of the holder. */
  readonly placeIds?: readonly string[] | undefined;
  /** The version of the order that makes the call; absent: any. */
  readonly asOf?: number | undefined;
}

/** The condition for places that the order has as of a version up to that of the call. */
const upTo = (asOf: number | undefined): Where => (asOf === undefined ? {} : { asOf: { lte: asOf } });

/** The ids of places. */
export const idsOf = (places: readonly PlaceDocument[]): string[] => places.map(({ id }) => id);

/**
 * Restores places to what they were `before`, each only while it is still as `changed` says: another call for the same
 * order may have changed it since, and succeeded.
 */
export const restore = async (
  places: Places,
  holder: string,
  before: readonly PlaceDocument[],
  changed: Where,
): Promise<void> => {
  await Promise.all(
    before.map(({ id, state, freeFrom, request, item, asOf }) =>
      places.claim({ where: { ...changed, id, holder }, set: { state, freeFrom, request, item, asOf } }),
    ),
  );
};

/** Changes the holder's held places, all or none; sold ones stay sold and count as present. */
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
  // A concurrent request took a lapsed place, or a repeat of this request sold it.
  const soldMeanwhile = await places.count({ id: { in: idsOf(lost) }, holder, state: 'sold' });
  if (soldMeanwhile === lost.length)
    return { places: await places.find({ where: { holder, id: { in: idsOf(wanted) } } }) };
  await restore(
    places,
    holder,
    held.filter(({ id }) => changed.some((place) => place.id === id)),
    { state: 'held', ...set },
  );
  const now = await places.find({ where: { id: { in: idsOf(lost) }, holder } });
  return now.some(isNewer) ? { superseded: true } : { missing: idsOf(lost) };
};

/**
 * Extends the hold until `until` (epoch milliseconds), all places or none; lapsed ones are included while still free.
 * The places get the version of the call, so that a late call of an earlier version does not shorten the hold.
 */
export const extendHold = (places: Places, change: Change, until: number): Promise<ChangeOutcome> =>
  changeHeld(places, change, { freeFrom: until, ...(change.asOf === undefined ? {} : { asOf: change.asOf }) });

/** Sells the holder's places, all or none; lapsed ones are included while still free. Idempotent. */
export const sellHold = async (
  places: Places,
  change: Change & { readonly placeIds: readonly string[] },
): Promise<ChangeOutcome> => {
  const { holder, placeIds, asOf } = change;
  const sold = { state: 'sold', freeFrom: SOLD } as const;
  const [id, ...others] = placeIds;
  if (id !== undefined && others.length === 0) {
    // A single place needs no look-up first: its claim is atomic.
    const only = await places.claim({ where: { id, holder, state: 'held', ...upTo(asOf) }, set: sold });
    if (only.length === 1) return { places: only };
  }
  return changeHeld(places, change, sold);
};

export interface Release extends Change {
  /** Only the places that this request took. */
  readonly request?: string | undefined;
  /** Only the places taken before this version of the order. */
  readonly before?: number | undefined;
  /** Also sold places (a cancellation); otherwise only held ones. */
  readonly sold?: boolean | undefined;
}

/** Releases places; returns those that the holder still had. Idempotent: a repeat returns none. */
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
