// Places, and uses of discounts, that an order does not need any more.

import { Fault } from '@boxoffice/envelope';
import { IdempotencyKeyTaken, type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import { isUnavailable } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { listOwnStock } from '../domain/changes/change.ts';
import { accept } from '../domain/decisions.ts';
import { removeReleasedPlaces } from '../domain/lines.ts';
import type { OrderDocument } from '../store.ts';
import { attempt, type Rule, type Target, toTarget } from './write.ts';

/** In the stock alone, unless the order has them since. @throws Fault `service_unavailable` */
export async function releaseInStock(
  context: Pick<OrdersContext, 'stock'>,
  { institution, id, removedPlaces }: OrderDocument,
): Promise<void> {
  if (!removedPlaces) return;
  const { placeIds, asOf } = removedPlaces;
  await context.stock.release(institution, id, { placeIds, asOf, sold: true });
}

/** @throws Fault `service_unavailable`: the release stays due */
export async function releaseRemoved(
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  const { removedPlaces } = order;
  if (!removedPlaces) return order;
  await releaseInStock(context, order);
  const rule: Rule = (current) =>
    accept(
      current.removedPlaces?.asOf === removedPlaces.asOf
        ? removeReleasedPlaces(current, removedPlaces.placeIds)
        : current,
    );
  return (await attempt(context, toTarget(order), rule, idempotencyRecord)).order;
}

/** As {@link releaseRemoved}, for the request that has written the removal; without an answer the release stays due. */
export async function releaseAtOnce(
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  try {
    return await releaseRemoved(context, order, idempotencyRecord);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return order;
  }
}

export interface Taken {
  /** Ids of places and uses. */
  readonly stock: readonly string[];
  readonly requestId: string;
  readonly asOf: number;
}

/** {@link releaseTaken} of what `error` refuses. Without an answer of the catalogue a repeat finds it. */
export async function releaseRefused(
  context: OrdersContext,
  target: Target,
  taken: Taken | undefined,
  error: unknown,
): Promise<void> {
  const isOther = error instanceof IdempotencyKeyTaken || error instanceof UniqueViolation;
  if (taken && (isOther || (error instanceof Fault && !isUnavailable(error))))
    await releaseTaken(context, target, taken);
}

/**
 * What a request has taken itself, and nothing that the order or its pending change has: another attempt may have
 * succeeded. Without an answer of the catalogue it is free once its hold ends.
 */
export async function releaseTaken(
  context: OrdersContext,
  { institution, orderId }: Target,
  { stock, requestId, asOf }: Taken,
): Promise<void> {
  const order = await context.orders.of(institution).get(orderId);
  const own = new Set(order ? listOwnStock(order) : []);
  const placeIds = [...new Set(stock)].filter((id) => !own.has(id));
  if (placeIds.length === 0) return;
  await context.stock.release(institution, orderId, { placeIds, requestId, asOf }).catch((error: unknown) => {
    context.log.warn('what a refused request has taken is free once its hold ends', { error });
  });
}
