import { Fault } from '@boxoffice/envelope';
import type { IdempotencyRecord } from '@boxoffice/store';
import { createNotFoundFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { listOwnStock } from '../domain/changes/change.ts';
import { confirmPaidOrder, giveUpSale, hasTickets, type Sale } from '../domain/confirmation.ts';
import type { SaleDue } from '../domain/order/order.ts';
import { expire, isHidden, isPastDue, isUnpaid } from '../domain/order/state.ts';
import { listStock } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import type { OrderDocument } from '../store.ts';
import { issueAtOnce } from './follow-ups.ts';
import { attempt, type Outcome, type Rule, requireAccepted, type Target, toTarget } from './write.ts';

/** Milliseconds: places whose hold has ended are sold immediately. */
export const RENEWED_MS = 120_000;
/** Another process may have given the sale up meanwhile. */
const TRIES = 3;

/** All lines, or none: then undefined. Idempotent. @throws Fault `service_unavailable` */
export async function sellPlaces(
  context: OrdersContext,
  { institution, id, expiresAt }: OrderDocument,
  placeIds: readonly string[],
): Promise<Sale | undefined> {
  const heldUntil = expiresAt === null ? {} : { heldUntil: new Date(expiresAt).toISOString() };
  const { missing, starts = [] } = await context.stock.sell(institution, id, { placeIds, ...heldUntil });
  return missing.length === 0 ? { soldPlaceIds: placeIds, starts } : undefined;
}

/** Not the places of its tickets, nor what a later version has taken again. */
export async function releaseSold(
  context: OrdersContext,
  order: OrderDocument,
  { sold, version }: { readonly sold: readonly string[]; readonly version: number },
): Promise<void> {
  const { institution, id, state } = order;
  const kept = isUnpaid(order) || hasTickets(order) ? listOwnStock(order) : [];
  const placeIds = [...new Set(sold)].filter((placeId) => !kept.includes(placeId));
  const asOf = state === 'confirmed' || state === 'cancelled' ? order.version : version;
  if (placeIds.length > 0) await context.stock.release(institution, id, { placeIds, asOf, sold: true });
}

/**
 * Sells an order whose sale is due, confirms it and issues its tickets; any process may do it, also several at once. Of
 * an order whose sale is not due it only issues tickets that are. @throws Fault `precondition_failed` or `payment_recorded` if places
 * are gone, or the order was cancelled meanwhile; `service_unavailable` if the catalog does not answer: the sale stays
 * due
 */
export async function sell(
  context: OrdersContext,
  due: OrderDocument,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  const sold: string[] = [];
  let order = due;
  for (let tries = 1; order.saleDue; tries += 1) {
    const { saleDue, version } = order;
    const sale = await sellDue(context, order, saleDue);
    const rule: Rule = (current, now) =>
      sale ? confirmPaidOrder(current, { ...sale, due: saleDue }, now) : giveUpSale(current, saleDue, now);
    const outcome: Outcome = await attempt(context, toTarget(order), rule, idempotencyRecord);
    sold.push(...(sale?.soldPlaceIds ?? []));
    order = outcome.order;
    if (sale && order.saleDue && !outcome.refused && tries < TRIES) continue;
    await releaseSold(context, order, { sold, version });
    requireAccepted(outcome);
    break;
  }
  await issueAtOnce(context, order);
  return order;
}

/** After the end of the hold the places are held again, or others of their category instead. */
const sellDue = async (context: OrdersContext, order: OrderDocument, { since }: SaleDue): Promise<Sale | undefined> => {
  const { institution, id, version: asOf } = order;
  const isLate = !isUnpaid(order) || (order.expiresAt ?? 0) <= context.now();
  const sale = isLate ? undefined : await sellPlaces(context, order, listStock(order.lines));
  // Who has paid in the one call gets other places of the category where its own are gone.
  if (sale || !(isLate || order.unseen)) return sale;
  const { missing, places } = await context.stock.renew(institution, id, {
    requestId: deriveId('req', 'sale', id, String(since)),
    heldUntil: new Date(context.now() + RENEWED_MS).toISOString(),
    placeIds: listStock(order.lines),
    asOf,
  });
  if (missing.length > 0) return undefined;
  const sold = places.map((place) => place.id);
  const renewed = await sellPlaces(context, order, sold);
  const replaced = places.flatMap(({ replaces, id: placeId, label, row, seat }) =>
    replaces === null ? [] : [{ replaces, place: { id: placeId, label, row, seat } }],
  );
  return renewed && { ...renewed, replaced };
};

/** For a request that asked for something else: it does not fail with the sale. */
export async function sellIfDue(context: OrdersContext, order: OrderDocument): Promise<OrderDocument> {
  try {
    return await sell(context, order);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return (await context.orders.of(order.institution).get(order.id)) ?? order;
  }
}

/** Sells it if it is paid in full, else writes its expiry. */
export async function expireNow(context: OrdersContext, target: Target): Promise<OrderDocument> {
  const { order, refused } = await attempt(context, target, expire);
  return refused ? order : sellIfDue(context, order);
}

/** Ends an order past due first. @throws Fault `not_found` */
export async function findAny(context: OrdersContext, target: Target): Promise<OrderDocument> {
  const order = await context.orders.of(target.institution).get(target.orderId);
  if (!order || order.unseen) throw createNotFoundFault();
  return isPastDue(order, context.now()) ? expireNow(context, target) : order;
}

/** A cart is `not_found`. */
export async function findOrder(context: OrdersContext, target: Target): Promise<OrderDocument> {
  const order = await findAny(context, target);
  if (isHidden(order)) throw createNotFoundFault();
  return order;
}
