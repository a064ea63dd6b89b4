import { Fault } from '@boxoffice/envelope';
import { type Documents, type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import { clocks } from '../clocks.ts';
import {
  type Context,
  invalidateCatalog,
  readMoneyRules,
  readTimestamp,
  refuseProblems,
  throwNotFound,
} from '../context.ts';
import { computeMeantStart } from '../domain/clocks.ts';
import { findPerformanceProblems, type PerformanceInput } from '../domain/performance.ts';
import { buildPlace, listAddedSpots, type Place } from '../domain/place.ts';
import { hasManyPerformances, type ProductType } from '../domain/product.ts';
import { buildSeatCategories, type SeatCategory } from '../domain/seat-category.ts';
import { resolvePrices } from '../domain/tariff.ts';
import type { Collections, PerformanceDocument, PlaceDocument, ProductDocument } from '../store.ts';

const BATCH = 1_000;

export function splitIntoBatches<Item>(items: readonly Item[], size = BATCH): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Idempotent, since the id of a place is derived from its position. */
export async function insertPlaces(places: Documents<PlaceDocument>, made: readonly Place[]): Promise<void> {
  for (const batch of splitIntoBatches(made)) await places.insertMany(batch);
}

/** An interrupted creation, without a product, is not found either. @throws Fault `not_found` */
export async function findPerformance(collections: Collections, id: string): Promise<PerformanceDocument> {
  const performance = await collections.performances.get(id);
  const product = performance && (await collections.products.get(performance.productId));
  return performance && product ? performance : throwNotFound();
}

/** Sorted by creation. */
export function listProductPerformances(
  { performances }: Collections,
  productId: string,
): Promise<PerformanceDocument[]> {
  return performances.find({ where: { productId }, orderBy: 'createdAt' });
}

/** Each list is sorted by creation. */
export async function findPerformancesByProduct(
  { performances }: Collections,
  products: readonly Pick<ProductDocument, 'id'>[],
): Promise<ReadonlyMap<string, PerformanceDocument[]>> {
  const found: PerformanceDocument[] = [];
  for (const some of splitIntoBatches(products, 500)) {
    const productId = { in: some.map(({ id }) => id) };
    found.push(...(await performances.find({ where: { productId }, orderBy: 'createdAt' })));
  }
  return Map.groupBy(found, ({ productId }) => productId);
}

/** `at` is the JSON path of each. @throws Fault `semantically_invalid` */
export async function checkPerformances(
  collections: Collections,
  type: ProductType,
  inputs: readonly PerformanceInput[],
  at: (index: number) => string,
): Promise<{ readonly currency: string }> {
  const tariffIds = inputs.flatMap(({ prices }) => prices.map(({ tariffId }) => tariffId));
  const money = await readMoneyRules(collections, tariffIds);
  const rules = { ...money, clocks, manyCategories: hasManyPerformances(type) };
  refuseProblems(inputs.flatMap((input, index) => findPerformanceProblems(input, rules, at(index))));
  return rules;
}

/**
 * Milliseconds from the product's `modifiedAt` to the start of the performance's write, for which 6 s are left of the
 * 10 s that `computeAsOf` allows.
 */
export const RECORD_MS = 4_000;

/** The gateway waits 15 s for an answer. */
const RECORD_ATTEMPTS = 3;

export function createTooSlowFault(): Fault {
  return new Fault('service_unavailable', 'The store is too slow at the moment; nothing was changed.', {
    'Retry-After': '1',
  });
}

/**
 * Updates the product's `modifiedAt`, so that `modifiedSince` returns it; resolves with it in epoch milliseconds. Call
 * it right before the write of a performance: in the other order a change could be missed. For `computeAsOf` both are
 * one write at that time. @throws Fault `service_unavailable` if the store is too slow
 */
export async function recordModification(context: Context, productId: string): Promise<number> {
  for (let attempt = 0; attempt < RECORD_ATTEMPTS; attempt += 1) {
    const recordedAt = context.now();
    const modifiedAt = new Date(recordedAt).toISOString();
    await context.collections.products.update(productId, (product: ProductDocument) =>
      product.modifiedAt < modifiedAt ? { next: { ...product, modifiedAt } } : undefined,
    );
    if (context.now() - recordedAt <= RECORD_MS) return recordedAt;
  }
  throw createTooSlowFault();
}

/**
 * Writes places, then the performance with the idempotency record: an interrupted creation leaves places that no query
 * finds. @throws {UniqueViolation} on a second performance of a product that may have only one
 */
export async function writePerformance(
  context: Context,
  product: { readonly id: string; readonly type: ProductType },
  input: PerformanceInput,
  currency: string,
  idempotencyRecord?: IdempotencyRecord<PerformanceDocument>,
): Promise<PerformanceDocument> {
  const id = context.newId('prf');
  const seatCategories = buildSeatCategories(id, input.seatCategories);
  await makePlaces(context.collections.places, id, seatCategories);
  await recordModification(context, product.id);
  const now = readTimestamp(context);
  const { startDate, durationMinutes, venue, timeZone, salesFrom, salesTo } = input;
  return context.collections.performances.insert(
    {
      id,
      productId: product.id,
      startDate,
      durationMinutes,
      venue,
      timeZone,
      salesFrom,
      salesTo,
      state: 'on_sale',
      seatCategories,
      prices: resolvePrices(input.prices, seatCategories, currency),
      ...(input.seatMap ? { seatMap: input.seatMap } : {}),
      ...(input.returnPolicy ? { returnPolicy: input.returnPolicy } : {}),
      meantStart: computeMeantStart(input, clocks),
      soleOf: hasManyPerformances(product.type) ? null : product.id,
      revision: 1,
      createdAt: now,
      updatedAt: now,
      modifiedAt: now,
    },
    { idempotencyRecord },
  );
}

/** No query finds them before the performance is written. */
const makePlaces = (
  places: Documents<PlaceDocument>,
  performanceId: string,
  categories: readonly SeatCategory[],
): Promise<void> =>
  insertPlaces(
    places,
    categories.flatMap((category, index) =>
      listAddedSpots(index, category).map((spot) => buildPlace(performanceId, category, spot, Math.random())),
    ),
  );

/** @throws Fault `not_found`, `semantically_invalid`, `conflict` */
export async function addPerformance(
  context: Context,
  productId: string,
  input: PerformanceInput,
  idempotencyRecord?: IdempotencyRecord<PerformanceDocument>,
): Promise<PerformanceDocument> {
  const { collections } = context;
  const product = (await collections.products.get(productId)) ?? throwNotFound();
  const { currency } = await checkPerformances(collections, product.type, [input], () => '$');
  if (!hasManyPerformances(product.type) && (await collections.performances.count({ productId })) > 0) secondOfOne();
  const performance = await writePerformance(context, product, input, currency, idempotencyRecord).catch(
    (error: unknown) =>
      error instanceof UniqueViolation && error.index === 'sole' ? secondOfOne() : Promise.reject(error),
  );
  await invalidateCatalog(context);
  return performance;
}

const secondOfOne = (): never => {
  throw new Fault('conflict', 'A product that is not a show has exactly one performance.');
};
