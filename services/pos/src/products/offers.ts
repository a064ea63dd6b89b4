import type { Catalog, Place, Published, Stock } from '../clients/catalog.ts';
import { createFresh, type Dated } from '../clients/fresh.ts';
import { createLatest } from '../clients/latest.ts';
import type { Offer, StockOf } from './views.ts';

/** What the catalog says, seconds old at most, asked for once however many visitors look. */
export interface Offers {
  /** Everything that the institution has published. */
  published(institution: string): Promise<Offer>;
  /** What the catalog said last, however long ago; undefined if it never did. */
  remembered(institution: string): Offer | undefined;
  /** The same as of this moment: for what was asked for by name and is not there, since it may have been published just now. */
  publishedNow(institution: string): Promise<Offer>;
  /** What is free of these performances, computed at most a second ago, and when the oldest of it was. */
  stock(institution: string, performanceIds: readonly string[]): Promise<Dated<StockOf>>;
  /** The places of a performance, at most a second old; undefined if there is no such performance. */
  places(institution: string, performanceId: string): Promise<readonly Place[] | undefined>;
}

/** Availability is at most a second old; what was asked for in the second half of it is there already when it is needed. */
export const SECOND = { maxAgeMs: 750, refreshMs: 500 } as const;

/** What is left of the second is the gateway's: so long it may give the same answer to others. */
export const KEPT_MS = 250;

interface Known {
  readonly stock: Stock | undefined;
  readonly asOf: number;
}

const PERFORMANCES = 20_000;
const INSTITUTIONS = 1_000;
/** Lists of places are large. */
const HALLS = 50;

export const createOffers = (catalog: Catalog, now: () => number = Date.now): Offers => {
  const offers = createFresh<Extract<Published['published'], object>>({ ...SECOND, max: INSTITUTIONS });
  // Whoever asks for things that are not there, however often, costs the catalog little.
  const latest = createLatest<Dated<Offer>>();
  const marks = new Map<string, { readonly mark: string; readonly offer: Offer }>();
  const halls = createFresh<readonly Place[] | undefined>({ ...SECOND, max: HALLS });
  // One question for each performance, alone or among others, in flight or answered less than a second ago.
  const asked = new Map<string, Promise<Known>>();
  const answered = new Map<string, Known>();

  const publishedNow = async (institution: string): Promise<Dated<Offer>> => {
    const asOf = now();
    const known = marks.get(institution);
    const { mark, published } = await catalog.published(institution, known?.mark);
    if (published) marks.set(institution, { mark, offer: published });
    return { value: published ?? (known as { readonly offer: Offer }).offer, asOf };
  };

  const forget = (): void => {
    if (answered.size <= PERFORMANCES) return;
    const oldest = now() - SECOND.maxAgeMs;
    for (const [key, { asOf }] of answered) if (asOf < oldest) answered.delete(key);
  };

  const ask = (institution: string, ids: readonly string[]): void => {
    const asOf = now();
    const answer = catalog
      .stock(institution, ids)
      .then((found) => new Map(found.map((one) => [one.performanceId, one])));
    for (const id of ids) {
      const key = `${institution} ${id}`;
      const one = answer
        .then((found) => {
          const known = { stock: found.get(id), asOf };
          answered.set(key, known);
          return known;
        })
        .finally(() => asked.delete(key));
      // Who waits hears of a failure; nobody may.
      one.catch(() => undefined);
      asked.set(key, one);
    }
    forget();
  };

  return {
    published: async (institution) => (await offers.get(institution, () => publishedNow(institution))).value,
    remembered: (institution) => marks.get(institution)?.offer,
    publishedNow: async (institution) => (await latest(institution, () => publishedNow(institution))).value,
    async stock(institution, performanceIds) {
      const at = now();
      const keyed = [...new Set(performanceIds)].map((id) => ({ id, key: `${institution} ${id}` }));
      const age = (key: string) => at - (answered.get(key)?.asOf ?? Number.NEGATIVE_INFINITY);
      const stale = keyed.filter(({ key }) => age(key) > SECOND.refreshMs && !asked.has(key));
      if (stale.length > 0)
        ask(
          institution,
          stale.map(({ id }) => id),
        );
      const known = await Promise.all(
        keyed.map(async ({ id, key }) => {
          const recent = age(key) <= SECOND.maxAgeMs ? answered.get(key) : await asked.get(key);
          return [id, recent ?? { stock: undefined, asOf: at }] as const;
        }),
      );
      const byId = new Map(known);
      const asOf = Math.min(at, ...known.map(([, one]) => one.asOf));
      return { value: (id) => byId.get(id)?.stock, asOf };
    },
    places: async (institution, performanceId) => {
      const load = async () => {
        const asOf = now();
        return { value: await catalog.places(institution, performanceId), asOf };
      };
      return (await halls.get(`${institution} ${performanceId}`, load)).value;
    },
  };
};
