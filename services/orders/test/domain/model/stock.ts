import type { Place } from '../../../src/domain/order/order.ts';

/** A place in the model, or a use of a discount, with the members of the catalog's that its conditions use. */
export interface Stocked {
  readonly place: Place;
  /** `cat_1`, or the discount or code that it is a use of. */
  readonly pool: string;
  /** A numbered seat cannot be replaced by another place. */
  readonly numbered: boolean;
  state: 'free' | 'held' | 'sold';
  /** From when others may take it: the end of the hold; never, once sold. */
  freeFrom: number;
  /** The order that has it, also after the end of its hold, until another one takes it. */
  holder: string | null;
  request: string | null;
  item: number | null;
  /** The version of the order as of which it has the place: calls and facts of earlier versions do not release it. */
  asOf: number;
}

/** The conditions of the catalog's effects; a planted bug replaces one. */
export const conditions = {
  /** Which places an order may sell. */
  isSellable: ({ holder }: Stocked, order: string): boolean => holder === order,
  /** Which places of an order a call or fact of this version may release. */
  isReleasable: ({ asOf }: Stocked, upTo: number): boolean => asOf <= upTo,
  /** Which places of an order a call of this version may hold shorter. */
  isShortenable: ({ asOf }: Stocked, version: number): boolean => asOf < version,
  /** Which places of an order the release of a refused request may release. */
  isOfRequest: ({ request }: Stocked, name: string): boolean => request === name,
  /** Which places or uses of a line that an order has no more may still be released. */
  isOwn: ({ holder }: Stocked, order: string): boolean => holder === order,
  /** Until when a use is held, whose place is held until `until`. */
  useUntil: (until: number): number => until,
  /** Whether a use that a request has claimed before is free for it. */
  isFreeForItself: (): boolean => true,
  /** Whether the end of an order releases it. */
  isEnded: (_place: Stocked): boolean => true,
};

export type Conditions = typeof conditions;

const free = { state: 'free', freeFrom: 0, holder: null, request: null, item: null, asOf: 0 } as const;

export interface Hold {
  readonly holder: string;
  readonly request: string;
  readonly asOf: number;
  /** Default: `cat_1`. */
  readonly pool?: string;
  /** Any places, or the one of this number. */
  readonly wanted: { readonly count: number } | { readonly number: number };
  readonly until: number;
  /** Looks for what the request has only where too few places are free. */
  readonly claimFirst?: boolean;
}

export interface Renewal {
  readonly holder: string;
  readonly request: string;
  readonly ids: readonly string[];
  readonly until: number;
  readonly asOf: number;
}

export interface Renewed {
  readonly place: Place;
  readonly replaces: string | null;
}

/** The catalog's places, of one category, and uses of discounts, with exactly its conditions; each call is atomic. */
export function createStock(
  count: number,
  uses: Readonly<Record<string, number>>,
  { isSellable, isReleasable, isShortenable, isOfRequest, isOwn, useUntil, isFreeForItself, isEnded }: Conditions,
  now: () => number,
) {
  const places = [
    ...Array.from({ length: count }, (_, number) => stocked(number)),
    ...Object.entries(uses).flatMap(([pool, limit]) =>
      Array.from({ length: limit }, (_, number) => toUse(pool, number)),
    ),
  ];
  /** Orders whose places were released by their cancellation. */
  const cancelled = new Set<string>();
  const ownOf = (order: string) => places.filter(({ holder }) => holder === order);
  const named = (id: string) => places.find(({ place }) => place.id === id);
  const isFree = ({ freeFrom }: Stocked) => freeFrom <= now();
  const isOfPool = ({ pool }: Stocked, wanted: string) => pool === wanted;
  const idsOf = (some: readonly Stocked[]) => some.map(({ place }) => place.id);
  /** Changes the held ones of these places, all or none; sold ones stay sold. Returns those that are missing. */
  const changeHeld = (
    wanted: readonly string[],
    isOwn: (place: Stocked) => boolean,
    change: (place: Stocked) => void,
  ): readonly string[] => {
    const own = places.filter((place) => wanted.includes(place.place.id) && isOwn(place));
    const missing = wanted.filter((id) => !own.some(({ place }) => place.id === id));
    if (missing.length === 0) for (const place of own) if (place.state === 'held') change(place);
    return missing;
  };
  const release = (which: (place: Stocked) => boolean): void => {
    for (const place of places.filter(which)) Object.assign(place, free);
  };
  const findOwn = (pool: string, { holder, request }: Pick<Hold, 'holder' | 'request'>) =>
    places.filter((place) => isOfPool(place, pool) && place.holder === holder && place.request === request);
  const hold = ({
    holder,
    request,
    asOf,
    pool = 'cat_1',
    wanted,
    until,
    claimFirst,
  }: Hold): { ids: string[]; until: number } | undefined => {
    const all = places.filter((place) => isOfPool(place, pool));
    const own = findOwn(pool, { holder, request });
    const needed = 'count' in wanted ? wanted.count : 1;
    const others = all.filter((place) => isFree(place) && !own.includes(place)).length;
    const had = claimFirst && 'count' in wanted && others >= needed ? [] : own;
    const choice = 'count' in wanted ? all : all.slice(wanted.number % count).slice(0, 1);
    const more = 'count' in wanted ? wanted.count - had.length : 1 - had.length;
    const fresh = choice.filter((place) => isFree(place) && !had.includes(place)).slice(0, Math.max(0, more));
    for (const place of had) if (place.state === 'held' && (isFree(place) || place.asOf < asOf)) place.freeFrom = until;
    for (const place of had) place.asOf = Math.max(place.asOf, asOf);
    if (fresh.length < more) return undefined;
    for (const place of fresh) Object.assign(place, { state: 'held', freeFrom: until, holder, request, item: 0, asOf });
    const held = [...had, ...fresh];
    const ends = held.flatMap(({ state, freeFrom }) => (state === 'held' ? [freeFrom] : []));
    return { ids: idsOf(held), until: Math.min(until, ...ends) };
  };
  /** Those that a request may have: nobody has them, or it has them already. */
  const countFree = (pool: string, request: Pick<Hold, 'holder' | 'request'>): number => {
    const own = findOwn(pool, request);
    return places.filter(
      (place) => isOfPool(place, pool) && (isFree(place) || (isFreeForItself() && own.includes(place))),
    ).length;
  };
  return {
    places,
    ownOf,
    countFree,
    /** Holds places, all or none; a repeat gets those that the request has, and makes them its own version's. */
    hold,
    /** Holds uses of several pools, all or none. */
    holdUses: ({
      uses: wanted,
      ...claim
    }: Omit<Hold, 'wanted' | 'pool'> & { readonly uses: ReadonlyMap<string, number> }):
      | { readonly held: ReadonlyMap<string, readonly string[]> }
      | { readonly pool: string; readonly free: number } => {
      for (const [pool, needed] of wanted) {
        const free = countFree(pool, claim);
        if (free < needed) return { pool, free };
      }
      const own = { ...claim, until: useUntil(claim.until) };
      const held = [...wanted].map(([pool, needed]) => {
        const { ids = [] } = hold({ ...own, pool, wanted: { count: needed } }) ?? {};
        return [pool, ids.slice(0, needed)] as const;
      });
      return { held: new Map(held) };
    },
    /** Holds places longer, never shorter. */
    extend: (order: string, ids: readonly string[], until: number) =>
      changeHeld(
        ids,
        ({ holder }) => holder === order,
        (place) => {
          place.freeFrom = Math.max(place.freeFrom, until);
        },
      ),
    /** Holds places shorter, unless the order has them since this version or a later one. */
    shorten: (order: string, ids: readonly string[], until: number, asOf: number): void => {
      for (const place of places)
        if (place.holder === order && place.state === 'held' && ids.includes(place.place.id))
          if (isShortenable(place, asOf)) Object.assign(place, { freeFrom: until, asOf });
    },
    /** Sells places that the order has, also after the end of their hold while nobody took them. */
    sell: (order: string, ids: readonly string[]) =>
      changeHeld(
        ids,
        (place) => isSellable(place, order),
        (place) => {
          Object.assign(place, { state: 'sold', freeFrom: Number.POSITIVE_INFINITY });
        },
      ),
    /** Holds places again, all or none: the same ones if they are free, or another one instead of a lost one. */
    renew: ({ holder, request, ids, until, asOf }: Renewal): readonly Renewed[] | undefined => {
      if (until <= now() || cancelled.has(holder)) return undefined;
      const own = ownOf(holder);
      const found: Stocked[] = [];
      for (const [item, id] of ids.entries()) {
        const earlier = own.find(
          (place) => place.request === request && place.item === item && !ids.includes(place.place.id),
        );
        const had = own.find(({ place }) => place.id === id) ?? earlier;
        const same = named(id);
        const spare = () =>
          places.find(
            (place) => place.pool === same?.pool && isFree(place) && !own.includes(place) && !found.includes(place),
          );
        const taken = had ?? (same && isFree(same) && !found.includes(same) ? same : undefined);
        const place = taken ?? (same?.numbered ? undefined : spare());
        if (!place) return undefined;
        found.push(place);
      }
      for (const [item, place] of found.entries())
        if (!own.includes(place)) Object.assign(place, { state: 'held', freeFrom: until, holder, request, item, asOf });
        else {
          if (place.state === 'held') place.freeFrom = Math.max(place.freeFrom, until);
          place.asOf = Math.max(place.asOf, asOf);
        }
      return found.map(({ place }, index) => ({
        place,
        replaces: place.id === ids[index] ? null : (ids[index] ?? ''),
      }));
    },
    /** Releases these places, held or sold, unless the order has them since a later version. */
    release: (order: string, ids: readonly string[], asOf: number): void =>
      release((place) => isOwn(place, order) && ids.includes(place.place.id) && isReleasable(place, asOf)),
    /** Releases what a refused request has taken and not sold. */
    releaseTaken: (order: string, ids: readonly string[], request: string, asOf: number): void =>
      release(
        (place) =>
          place.holder === order &&
          ids.includes(place.place.id) &&
          place.state === 'held' &&
          isOfRequest(place, request) &&
          isReleasable(place, asOf),
      ),
    /** The fact of an expiry: what the order has as of an earlier version. */
    releaseEarlier: (order: string, version: number): void =>
      release((place) => place.holder === order && isReleasable(place, version - 1) && isEnded(place)),
    /** The fact of a cancellation without tickets. */
    releaseAll: (order: string): void => {
      cancelled.add(order);
      release((place) => place.holder === order && isEnded(place));
    },
    /** The fact of cancelled tickets: never the places of controlled ones, and all uses. */
    releasePlaces: (order: string, ids: readonly string[], kept: readonly string[]): void => {
      cancelled.add(order);
      release(
        (one) =>
          one.holder === order &&
          isEnded(one) &&
          !kept.includes(one.place.id) &&
          (ids.includes(one.place.id) || one.state === 'held' || isUse(one)),
      );
    },
  };
}

export function isUse({ pool }: Pick<Stocked, 'pool'>): boolean {
  return pool !== 'cat_1';
}

const toUse = (pool: string, number: number): Stocked => ({
  place: { id: `use_${pool}_${number}`, label: '', row: null, seat: null },
  pool,
  numbered: false,
  ...free,
});

const stocked = (number: number): Stocked => ({
  pool: 'cat_1',
  place: { id: `plc_${number}`, label: `${number}`, row: null, seat: null },
  numbered: number % 3 === 1,
  ...free,
});

export type Stock = ReturnType<typeof createStock>;
