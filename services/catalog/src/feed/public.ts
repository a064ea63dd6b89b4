import {
  type Answer,
  type ChangesPage,
  computeAsOf,
  ok,
  type PageRequest,
  readChangesPage,
  readPage,
} from '@boxoffice/http';
import type { Static } from 'typebox';
import { type Context, requireInstitution, throwNotFound } from '../context.ts';
import type { ProductState, ProductType } from '../domain/product.ts';
import { readAvailability } from '../performances/capacity.ts';
import { readTicketFees } from '../pricing/ticket-fees.ts';
import { filterProducts, type ProductFilter } from '../products/filter.ts';
import { findOffering } from '../products/products.ts';
import type { Collections } from '../store.ts';
import type { CatalogAnswer } from './cache.ts';
import {
  computePublicEtag,
  type PublicPerformance,
  type PublicProduct,
  type PublicTariffs,
  publicStates,
  selectPublicTariffs,
  toPublicAvailability,
  toPublicPerformance,
  toPublicProduct,
} from './projection.ts';

export async function readPublicTariffs(collections: Collections): Promise<PublicTariffs> {
  const [tariffs, pointsOfSale, fees] = await Promise.all([
    collections.tariffs.find({ orderBy: 'createdAt' }),
    collections.pointsOfSale.find({ orderBy: 'createdAt' }),
    readTicketFees(collections),
  ]);
  return selectPublicTariffs(tariffs, pointsOfSale, fees);
}

interface ProductsRequest extends PageRequest {
  readonly query: PageRequest['query'] & { readonly type?: ProductType; readonly state?: ProductState } & ProductFilter;
}

/** Empty for a filter by another state than the public one. */
export async function listPublicProducts({ collections, now }: Context, request: ProductsRequest) {
  const { type, code, state = 'running' } = request.query;
  if (state !== 'running') {
    const none: ChangesPage<Static<typeof PublicProduct>> = { items: [], nextCursor: null, asOf: computeAsOf(now()) };
    return pageWithEtag(ok(none));
  }
  const [tariffs, { currency }] = await Promise.all([readPublicTariffs(collections), requireInstitution(collections)]);
  const products = filterProducts(collections, request.query, publicStates, (product, performances) =>
    toPublicProduct(product, performances, currency, tariffs),
  );
  return pageWithEtag(
    await readChangesPage(widenChanges(request, tariffs), products, {
      where: { type, code, state },
      modifiedAt: 'modifiedAt',
      clock: now,
      item: ({ view }) => view,
    }),
  );
}

/** The ETag ignores `asOf`, which moves with the clock, also inside the cursor. */
const pageWithEtag = <Data extends { readonly items: readonly unknown[]; readonly nextCursor: string | null }>({
  data,
}: Answer<Data>) => ok(data, { etag: computePublicEtag({ items: data.items, isLast: data.nextCursor === null }) });

/** Keeps `modifiedSince`, unless prices of all products may have changed since then. */
export function widenChanges(request: PageRequest, { changedAt }: Pick<PublicTariffs, 'changedAt'>): PageRequest {
  const { modifiedSince, ...query } = request.query;
  const isLater = modifiedSince !== undefined && modifiedSince > changedAt;
  return { query: isLater ? { ...query, modifiedSince } : query, cursor: request.cursor };
}

/** @throws Fault `not_found` */
export async function getPublicProduct(context: Context, productId: string) {
  const [{ product, performances, currency }, tariffs] = await Promise.all([
    findOffering(context, productId),
    readPublicTariffs(context.collections),
  ]);
  return withEtag<Static<typeof PublicProduct>>(
    toPublicProduct(product, performances, currency, tariffs) ?? throwNotFound(),
  );
}

const withEtag = <Data extends object>(data: Data) => ok(data, { etag: computePublicEtag(data) });

/** @throws Fault `not_found` */
export async function listPublicPerformances({ collections, now }: Context, productId: string, request: PageRequest) {
  const [product, tariffs] = await Promise.all([collections.products.get(productId), readPublicTariffs(collections)]);
  if (product?.state !== 'running') return throwNotFound();
  return pageWithEtag(
    await readChangesPage(widenChanges(request, tariffs), collections.performances, {
      where: { productId, state: { in: publicStates } },
      modifiedAt: 'modifiedAt',
      clock: now,
      item: (performance): Static<typeof PublicPerformance> =>
        toPublicPerformance(performance, product, tariffs) ?? throwNotFound(),
    }),
  );
}

/** @throws Fault `not_found` */
export async function getPublicPerformance({ collections }: Context, performanceId: string) {
  return withEtag<Static<typeof PublicPerformance>>((await findPublicPerformance(collections, performanceId)).view);
}

const findPublicPerformance = async (collections: Collections, performanceId: string) => {
  const performance = (await collections.performances.get(performanceId)) ?? throwNotFound();
  const [product, tariffs] = await Promise.all([
    collections.products.get(performance.productId),
    readPublicTariffs(collections),
  ]);
  const view = product && toPublicPerformance(performance, product, tariffs);
  return view ? { performance, view } : throwNotFound();
};

/** @throws Fault `not_found` */
export async function getPublicAvailability({ collections, now }: Context, performanceId: string) {
  const { performance } = await findPublicPerformance(collections, performanceId);
  const data = toPublicAvailability(await readAvailability(collections, performance, now()));
  const { asOf: _, ...counted } = data;
  return ok(data, { etag: computePublicEtag(counted) });
}

type View = Static<typeof PublicPerformance>;
type PublicProducts = CatalogAnswer<Static<typeof PublicProduct>>['data']['products'];

const sorted = new WeakMap<PublicProducts, readonly View[]>();

/** Instants are ISO 8601 UTC, inclusive. */
interface PerformanceFilter {
  readonly productId?: string;
  readonly state?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Sorted by start, from the cached catalog: in the store the ended products of years would stand between them. */
export async function listAllPublicPerformances(
  { data }: CatalogAnswer<Static<typeof PublicProduct>>,
  request: PageRequest,
  { productId, state, from, to }: PerformanceFilter,
) {
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
  return pageWithEtag(await readPage(request, chosen, { orderBy: 'startDate', item: (view) => view }));
}

/** By start; the id breaks ties, by code point as in the store. */
const inOrder = (left: View, right: View): number =>
  left.startDate === right.startDate
    ? Buffer.compare(Buffer.from(left.id), Buffer.from(right.id))
    : left.startDate < right.startDate
      ? -1
      : 1;

const byStart = (products: PublicProducts): readonly View[] => {
  const known = sorted.get(products);
  if (known) return known;
  const all = products.flatMap(({ performances }) => performances).sort(inOrder);
  sorted.set(products, all);
  return all;
};
