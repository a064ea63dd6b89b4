import type { Place } from '../../../src/domain/order/order.ts';
import type { ReleaseCause } from '../../../src/domain/settlement.ts';

/** What the model knows of a place: who has it, until when, and for which attempt. */
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

/** The catalog as one order sees it: places that others may take as soon as a hold has lapsed. */
export const createStock = (count: number) => {
  const places = Array.from({ length: count }, (_, number) => stocked(number));
  const replacements = new Map<string, Replacement[]>();
  const isFree = (place: Stocked, now: number) => place.holder === 'free' || (!place.sold && place.until <= now);
  const mine = (id: string) => places.find(({ holder, place }) => holder === 'order' && place.id === id);
  const free = (place: Stocked) => Object.assign(place, stocked(0), { place: place.place });
  const allMine = (ids: readonly string[]) => ids.every((id) => mine(id));
  return {
    mine: () => places.filter(({ holder }) => holder === 'order'),
    /** Holds `count` places, all or none; the same again for the same request. */
    hold: (request: string, count: number, until: number, now: number): Place[] | undefined => {
      const before = places.filter((place) => place.holder === 'order' && place.request === request);
      if (before.length > 0) return before.map(({ place }) => place);
      const chosen = places.filter((place) => isFree(place, now)).slice(0, count);
      if (chosen.length < count) return undefined;
      for (const place of chosen) Object.assign(place, { holder: 'order', sold: false, until, request, asOf: 0 });
      return chosen.map(({ place }) => place);
    },
    extend: (ids: readonly string[], until: number): boolean => {
      if (!allMine(ids)) return false;
      for (const id of ids) Object.assign(mine(id) ?? {}, { until });
      return true;
    },
    sell: (ids: readonly string[]): boolean => {
      if (!allMine(ids)) return false;
      for (const id of ids) Object.assign(mine(id) ?? {}, { sold: true });
      return true;
    },
    /** Holds places again, or others for those that are gone; every odd one is a numbered seat, which nothing replaces. */
    renew: (request: string, ids: readonly string[], until: number, asOf: number, now: number) => {
      const known = replacements.get(request) ?? [];
      const wanted = ids.map((replaces) => known.find((one) => one.replaces === replaces)?.place.id ?? replaces);
      const kept = wanted.map((id) => places.find((one) => one.place.id === id && (mine(id) || isFree(one, now))));
      const spare = places.filter((one) => isFree(one, now) && !wanted.includes(one.place.id));
      const numberedIsGone = kept.some((place, index) => !place && Number(ids[index]?.slice(4)) % 2 === 1);
      const held = kept.map((place) => place ?? spare.shift());
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
    /** Follows a fact of the order; answers how many of its places are the order's no more. */
    follow: (cause: ReleaseCause, ids: readonly string[], version: number): number => {
      for (const id of ids) {
        const place = mine(id);
        if (place && (cause === 'tickets.cancelled' || place.asOf < version)) free(place);
      }
      return ids.filter((id) => !mine(id)).length;
    },
    /** Somebody else takes or gives back a place. */
    other: (number: number, now: number): void => {
      const place = places[number % places.length];
      if (place?.holder === 'other') free(place);
      else if (place && isFree(place, now)) Object.assign(place, { holder: 'other', sold: true });
    },
  };
};

export type Stock = ReturnType<typeof createStock>;
