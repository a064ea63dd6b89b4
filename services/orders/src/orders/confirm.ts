import { refusal } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { confirm, type Sale, unsellable } from '../domain/confirmation.ts';
import { accept, type Decision, isRefused } from '../domain/order/decision.ts';
import { type Command, runStockFirst } from '../steps/command.ts';
import { sellPlaces } from '../steps/sell.ts';
import { answerWithTickets } from '../steps/tickets.ts';
import type { OrderDocument } from '../store.ts';

/** Sells the places of all lines, as {@link sellPlaces}. @throws Fault `precondition_failed` if places are gone */
export const sellAll = async (context: OrdersContext, order: OrderDocument): Promise<Sale> => {
  const sale = await sellPlaces(
    context,
    order,
    order.lines.map(({ place }) => place.id),
  );
  if (!sale) throw refusal('places_gone', 'Places of the order are gone, so it cannot be confirmed.');
  return sale;
};

/** The order as a rule leaves it, confirmed by a sale. */
export const confirmedBy = (
  decision: Decision<OrderDocument>,
  sale: Sale | undefined,
  now: number,
): Decision<OrderDocument> => (isRefused(decision) || !sale ? decision : confirm(decision.next, sale, now));

/**
 * Confirms an order that is paid, free of charge or on account. A process that dies after the sale leaves its places
 * sold until the order ends, or the request is repeated. @throws Fault for each refusal of the rules;
 * `service_unavailable`: the order is not confirmed
 */
export const confirmOrder = async (
  context: OrdersContext,
  command: Command,
  onAccount: boolean,
): Promise<OrderDocument> => {
  const rule = (order: OrderDocument, now: number): Decision<OrderDocument> =>
    unsellable(order, onAccount, now) ?? accept(order);
  const effect = (order: OrderDocument) => sellAll(context, order);
  const write = (sale: Sale) => (order: OrderDocument, now: number) => confirmedBy(rule(order, now), sale, now);
  const sold = (sale: Sale) => sale.soldPlaceIds;
  const { order, done } = await runStockFirst(context, command, { rule, effect, write, sold });
  return done ? order : answerWithTickets(context, order, command.idempotencyRecord);
};
