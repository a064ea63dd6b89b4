import type { Documents, Where } from '@boxoffice/store';
import { freed, type Place, SOLD } from '../domain/place.ts';
import type { Collections, PlaceDocument } from '../store.ts';

type Places = Documents<PlaceDocument>;

/** `places`: all that were requested. `missing`: the holder has lost these, and nothing was changed. */
export type ChangeOutcome = { readonly places: readonly PlaceDocument[] } | { readonly missing: readonly string[] };

/** A change of places that a holder has. */
export interface Change {
  readonly holder: string;
  /** Absent: all places of the holder. */
  readonly placeIds?: readonly string[] | undefined;
}

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

/** Changes those of the holder's held places that end before `set.freeFrom`, all or none; the others are as they should be. */
const changeHeld = async (
  places: Places,
  { holder, placeIds }: Change,
  set: Pick<Place, 'freeFrom'> & Partial<Place>,
): Promise<ChangeOutcome> => {
  const own = await places.find({ where: { holder } });
  const wanted = own.filter(({ id }) => placeIds?.includes(id) ?? true);
  const absent = placeIds?.filter((id) => !wanted.some((place) => place.id === id)) ?? [];
  if (absent.length > 0) return { missing: absent };
  const earlier = { freeFrom: { lt: set.freeFrom } };
  const held = wanted.filter(({ state, freeFrom }) => state === 'held' && freeFrom < set.freeFrom);
  const where = { id: { in: idsOf(held) }, holder, state: 'held', ...earlier };
  const changed = held.length > 0 ? await places.claim({ where, set }) : [];
  const lost = held.filter(({ id }) => !changed.some((place) => place.id === id));
  if (lost.length === 0) return { places: [...wanted.filter((place) => !held.includes(place)), ...changed] };
  // A concurrent request took a lapsed place, or another one of this holder extended or sold it.
  const kept = await places.count({ id: { in: idsOf(lost) }, holder, freeFrom: { gte: set.freeFrom } });
  if (kept === lost.length) return { places: await places.find({ where: { holder, id: { in: idsOf(wanted) } } }) };
  await restore(
    places,
    holder,
    held.filter(({ id }) => changed.some((place) => place.id === id)),
    { state: 'held', ...set },
  );
  return { missing: idsOf(lost) };
};

/**
 * Extends the hold until `until` (epoch milliseconds), all places or none; lapsed ones are included while still free. A
 * hold that ends later stays, so a late call does not shorten it.
 */
export const extendHold = (places: Places, change: Change, until: number): Promise<ChangeOutcome> =>
  changeHeld(places, change, { freeFrom: until });

/** Sells the holder's places, all or none; lapsed ones are included while still free. Idempotent. */
export const sellHold = async (
  places: Places,
  change: Change & { readonly placeIds: readonly string[] },
): Promise<ChangeOutcome> => {
  const { holder, placeIds } = change;
  const sold = { state: 'sold', freeFrom: SOLD } as const;
  const [id, ...others] = placeIds;
  if (id !== undefined && others.length === 0) {
    // A single place needs no look-up first: its claim is atomic.
    const only = await places.claim({ where: { id, holder, state: 'held' }, set: sold });
    if (only.length === 1) return { places: only };
  }
  return changeHeld(places, change, sold);
};

export interface Release extends Change {
  /** Only the places that this request took. */
  readonly request?: string | undefined;
  /** Only the places that the order has as of a version up to this one: not those that it has taken again since. */
  readonly asOf?: number | undefined;
  /** Also sold places; otherwise only held ones. */
  readonly sold?: boolean | undefined;
}

/** Releases places; returns those that the holder still had. Idempotent: a repeat returns none. */
export const releaseHold = (
  places: Places,
  { holder, placeIds, asOf, request, sold }: Release,
): Promise<PlaceDocument[]> =>
  places.claim({
    where: {
      holder,
      state: sold ? { in: ['held', 'sold'] } : 'held',
      ...(placeIds ? { id: { in: placeIds } } : {}),
      ...(request === undefined ? {} : { request }),
      ...(asOf === undefined ? {} : { asOf: { lte: asOf } }),
    },
    set: freed,
  });

/** Whether one of these performances is cancelled. Those of a cancelled product are, one after the other, each with its fact. */
const isCancelled = async ({ performances }: Collections, ids: readonly string[]): Promise<boolean> => {
  const found = await Promise.all([...new Set(ids)].map((id) => performances.get(id)));
  return found.some((performance) => performance?.state === 'cancelled');
};

/**
 * {@link sellHold}, but nothing of a cancelled performance: then all places are released and missing. An order that is
 * inserted after the event of the cancellation has gone through the orders is never cancelled by it.
 */
export const sell = async (
  collections: Collections,
  change: Change & { readonly placeIds: readonly string[] },
): Promise<ChangeOutcome> => {
  const { places } = collections;
  const outcome = await sellHold(places, change);
  if (!('places' in outcome)) return outcome;
  const performanceIds = outcome.places.map(({ performanceId }) => performanceId);
  if (!(await isCancelled(collections, performanceIds))) return outcome;
  const ids = idsOf(outcome.places);
  await places.claim({ where: { id: { in: ids }, holder: change.holder }, set: freed });
  return { missing: ids };
};
