import { refusal } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { extend, reserve } from '../domain/hold.ts';
import { type Command, runStockFirst } from '../steps/command.ts';
import type { Rule } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Holds the places of these lines until this instant (epoch milliseconds), never shorter than before. @throws Fault
 * `precondition_failed` if places are gone; `service_unavailable` if the catalog does not answer: a hold that outlasts
 * the order's deadline is harmless, since the order's end releases it
 */
export const holdUntil = async (
  context: OrdersContext,
  { institution, id, lines: own }: OrderDocument,
  until: number,
  lines: readonly { readonly place: { readonly id: string } }[] = own,
): Promise<void> => {
  if (lines.length === 0) return;
  const body = { heldUntil: new Date(until).toISOString(), placeIds: lines.map(({ place }) => place.id) };
  const { missing } = await context.stock.extend(institution, id, body);
  if (missing.length > 0)
    throw refusal('places_gone', 'Places of the order are gone, so their hold cannot be extended.');
};

const held = async (context: OrdersContext, command: Command, rule: Rule): Promise<OrderDocument> => {
  const effect = (order: OrderDocument, next: OrderDocument) => holdUntil(context, order, next.expiresAt ?? 0);
  return (await runStockFirst(context, command, { rule, effect })).order;
};

/**
 * Extends the hold to `minutes` from now; never shortens it. @throws Fault for each refusal of the rules,
 * `service_unavailable`
 */
export const extendOrder = (context: OrdersContext, command: Command, minutes: number): Promise<OrderDocument> => {
  const at = context.now();
  return held(context, command, (order, now) => extend(order, { minutes, at }, now));
};

/**
 * Holds the places of an open order without payment until `dueAt` (epoch milliseconds). @throws Fault
 * `semantically_invalid` if `dueAt` has passed, each refusal of the rules, `service_unavailable`
 */
export const reserveOrder = (context: OrdersContext, command: Command, dueAt: number): Promise<OrderDocument> =>
  held(context, command, (order, now) => reserve(order, dueAt, now));
