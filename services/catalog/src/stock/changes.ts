import type { Condition, Documents, Where } from '@boxoffice/store';
import { freed, isUse, type Place, SOLD } from '../domain/place.ts';
import { settle } from '../performances/capacity.ts';
import type { Collections, PerformanceDocument, PlaceDocument } from '../store.ts';

type Places = Documents<PlaceDocument>;

/** `missing`: the holder has lost these, and nothing was changed. */
export type ChangeOutcome = { readonly places: readonly PlaceDocument[] } | { readonly missing: readonly string[] };

interface Change {
  readonly holder: string;
  readonly placeIds?: readonly string[] | undefined;
}

export function getPlaceIds(places: readonly PlaceDocument[]): string[] {
  return places.map(({ id }) => id);
}

/**
 * Extends all places or none, until `until` (epoch milliseconds); lapsed ones are included while still free. A hold
 * that ends later stays, so a late call does not shorten it.
 */
export function extendHold(places: Places, change: Change, until: number): Promise<ChangeOutcome> {
  return changeHeld(places, change, { freeFrom: until });
}

/** Changes those held places that end before `set.freeFrom`, all or none; the others are as they should be. */
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
  const where = { id: { in: getPlaceIds(held) }, holder, state: 'held', ...earlier };
  const changed = held.length > 0 ? await places.claim({ where, set }) : [];
  const lost = held.filter(({ id }) => !changed.some((place) => place.id === id));
  if (lost.length === 0) return { places: [...wanted.filter((place) => !held.includes(place)), ...changed] };
  // A concurrent request of this holder extended or sold a place, or another one took a lapsed place.
  const kept = await places.count({ id: { in: getPlaceIds(lost) }, holder, state: { in: ['held', 'sold'] } });
  const again = kept === lost.length ? await changeHeld(places, { holder, placeIds: getPlaceIds(wanted) }, set) : null;
  if (again && 'places' in again) return again;
  await restore(
    places,
    holder,
    held.filter(({ id }) => changed.some((place) => place.id === id)),
    { state: 'held', ...set },
  );
  return { missing: getPlaceIds(lost) };
};

/** Restores only places that are still as `changed` says: another call may have changed them since. */
const restore = async (
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

interface Sale extends Change {
  readonly placeIds: readonly string[];
  /** ISO 8601 UTC. Of what is held; several places are claimed without a look only where it is known. */
  readonly heldUntil?: string | undefined;
}

/** Sells all places or none; lapsed ones are included while still free. Idempotent. */
export async function sellHold(places: Places, { heldUntil, ...change }: Sale): Promise<ChangeOutcome> {
  const { holder, placeIds } = change;
  const sold = { state: 'sold', freeFrom: SOLD } as const;
  const [id, ...others] = placeIds;
  // The claim of a single place is atomic.
  const which = others.length === 0 ? id : heldUntil && { in: placeIds };
  const claimed = which ? await places.claim({ where: { id: which, holder, state: 'held' }, set: sold }) : [];
  if (claimed.length === placeIds.length) return { places: claimed };
  const outcome = await changeHeld(places, change, sold);
  if (heldUntil && 'missing' in outcome) {
    const held = { state: 'held', freeFrom: Date.parse(heldUntil) } as const;
    const before = claimed.map((place) => ({ ...place, ...held }));
    await restore(places, holder, before, sold);
  }
  return outcome;
}

interface Release extends Change {
  readonly request?: string | undefined;
  /** Only places that the order has as of a version up to this one, none that it has taken again since. */
  readonly asOf?: number | undefined;
  /** Also sold places; otherwise only held ones. */
  readonly sold?: boolean | undefined;
}

/** Returns the places that the holder still had; a repeat returns none. */
export function releaseHold(
  places: Places,
  { holder, placeIds, asOf, request, sold }: Release,
): Promise<PlaceDocument[]> {
  return places.claim({
    where: {
      holder,
      state: sold ? { in: ['held', 'sold'] } : 'held',
      ...(placeIds ? { id: { in: placeIds } } : {}),
      ...(request === undefined ? {} : { request }),
      ...(asOf === undefined ? {} : { asOf: { lte: asOf } }),
    },
    set: freed,
  });
}

/**
 * {@link sellHold}, but nothing of a cancelled performance: then all places are released and missing. `performances`:
 * as they are after that. The events of their cancellation and their moves do not reach an order that is inserted later.
 */
export async function sell(
  collections: Collections,
  change: Sale,
): Promise<ChangeOutcome & { readonly performances?: readonly PerformanceDocument[] }> {
  const { places } = collections;
  const outcome = await sellHold(places, change);
  if (!('places' in outcome)) return outcome;
  const performances = await readPerformances(collections, listPerformanceIds(outcome.places));
  if (!performances.some(({ state }) => state === 'cancelled')) return { ...outcome, performances };
  const ids = getPlaceIds(outcome.places);
  await places.claim({ where: { id: { in: ids }, holder: change.holder }, set: freed });
  return { missing: ids };
}

const listPerformanceIds = (places: readonly PlaceDocument[]): string[] =>
  places.flatMap((place) => (isUse(place) ? [] : [place.performanceId]));

/** Performances of a cancelled product are cancelled one after the other, each with its fact. */
const readPerformances = async ({ performances }: Collections, ids: readonly string[]) => {
  const found = await Promise.all([...new Set(ids)].map((id) => performances.get(id)));
  return found.filter((performance) => performance !== undefined);
};

/** `replaces`: the requested place, if another of its category is held instead. */
interface RenewedPlace {
  readonly place: PlaceDocument;
  readonly replaces: string | null;
}

interface RenewalRequest {
  readonly holder: string;
  /** A repeat, also after a crash, returns the same places. */
  readonly request: string;
  readonly placeIds: readonly string[];
  /** Epoch milliseconds. */
  readonly until: number;
  /** The order's version: calls and events of an earlier one do not end this hold. */
  readonly asOf: number;
  readonly now: number;
}

/** `missing`: these could not be held again; nothing is held that was not held before. */
export type RenewalOutcome = { readonly places: readonly RenewedPlace[] } | { readonly missing: readonly string[] };

interface Attempt {
  readonly outcome: RenewalOutcome;
  /** Places were lost during the attempt: a retry may find them free. */
  readonly again?: boolean;
}

const ATTEMPTS = 3;

/**
 * Holds places again whose hold may have lapsed (a late payment), all or none. A numbered seat that is taken cannot be
 * replaced; an unnumbered place is replaced by another of its category.
 */
export async function renewPlaces(places: Places, renewal: RenewalRequest): Promise<RenewalOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const { outcome, again } = await attemptOnce(places, renewal);
    if (!again || attempt === ATTEMPTS) return outcome;
  }
}

const attemptOnce = async (places: Places, renewal: RenewalRequest): Promise<Attempt> => {
  const { holder, request, placeIds } = renewal;
  const own = await places.find({ where: { holder } });
  const earlier = (id: string) =>
    own.find(
      (place) => place.request === request && place.item === placeIds.indexOf(id) && !placeIds.includes(place.id),
    );
  const had = placeIds.flatMap((id) => own.find((place) => place.id === id) ?? earlier(id) ?? []);
  const extended =
    had.length > 0 ? await extendHold(places, { holder, placeIds: getPlaceIds(had) }, renewal.until) : { places: [] };
  if (!('places' in extended)) return { outcome: extended, again: true };
  const found = new Map<string, PlaceDocument>();
  for (const id of placeIds) {
    const own = extended.places.find((place) => place.id === id || place.id === earlier(id)?.id);
    const place = own ?? (await claimInstead(places, renewal, id));
    if (place) found.set(id, place);
  }
  const unserved = placeIds.filter((id) => !found.has(id));
  // Last, so that a refusal changes nothing.
  const lost = unserved.length === 0 ? await raiseVersion(places, renewal, extended.places) : [];
  if (unserved.length === 0 && lost.length === 0) {
    const held = [...found].map(([id, place]) => ({ place, replaces: place.id === id ? null : id }));
    return { outcome: { places: held } };
  }
  const fresh = [...found.values()].filter((place) => !had.some(({ id }) => id === place.id));
  await releaseHold(places, { holder, placeIds: getPlaceIds(fresh), request });
  // Extended above, and perhaps raised; a later attempt of the order raises them further.
  const upTo = { asOf: { lte: renewal.asOf } };
  const [held, sold] = (['held', 'sold'] as const).map((state) => had.filter((place) => place.state === state));
  await restore(places, holder, held ?? [], { state: 'held', freeFrom: renewal.until, ...upTo });
  await restore(places, holder, sold ?? [], { state: 'sold', ...upTo });
  return { outcome: { missing: [...unserved, ...lost] }, again: lost.length > 0 };
};

const claimInstead = async (
  places: Places,
  renewal: RenewalRequest,
  id: string,
): Promise<PlaceDocument | undefined> => {
  const { holder, request, until, asOf, now, placeIds } = renewal;
  const set = { state: 'held', freeFrom: until, holder, request, item: placeIds.indexOf(id), asOf } as const;
  const [same] = await places.claim({ where: { id, freeFrom: { lte: now } }, set });
  if (same) return same;
  const replaced = await places.get(id);
  if (!replaced || replaced.row !== null) return undefined;
  const { performanceId, seatCategoryId } = replaced;
  const any = (freeFrom: Condition) =>
    places.claim({
      where: { performanceId, seatCategoryId, freeFrom },
      set,
      limit: 1,
      spread: 'position',
    });
  return (await any(0))[0] ?? (await any({ gt: 0, lte: now }))[0];
};

/** Never lowers a version; returns the ids that the holder has lost meanwhile, to others or to a later attempt. */
const raiseVersion = async (
  places: Places,
  { holder, asOf }: RenewalRequest,
  extended: readonly PlaceDocument[],
): Promise<string[]> => {
  const earlier = getPlaceIds(extended.filter((place) => place.asOf < asOf));
  if (earlier.length === 0) return [];
  const where = { id: { in: earlier }, holder, asOf: { lt: asOf } };
  const raised = new Set(getPlaceIds(await places.claim({ where, set: { asOf } })));
  return earlier.filter((id) => !raised.has(id));
};

/**
 * {@link renewPlaces}, but not for a cancelled performance: no event would end the hold. A repeat after the sale
 * returns the same as before. A call that comes after `until`, or after the order was sold and cancelled, holds
 * nothing.
 */
export async function renewHold(collections: Collections, renewal: RenewalRequest): Promise<RenewalOutcome> {
  const { places } = collections;
  const { holder, asOf } = renewal;
  if (renewal.until <= renewal.now) return { missing: renewal.placeIds };
  const own = await places.find({ where: { holder } });
  if (!own.some((place) => place.state === 'sold' && place.asOf >= asOf)) {
    const named = (await Promise.all(renewal.placeIds.map((id) => places.get(id)))).filter((one) => one !== undefined);
    const performanceIds = listPerformanceIds(named);
    const cancelled = await cancelledOf(collections, performanceIds);
    const missing = named.filter(({ performanceId }) => cancelled.has(performanceId));
    if (missing.length > 0) return { missing: getPlaceIds(missing) };
  }
  const outcome = await renewPlaces(places, renewal);
  if (!('places' in outcome) || !(await isOrderCancelled(collections, holder))) return outcome;
  await releaseHold(places, { holder, placeIds: outcome.places.map(({ place }) => place.id), asOf });
  return { missing: renewal.placeIds };
}

/** Includes those of a cancelled product. */
const cancelledOf = async (collections: Collections, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const performances = await Promise.all([...new Set(ids)].map((id) => collections.performances.get(id)));
  // A written change of capacity is applied before any place is claimed.
  await Promise.all(performances.map((one) => one && settle(collections, one)));
  const cancelled = await Promise.all(
    performances.map(async (performance) => {
      if (performance?.state !== 'on_sale' && performance?.state !== 'closed') return performance?.id;
      const product = await collections.products.get(performance.productId);
      return product?.state === 'cancelled' ? performance.id : undefined;
    }),
  );
  return new Set(cancelled.filter((id) => id !== undefined));
};

const isOrderCancelled = async ({ releases }: Collections, orderId: string): Promise<boolean> => {
  const causes = ['order.cancelled', 'tickets.cancelled'];
  const found = await Promise.all(causes.map((cause) => releases.get(`${orderId}:${cause}`)));
  return found.some((release) => release !== undefined);
};
