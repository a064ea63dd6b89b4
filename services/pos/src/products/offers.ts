import { PosFault } from '@boxoffice/envelope';
import { settleWithin } from '@boxoffice/runtime';
import { createCache, createLatest, type Dated } from '../clients/cache.ts';
import type { Catalog, Offer, Performance, Place, Plan, Product, Stock } from '../clients/catalog.ts';
import { findPerformance, isOver } from '../domain/offer.ts';
import type { StockOf } from './views.ts';

/** At most a second old, with the time that the gateway caches it. */
export const SECOND = { maxAgeMs: 750, refreshMs: 500 } as const;

/** Milliseconds that are left of the second. */
export const GATEWAY_CACHE_MS = 250;

interface Known {
  readonly stock: Stock | undefined;
  readonly asOf: number;
}

const PERFORMANCES = 20_000;
const INSTITUTIONS = 1_000;
/** Lists of places and plans of halls are large. */
export const HALLS = 50;

/** A plan is read again when its performance has changed; this long after it in any case. */
const PLAN = { maxAgeMs: 300_000, refreshMs: 240_000 } as const;

/** Answers are at most a second old; concurrent visitors share one request. */
export function createOffers(catalog: Catalog, now: () => number = Date.now) {
  const offers = createCache<Offer>({ ...SECOND, max: INSTITUTIONS });
  // Only one runs at a time, so that unknown product ids cause little load.
  const latest = createLatest<Dated<Offer>>();
  const marks = new Map<string, { readonly mark: string; readonly offer: Offer }>();
  const halls = createCache<readonly Place[] | undefined>({ ...SECOND, max: HALLS });
  const plans = createCache<Plan | undefined>({ ...PLAN, max: HALLS });
  // Both are by performance.
  const inFlight = new Map<string, Promise<Known>>();
  const answered = new Map<string, Known>();

  const publishedNow = async (institution: string): Promise<Dated<Offer>> => {
    const asOf = now();
    const known = marks.get(institution);
    const { mark, published, pricing } = await catalog.published(institution, known?.mark);
    const offer = { ...(published ?? (known as { readonly offer: Offer }).offer), pricing };
    marks.set(institution, { mark, offer });
    return { value: offer, asOf };
  };

  const forget = (): void => {
    if (answered.size <= PERFORMANCES) return;
    const oldest = now() - SECOND.maxAgeMs;
    for (const [key, { asOf }] of answered) if (asOf < oldest) answered.delete(key);
  };

  const load = (institution: string, ids: readonly string[]): void => {
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
        .finally(() => inFlight.delete(key));
      // Waiting callers get the rejection; without any it must not be unhandled.
      one.catch(() => undefined);
      inFlight.set(key, one);
    }
    forget();
  };

  return {
    /** With what is left of these codes now. */
    async published(institution: string, codes: readonly string[] = []): Promise<Offer> {
      const [{ value: offer }, pricing] = await Promise.all([
        offers.get(institution, () => publishedNow(institution)),
        codes.length > 0 ? catalog.pricing(institution, codes) : undefined,
      ]);
      return pricing ? { ...offer, pricing } : offer;
    },

    /** The offer may be of any age; undefined if the catalog has not answered yet. */
    lastKnown: (institution: string): Offer | undefined => marks.get(institution)?.offer,

    /** Serves an unknown product id, which may have been published within the last second. */
    publishedNow: async (institution: string): Promise<Offer> =>
      (await latest(institution, () => publishedNow(institution))).value,

    /** Dated as the oldest of them. */
    async stock(institution: string, performanceIds: readonly string[]): Promise<Dated<StockOf>> {
      const at = now();
      const keyed = [...new Set(performanceIds)].map((id) => ({ id, key: `${institution} ${id}` }));
      const age = (key: string) => at - (answered.get(key)?.asOf ?? Number.NEGATIVE_INFINITY);
      const stale = keyed.filter(({ key }) => age(key) > SECOND.refreshMs && !inFlight.has(key)).map(({ id }) => id);
      if (stale.length > 0) load(institution, stale);
      const known = await Promise.all(
        keyed.map(async ({ id, key }) => {
          const recent = age(key) <= SECOND.maxAgeMs ? answered.get(key) : await inFlight.get(key);
          return [id, recent ?? { stock: undefined, asOf: at }] as const;
        }),
      );
      const byId = new Map(known);
      const asOf = Math.min(at, ...known.map(([, one]) => one.asOf));
      return { value: (id) => byId.get(id)?.stock, asOf };
    },

    async places(institution: string, performanceId: string): Promise<Dated<readonly Place[] | undefined>> {
      return halls.get(`${institution} ${performanceId}`, async () => {
        const asOf = now();
        return { value: await catalog.places(institution, performanceId), asOf };
      });
    },

    async plan(institution: string, { id, updatedAt }: Performance): Promise<Plan | undefined> {
      const load = async () => {
        const asOf = now();
        return { value: await catalog.plan(institution, id), asOf };
      };
      return (await plans.get(`${institution} ${id} ${updatedAt}`, load)).value;
    },
  };
}

export type Offers = ReturnType<typeof createOffers>;

const RULE_MS = 2_000;

/** Reads the products as they are now, not a second ago, for what a rule decides; as last known on a timeout. */
export async function readCurrentProducts(
  { offers }: { readonly offers: Offers },
  institution: string,
): Promise<readonly Product[]> {
  const asked = offers.publishedNow(institution).catch(() => undefined);
  const offer = (await settleWithin(asked, RULE_MS, () => undefined)) ?? offers.lastKnown(institution);
  return offer?.products ?? [];
}

/** Those that are over as they are dated now. */
export async function listOver(
  { offers, now }: { readonly offers: Offers; readonly now: () => number },
  institution: string,
  performanceIds: readonly string[],
): Promise<readonly string[]> {
  if (performanceIds.length === 0) return [];
  const products = await readCurrentProducts({ offers }, institution);
  return performanceIds.filter((id) => {
    const found = findPerformance(products, id);
    return found !== undefined && isOver(found.performance, found.product, now());
  });
}

/** @throws {PosFault} cart_not_on_sale if a performance is over as it is dated now; `of` names it in the request */
export async function requireNotOver(
  context: Parameters<typeof listOver>[0],
  institution: string,
  performanceIds: readonly string[],
  of?: string,
): Promise<void> {
  const over = await listOver(context, institution, performanceIds);
  const ended = performanceIds.findIndex((id) => over.includes(id));
  const where = of === undefined ? '' : `${of}[${ended}]: `;
  if (ended >= 0) throw new PosFault('cart_not_on_sale', `${where}The performance is over.`);
}
