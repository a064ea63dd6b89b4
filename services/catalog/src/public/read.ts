import { type Answer, asOfReading, type ChangesPage, changesPageOf, ok, type PageRequest } from '@boxoffice/http';
import type { Static } from 'typebox';
import { type Context, institutionOf, notFound } from '../context.ts';
import type { ProductState, ProductType } from '../domain/product.ts';
import { availabilityOf } from '../performances/availability.ts';
import { type ProductFilter, productsWithin } from '../products/filter.ts';
import { findOffering } from '../products/products.ts';
import type { Collections } from '../store.ts';
import {
  type PublicTariffs,
  publicAvailability,
  publicEtag,
  publicPerformance,
  publicProduct,
  publicStates,
  publicTariffs,
} from './projection.ts';
import type { PublicPerformance, PublicProduct } from './schemas.ts';

/** The public tariffs of the institution. */
export const readPublicTariffs = async ({ tariffs, pointsOfSale }: Collections): Promise<PublicTariffs> => {
  const [allTariffs, allPointsOfSale] = await Promise.all([
    tariffs.find({ orderBy: 'createdAt' }),
    pointsOfSale.find({ orderBy: 'createdAt' }),
  ]);
  return publicTariffs(allTariffs, allPointsOfSale);
};

/** The ETag of a page ignores `asOf`, which moves with the clock, also inside the cursor. */
export const pageWithEtag = <Data extends { readonly items: readonly unknown[]; readonly nextCursor: string | null }>({
  data,
}: Answer<Data>) => ok(data, { etag: publicEtag({ items: data.items, isLast: data.nextCursor === null }) });

const withEtag = <Data extends object>(data: Data) => ok(data, { etag: publicEtag(data) });

/** `modifiedSince`, unless prices of all products may have changed since then. */
const effective = <Request extends PageRequest>(request: Request, { changedAt }: PublicTariffs): PageRequest => {
  const { modifiedSince, ...query } = request.query;
  const isLater = modifiedSince !== undefined && modifiedSince > changedAt;
  return { query: isLater ? { ...query, modifiedSince } : query, cursor: request.cursor };
};

interface ProductsRequest extends PageRequest {
  readonly query: PageRequest['query'] & { readonly type?: ProductType; readonly state?: ProductState } & ProductFilter;
}

/** A page of the public products; empty for a filter by another state than the public one. */
export const listPublicProducts = async ({ collections, now }: Context, request: ProductsRequest) => {
  const { type, code, state = 'running' } = request.query;
  if (state !== 'running') {
    const none: ChangesPage<Static<typeof PublicProduct>> = { items: [], nextCursor: null, asOf: asOfReading(now()) };
    return pageWithEtag(ok(none));
  }
  const [tariffs, { currency }] = await Promise.all([readPublicTariffs(collections), institutionOf(collections)]);
  const products = productsWithin(collections, request.query, publicStates, (product, performances) =>
    publicProduct(product, performances, currency, tariffs),
  );
  return pageWithEtag(
    await changesPageOf(effective(request, tariffs), products, {
      where: { type, code, state },
      modifiedAt: 'modifiedAt',
      clock: now,
      item: ({ view }) => view,
    }),
  );
};

/** A public product. @throws Fault `not_found` */
export const getPublicProduct = async (context: Context, productId: string) => {
  const [{ product, performances, currency }, tariffs] = await Promise.all([
    findOffering(context, productId),
    readPublicTariffs(context.collections),
  ]);
  return withEtag<Static<typeof PublicProduct>>(publicProduct(product, performances, currency, tariffs) ?? notFound());
};

/** A page of the public performances of a public product. @throws Fault `not_found` */
export const listPublicPerformances = async (
  { collections, now }: Context,
  productId: string,
  request: PageRequest,
) => {
  const [product, tariffs] = await Promise.all([collections.products.get(productId), readPublicTariffs(collections)]);
  if (product?.state !== 'running') return notFound();
  return pageWithEtag(
    await changesPageOf(effective(request, tariffs), collections.performances, {
      where: { productId, state: { in: publicStates } },
      modifiedAt: 'modifiedAt',
      clock: now,
      item: (performance): Static<typeof PublicPerformance> =>
        publicPerformance(performance, product, tariffs) ?? notFound(),
    }),
  );
};

const findPublicPerformance = async (collections: Collections, performanceId: string) => {
  const performance = (await collections.performances.get(performanceId)) ?? notFound();
  const [product, tariffs] = await Promise.all([
    collections.products.get(performance.productId),
    readPublicTariffs(collections),
  ]);
  const view = product && publicPerformance(performance, product, tariffs);
  return view ? { performance, view } : notFound();
};

/** A public performance. @throws Fault `not_found` */
export const getPublicPerformance = async ({ collections }: Context, performanceId: string) =>
  withEtag<Static<typeof PublicPerformance>>((await findPublicPerformance(collections, performanceId)).view);

/** The availability of a public performance. @throws Fault `not_found` */
export const getPublicAvailability = async ({ collections, now }: Context, performanceId: string) => {
  const { performance } = await findPublicPerformance(collections, performanceId);
  const data = publicAvailability(await availabilityOf(collections, performance, now()));
  const { asOf: _, ...counted } = data;
  return ok(data, { etag: publicEtag(counted) });
};
