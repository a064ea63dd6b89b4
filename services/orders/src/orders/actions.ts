import { createNotFoundFault, createRefusalFault, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { cancel, PERFORMANCE_CANCELLED } from '../domain/cancellation.ts';
import { findPendingChange } from '../domain/changes/change.ts';
import { returnPerformances } from '../domain/changes/follow.ts';
import { checkSellable, confirm, type Sale } from '../domain/confirmation.ts';
import { accept, type Decision, isRefused, refuse } from '../domain/decisions.ts';
import { extend, reserve } from '../domain/lines.ts';
import type { Line } from '../domain/order/order.ts';
import { listStock } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import { type Command, decideUntilSettled, runCommand, runStockFirst } from '../saga/command.ts';
import { issueAtOnce } from '../saga/follow-ups.ts';
import { sellPlaces } from '../saga/sell.ts';
import { shortenHold, shortenInStock } from '../saga/shorten.ts';
import { attempt, type Rule, toTarget } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Never shorter than before (epoch milliseconds); first applies the shortening that is due. @throws Fault
 * `precondition_failed` if places are gone; `service_unavailable`: a hold may outlast the order's deadline, whose end
 * releases it
 */
export async function holdUntil(
  context: OrdersContext,
  order: OrderDocument,
  until: number,
  lines: readonly Pick<Line, 'place' | 'price'>[] = order.lines,
): Promise<void> {
  if (lines.length === 0) return;
  await shortenInStock(context, order);
  const { institution, id } = order;
  const body = { heldUntil: new Date(until).toISOString(), placeIds: listStock(lines) };
  const { missing } = await context.stock.extend(institution, id, body);
  if (missing.length > 0)
    throw createRefusalFault('places_gone', 'Places of the order are gone, so their hold cannot be extended.');
}

/** To `minutes` from now; never shortens. @throws Fault for each refusal of the rules, `service_unavailable` */
export function extendOrder(context: OrdersContext, command: Command, minutes: number): Promise<OrderDocument> {
  const at = context.now();
  return runAfterHold(context, command, (order, now) => extend(order, { minutes, at }, now));
}

const runAfterHold = async (context: OrdersContext, command: Command, rule: Rule): Promise<OrderDocument> => {
  const effect = (order: OrderDocument, next: OrderDocument) => holdUntil(context, order, next.expiresAt ?? 0);
  const { order, done } = await runStockFirst(context, command, { rule, effect });
  return done ? order : shortenHold(context, order, command.idempotencyRecord);
};

/**
 * Epoch milliseconds. @throws Fault `semantically_invalid` for a `dueAt` that has passed or is later than the caller
 * may reserve, each refusal of the rules, `service_unavailable`
 */
export function reserveOrder(context: OrdersContext, command: Command, dueAt: number): Promise<OrderDocument> {
  return runAfterHold(context, command, (order, now) =>
    reserve(order, { dueAt, mostDays: context.mayDo?.reservationDays }, now),
  );
}

/** As {@link sellPlaces}. @throws Fault `precondition_failed` if places are gone */
export async function sellAll(context: OrdersContext, order: OrderDocument): Promise<Sale> {
  const sale = await sellPlaces(context, order, listStock(order.lines));
  if (!sale) throw createRefusalFault('places_gone', 'Places of the order are gone, so it cannot be confirmed.');
  return sale;
}

export function confirmBySale(
  decision: Decision<OrderDocument>,
  sale: Sale | undefined,
  now: number,
): Decision<OrderDocument> {
  if (isRefused(decision) || !sale) return decision;
  const confirmed = confirm(decision.next, sale, now);
  return isRefused(confirmed) ? confirmed : { ...confirmed, facts: [...decision.facts, ...confirmed.facts] };
}

/** @throws Fault `forbidden` on account, unless bounds admit it; each refusal of the rules; `service_unavailable` */
export async function confirmOrder(
  context: OrdersContext,
  command: Command,
  onAccount: boolean,
): Promise<OrderDocument> {
  const isExcluded = onAccount && context.mayDo?.onAccount === false;
  const rule = (order: OrderDocument, now: number): Decision<OrderDocument> =>
    isExcluded ? refuse('on_account_excluded') : (checkSellable(order, onAccount, now) ?? accept(order));
  const effect = (order: OrderDocument) => sellAll(context, order);
  const write = (sale: Sale) => (order: OrderDocument, now: number) => confirmBySale(rule(order, now), sale, now);
  const getSoldPlaceIds = (sale: Sale) => sale.soldPlaceIds;
  const { order } = await runStockFirst(context, command, { rule, effect, write, sold: getSoldPlaceIds });
  await issueAtOnce(context, order);
  return order;
}

export type CancelRule = typeof cancel<OrderDocument>;

/**
 * One durable write; tickets and places follow by events. The tickets service has a second to name the controlled
 * tickets, then the order's own record decides. @throws Fault for each refusal of the rules
 */
export async function cancelOrder(
  context: OrdersContext,
  command: Command,
  { reason, override, rule = cancel }: { reason: string | null; override: boolean; rule?: CancelRule },
): Promise<OrderDocument> {
  const { institution, orderId } = command;
  const found = await context.orders.of(institution).get(orderId);
  if (!found) throw createNotFoundFault();
  const mayHaveControlled = found.state === 'confirmed' && !override;
  const controlled = mayHaveControlled ? await context.tickets.controlled(institution, orderId) : undefined;
  const how = { reason, override, controlled: controlled ? controlled.length : null };
  const { order } = await runCommand(context, command, (current, now) => rule(current, how, now));
  return order;
}

/** @throws Fault for each refusal of the rules, unless the order has ended */
export async function cancelUnlessEnded(
  context: OrdersContext,
  command: Command,
  reason: string | null,
): Promise<OrderDocument> {
  const how = { reason, override: false, controlled: null, givesBack: true };
  const { order } = await runCommand(context, command, (current, now) =>
    current.state === 'expired' || current.state === 'cancelled' ? accept(current) : cancel(current, how, now),
  );
  return order;
}

/**
 * A confirmed order that has other performances, too, returns its lines of these in full; any other that is live and has
 * a place of one is cancelled. A controlled ticket stays controlled and its place stays sold.
 */
export async function endOfPerformances(
  context: OrdersContext,
  order: OrderDocument,
  performanceIds: readonly string[],
): Promise<void> {
  const rule: Rule = (current, now) => {
    const toChangeId = (lineIds: readonly string[]) => deriveId('chg', current.id, ...lineIds);
    const returned = returnPerformances(current, performanceIds, toChangeId, now);
    const how = { reason: PERFORMANCE_CANCELLED, override: false, controlled: 0, givesBack: true };
    return returned ?? cancel(current, how, now);
  };
  const outcome = await decideUntilSettled(context, toTarget(order), () => attempt(context, toTarget(order), rule));
  // Its sale, which comes first, was not possible now: the fact comes again.
  if (outcome.order.unseen && outcome.refused) throw toFault(outcome.refused);
}

/** A performance may be cancelled while its places are being held: the fact's search or this finds the other. */
export async function cancelIfOver(context: OrdersContext, order: OrderDocument): Promise<void> {
  const { institution, performanceIds } = order;
  const wanted = findPendingChange(order)?.newLines.map(({ performanceId }) => performanceId) ?? [];
  const where = { id: { in: [...performanceIds, ...wanted] } };
  const cancelled = await context.cancelledPerformances.of(institution).find({ where });
  if (cancelled.length > 0)
    await endOfPerformances(
      context,
      order,
      cancelled.map(({ id }) => id),
    );
}
