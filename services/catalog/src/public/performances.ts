import { type PageRequest, pageOf } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { CatalogAnswer } from '../feed/cache.ts';
import { pageWithEtag } from './read.ts';
import type { PublicPerformance, PublicProduct } from './schemas.ts';

type View = Static<typeof PublicPerformance>;
type PublicProducts = CatalogAnswer<Static<typeof PublicProduct>>['data']['products'];

/** By start; the id breaks ties, by code point as in the store. */
const inOrder = (left: View, right: View): number =>
  left.startDate === right.startDate
    ? Buffer.compare(Buffer.from(left.id), Buffer.from(right.id))
    : left.startDate < right.startDate
      ? -1
      : 1;

const sorted = new WeakMap<PublicProducts, readonly View[]>();

const byStart = (products: PublicProducts): readonly View[] => {
  const known = sorted.get(products);
  if (known) return known;
  const all = products.flatMap(({ performances }) => performances).sort(inOrder);
  sorted.set(products, all);
  return all;
};

/** What the list is narrowed to; instants are ISO 8601 UTC, inclusive. */
interface PerformanceFilter {
  readonly productId?: string;
  readonly state?: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * A page of all public performances by start. They come from the cached catalog, which is never older than the last
 * acknowledged write: in the store the ended products of years would stand between them.
 */
export const listAllPublicPerformances = async (
  { data }: CatalogAnswer<Static<typeof PublicProduct>>,
  request: PageRequest,
  { productId, state, from, to }: PerformanceFilter,
) => {
  const chosen = {
    async find({
      after,
      limit = Number.POSITIVE_INFINITY,
    }: {
      readonly after?: { readonly value: unknown; readonly id: string };
      readonly limit?: number;
    }) {
      const follows = (one: View): boolean =>
        after === undefined || inOrder(one, { ...one, startDate: String(after.value), id: after.id }) > 0;
      return byStart(data.products)
        .filter(
          (one) =>
            (productId === undefined || one.productId === productId) &&
            (state === undefined || one.state === state) &&
            (from === undefined || one.startDate >= from) &&
            (to === undefined || one.startDate <= to) &&
            follows(one),
        )
        .slice(0, limit);
    },
  };
  return pageWithEtag(await pageOf(request, chosen, { orderBy: 'startDate', item: (view) => view }));
};
