import { createNotFoundFault, createRefusalFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { cancel, PERFORMANCE_CANCELLED } from '../domain/cancellation.ts';
import { checkSellable, confirm, type Sale } from '../domain/confirmation.ts';
import { accept, type Decision, isRefused, refuse } from '../domain/decisions.ts';
import { extend, reserve } from '../domain/lines.ts';
import { type Command, decideUntilSettled, runCommand, runStockFirst } from '../steps/command.ts';
import { issueAtOnce } from '../steps/follow-ups.ts';
import { sellPlaces } from '../steps/sell.ts';
import { shortenHold, shortenInStock } from '../steps/shorten.ts';
import { attempt, type Rule, toTarget } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Holds the places of these lines until this instant (epoch milliseconds), never shorter than before, after the hold
 * that the order has made shorter: a call that shortens comes late otherwise. @throws Fault `precondition_failed` if
 * places are gone; `service_unavailable` if the catalog does not answer: a hold that outlasts the order's deadline is
 * harmless, since the order's end releases it
 */
export async function holdUntil(
  context: OrdersContext,
  order: OrderDocument,
  until: number,
  lines: readonly { readonly place: { readonly id: string } }[] = order.lines,
): Promise<void> {
  if (lines.length === 0) return;
  await shortenInStock(context, order);
  const { institution, id } = order;
  const body = { heldUntil: new Date(until).toISOString(), placeIds: lines.map(({ place }) => place.id) };
  const { missing } = await context.stock.extend(institution, id, body);
  if (missing.length > 0)
    throw createRefusalFault('places_gone', 'Places of the order are gone, so their hold cannot be extended.');
}

/**
 * Extends the hold to `minutes` from now; never shortens it. @throws Fault for each refusal of the rules,
 * `service_unavailable`
 */
export function extendOrder(context: OrdersContext, command: Command, minutes: number): Promise<OrderDocument> {
  const at = context.now();
  return held(context, command, (order, now) => extend(order, { minutes, at }, now));
}

const held = async (context: OrdersContext, command: Command, rule: Rule): Promise<OrderDocument> => {
  const effect = (order: OrderDocument, next: OrderDocument) => holdUntil(context, order, next.expiresAt ?? 0);
  const { order, done } = await runStockFirst(context, command, { rule, effect });
  return done ? order : shortenHold(context, order, command.idempotencyRecord);
};

/**
 * Holds the places of an open order without payment until `dueAt` (epoch milliseconds). @throws Fault
 * `semantically_invalid` if `dueAt` has passed or is later than the caller may reserve, each refusal of the rules,
 * `service_unavailable`
 */
export function reserveOrder(context: OrdersContext, command: Command, dueAt: number): Promise<OrderDocument> {
  return held(context, command, (order, now) =>
    reserve(order, { dueAt, mostDays: context.mayDo?.reservationDays }, now),
  );
}

/** Sells the places of all lines, as {@link sellPlaces}. @throws Fault `precondition_failed` if places are gone */
export async function sellAll(context: OrdersContext, order: OrderDocument): Promise<Sale> {
  const sale = await sellPlaces(
    context,
    order,
    order.lines.map(({ place }) => place.id),
  );
  if (!sale) throw createRefusalFault('places_gone', 'Places of the order are gone, so it cannot be confirmed.');
  return sale;
}

/** The order as a rule leaves it, confirmed by a sale. */
export function confirmBySale(
  decision: Decision<OrderDocument>,
  sale: Sale | undefined,
  now: number,
): Decision<OrderDocument> {
  if (isRefused(decision) || !sale) return decision;
  const confirmed = confirm(decision.next, sale, now);
  return isRefused(confirmed) ? confirmed : { ...confirmed, facts: [...decision.facts, ...confirmed.facts] };
}

/**
 * Confirms an order that is paid, free of charge or on account. A process that dies after the sale leaves its places
 * sold until the order ends, or the request is repeated. @throws Fault `forbidden` on account, unless the bounds of the
 * client admit it; each refusal of the rules; `service_unavailable`: the order is not confirmed
 */
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
  const sold = (sale: Sale) => sale.soldPlaceIds;
  const { order } = await runStockFirst(context, command, { rule, effect, write, sold });
  await issueAtOnce(context, order);
  return order;
}

/** Decides whether an order is cancelled, like {@link cancel}. */
export type CancelRule = typeof cancel<OrderDocument>;

/**
 * Cancels an order in any live state in one durable write; tickets and places follow by events. The tickets service
 * has one second to name the controlled tickets; after that the control state recorded in the order decides. @throws
 * Fault for each refusal of the rules
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

/** Cancels an order, unless it has ended. @throws Fault for each other refusal of the rules */
export async function cancelUnlessEnded(
  context: OrdersContext,
  command: Command,
  reason: string | null,
): Promise<OrderDocument> {
  const how = { reason, override: false, controlled: null };
  const { order } = await runCommand(context, command, (current, now) =>
    current.state === 'expired' || current.state === 'cancelled' ? accept(current) : cancel(current, how, now),
  );
  return order;
}

/**
 * Cancels an order if it is live and has a place of one of these performances. A controlled ticket does not prevent
 * this: it stays controlled and its place stays sold.
 */
export async function cancelOfPerformances(
  context: OrdersContext,
  order: OrderDocument,
  performanceIds: readonly string[],
): Promise<void> {
  const rule: Rule = (current, now) =>
    current.performanceIds.some((id) => performanceIds.includes(id))
      ? cancel(current, { reason: PERFORMANCE_CANCELLED, override: false, controlled: 0 }, now)
      : accept(current);
  await decideUntilSettled(context, toTarget(order), () => attempt(context, toTarget(order), rule));
}

/**
 * Cancels an order whose performance was cancelled while its places were being held: the fact has searched the orders
 * before this one was written. Call it after the write, whose answer stays: either the search or this finds the other.
 */
export async function cancelIfOver(context: OrdersContext, order: OrderDocument): Promise<void> {
  const { institution, performanceIds } = order;
  const where = { id: { in: performanceIds } };
  const cancelled = await context.cancelledPerformances.of(institution).find({ where });
  if (cancelled.length > 0)
    await cancelOfPerformances(
      context,
      order,
      cancelled.map(({ id }) => id),
    );
}
