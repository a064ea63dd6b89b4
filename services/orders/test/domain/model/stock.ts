import type { Place } from '../../../src/domain/order/order.ts';
import type { ReleaseCause } from '../../../src/domain/settlement.ts';

/** A place in the model: its holder, the end of its hold, and the request. */
interface Stocked {
  readonly place: Place;
  holder: 'free' | 'order' | 'other';
  sold: boolean;
  until: number;
  request: string;
  /** The version of the order that last held it again: older expiries and cancellations do not free it. */
  asOf: number;
}

export interface Replacement {
  readonly replaces: string;
  readonly place: Place;
}

const stocked = (number: number): Stocked => ({
  place: { id: `plc_${number}`, label: `${number}`, row: null, seat: null },
  holder: 'free',
  sold: false,
  until: 0,
  request: '',
  asOf: 0,
});

/** The catalog for one order: others may take places as soon as a hold has lapsed. */
export const createStock = (count: number) => {
  const places = Array.from({ length: count }, (_, number) => stocked(number));
  const replacements = new Map<string, Replacement[]>();
  const isFree = (place: Stocked, now: number) => place.holder === 'free' || (!place.sold && place.until <= now);
  const own = (id: string) => places.find(({ holder, place }) => holder === 'order' && place.id === id);
  const free = (place: Stocked) => Object.assign(place, stocked(0), { place: place.place });
  const allOwn = (ids: readonly string[]) => ids.every((id) => own(id));
  return {
    own: () => places.filter(({ holder }) => holder === 'order'),
    /** Holds `count` places, all or none; a repeat of the request gets the same. */
    hold: (request: string, count: number, until: number, now: number): Place[] | undefined => {
      const before = places.filter((place) => place.holder === 'order' && place.request === request);
      if (before.length > 0) return before.map(({ place }) => place);
      const chosen = places.filter((place) => isFree(place, now)).slice(0, count);
      if (chosen.length < count) return undefined;
      for (const place of chosen) Object.assign(place, { holder: 'order', sold: false, until, request, asOf: 0 });
      return chosen.map(({ place }) => place);
    },
    extend: (ids: readonly string[], until: number): boolean => {
      if (!allOwn(ids)) return false;
      for (const id of ids) Object.assign(own(id) ?? {}, { until });
      return true;
    },
    sell: (ids: readonly string[]): boolean => {
      if (!allOwn(ids)) return false;
      for (const id of ids) Object.assign(own(id) ?? {}, { sold: true });
      return true;
    },
    /**
     * Holds places again, or others in place of lost ones; places with odd numbers are numbered seats, which cannot
     * be replaced.
     */
    renew: (request: string, ids: readonly string[], until: number, asOf: number, now: number) => {
      const known = replacements.get(request) ?? [];
      const wanted = ids.map((replaces) => known.find((one) => one.replaces === replaces)?.place.id ?? replaces);
      const found = wanted.map((id) => places.find((one) => one.place.id === id && (own(id) || isFree(one, now))));
      const spare = places.filter((one) => isFree(one, now) && !wanted.includes(one.place.id));
      const numberedIsGone = found.some((place, index) => !place && Number(ids[index]?.slice(4)) % 2 === 1);
      const held = found.map((place) => place ?? spare.shift());
      if (numberedIsGone || held.includes(undefined)) return undefined;
      for (const place of held) Object.assign(place ?? {}, { holder: 'order', until, request, asOf });
      replacements.set(
        request,
        held.flatMap((one, index) =>
          one && one.place.id !== ids[index] ? [{ replaces: ids[index] ?? '', place: one.place }] : [],
        ),
      );
      return replacements.get(request) ?? [];
    },
    release: ({ ids, request, sold }: { ids?: readonly string[]; request?: string; sold?: boolean }): void => {
      for (const place of places.filter(({ holder }) => holder === 'order'))
        if ((ids?.includes(place.place.id) ?? true) && (request ?? place.request) === place.request)
          if (sold || !place.sold) free(place);
    },
    /** Applies an event of the order; returns how many of its places the order no longer has. */
    follow: (cause: ReleaseCause, ids: readonly string[], version: number): number => {
      for (const id of ids) {
        const place = own(id);
        if (place && (cause === 'tickets.cancelled' || place.asOf < version)) free(place);
      }
      return ids.filter((id) => !own(id)).length;
    },
    /** Another holder takes or releases a place. */
    other: (number: number, now: number): void => {
      const place = places[number % places.length];
      if (place?.holder === 'other') free(place);
      else if (place && isFree(place, now)) Object.assign(place, { holder: 'other', sold: true });
    },
  };
};

export type Stock = ReturnType<typeof createStock>;
