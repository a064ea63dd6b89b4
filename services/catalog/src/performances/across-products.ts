import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  createPageSchema,
  ID_PATTERN,
  id,
  named,
  ok,
  oneOf,
  operation,
  pageQuery,
  readPage,
} from '@boxoffice/http';
import { findFitting, type Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { createContext } from '../context.ts';
import { performanceStates } from '../domain/performance.ts';
import type { CatalogCache } from '../feed/cache.ts';
import {
  computePublicEtag,
  isLimitedToPublic,
  isPublic,
  PublicAvailability,
  PublicPerformance,
  toPublicAvailability,
} from '../feed/projection.ts';
import { listAllPublicPerformances } from '../feed/public.ts';
import { readTicketFees } from '../pricing/ticket-fees.ts';
import { buildStartCondition, startingWithin } from '../products/filter.ts';
import { ids } from '../schemas.ts';
import type { Collections, PerformanceDocument, ProductDocument } from '../store.ts';
import { readAvailability } from './capacity.ts';
import { splitIntoBatches } from './performances.ts';
import * as examples from './schemas.ts';
import { Availability, Performance, toPerformanceView } from './schemas.ts';

const MAX_PERFORMANCES = 200;
/** Performances whose places are counted at the same time. */
const WIDTH = 20;

const ONE_ID = ID_PATTERN.slice(1, -1);

const asOf = Type.String({ format: 'date-time', description: 'ISO 8601 UTC: of all items' });
const Availabilities = named('Availabilities', Type.Object({ asOf, items: Type.Array(Availability) }));
const PublicAvailabilities = named(
  'PublicAvailabilities',
  Type.Object({ asOf, items: Type.Array(PublicAvailability) }),
);

/** An interrupted creation can leave performances without a product. */
export async function findPerformanceProducts(
  { products }: Collections,
  performances: readonly PerformanceDocument[],
): Promise<ReadonlyMap<string, ProductDocument>> {
  const wanted = [...new Set(performances.map(({ productId }) => productId))];
  const found = wanted.length === 0 ? [] : await products.find({ where: { id: { in: wanted } } });
  return new Map(found.map((product) => [product.id, product]));
}

interface Asked {
  readonly performanceIds?: string;
  readonly productId?: string;
}

export function createAcrossProductsRoutes(store: Store, cache: CatalogCache): AnyOperation[] {
  return [
    operation({
      id: 'listAllPerformances',
      method: 'get',
      path: '/svc/v3/catalog/performances',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Lists the performances of all products by their start',
      description: 'Public access lists those of running products that are not closed.',
      query: {
        ...startingWithin,
        productId: Type.Optional(id),
        state: Type.Optional(oneOf(performanceStates)),
        ...pageQuery,
      },
      answers: {
        200: Type.Union([
          pageByStart('PerformancesByStart', Performance),
          pageByStart('PublicPerformancesByStart', PublicPerformance),
        ]),
      },
      errors: ['not_found'],
      etag: true,
      example: {
        query: { from: '2027-03-01T00:00:00.000Z', to: '2027-03-31T23:59:59.999Z', limit: 1 },
        answer: { items: [examples.performance], nextCursor: null },
      },
      handle: async (request) => {
        const { caller, query } = request;
        const { productId, state } = query;
        if (isLimitedToPublic(caller))
          return listAllPublicPerformances(await cache.publicOf(caller.institution, {}), request, query);
        const { collections } = createContext(store, caller.institution);
        const fees = await readTicketFees(collections);
        return readPage(request, withProduct(collections), {
          where: { productId, state, startDate: buildStartCondition(query) },
          orderBy: 'startDate',
          item: (performance) => toPerformanceView(performance, fees),
        });
      },
    }),
    operation({
      id: 'listAvailability',
      method: 'get',
      path: '/svc/v3/catalog/availability',
      access: 'catalog:read',
      publicWithKey: true,
      admits: ['customer'],
      summary: 'Counts the free, held and sold places of several performances, or of all of a product',
      description:
        'One of `performanceIds` and `productId` is required; with both, those of the product among the named ones. Items come in ' +
        'order of start. Unknown performances are left out. Public access shows levels instead of numbers.',
      query: {
        performanceIds: Type.Optional(
          Type.String({
            pattern: `^${ONE_ID}(,${ONE_ID}){0,${MAX_PERFORMANCES - 1}}$`,
            description: `1 to ${MAX_PERFORMANCES} ids, separated by commas`,
          }),
        ),
        productId: Type.Optional(id),
      },
      answers: { 200: Type.Union([Availabilities, PublicAvailabilities]) },
      errors: ['missing_parameter'],
      etag: true,
      example: {
        query: { performanceIds: ids.performance },
        answer: { asOf: examples.availability.asOf, items: [examples.availability] },
      },
      handle: async ({ caller, query }) => {
        const { collections, now } = createContext(store, caller.institution);
        const publicOnly = isLimitedToPublic(caller);
        const performances = await selectPerformances(collections, query, publicOnly);
        const at = now();
        const items: Awaited<ReturnType<typeof readAvailability>>[] = [];
        for (const some of splitIntoBatches(performances, WIDTH))
          items.push(...(await Promise.all(some.map((performance) => readAvailability(collections, performance, at)))));
        const asOf = new Date(at).toISOString();
        if (!publicOnly) return ok({ asOf, items });
        const shown = items.map(toPublicAvailability);
        return ok({ asOf, items: shown }, { etag: computePublicEtag(shown.map(({ asOf: _, ...counted }) => counted)) });
      },
    }),
  ];
}

const pageByStart = <const Name extends string, Item extends typeof Performance | typeof PublicPerformance>(
  name: Name,
  item: Item,
) => named(name, Type.Object({ ...createPageSchema(item).properties }));

const withProduct = (collections: Collections) => {
  return findFitting(collections.performances, async (found) => {
    const products = await findPerformanceProducts(collections, found);
    return found.filter(({ productId }) => products.has(productId));
  });
};

/** @throws Fault `missing_parameter` */
const selectPerformances = async (
  collections: Collections,
  { performanceIds, productId }: Asked,
  publicOnly: boolean,
): Promise<PerformanceDocument[]> => {
  if (performanceIds === undefined && productId === undefined)
    throw new Fault('missing_parameter', 'query parameter performanceIds or productId is required');
  const named = performanceIds === undefined ? undefined : { in: [...new Set(performanceIds.split(','))] };
  const where = { ...(named && { id: named }), ...(productId === undefined ? {} : { productId }) };
  const found = await collections.performances.find({ where, orderBy: 'startDate' });
  const products = await findPerformanceProducts(collections, found);
  return found.filter((performance) => {
    const product = products.get(performance.productId);
    return product !== undefined && (!publicOnly || isPublic(performance, product));
  });
};
