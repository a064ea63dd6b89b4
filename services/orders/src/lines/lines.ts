import { Fault } from '@boxoffice/envelope';
import type { HeldLine } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { addLines, beginLines, removeLine, startsAnew } from '../domain/lines.ts';
import type { LinesStep } from '../domain/order/pending-step.ts';
import { isUnavailable } from '../faults.ts';
import {
  currencyOf,
  linesOf,
  type OrderItem,
  placesWanted,
  quantityFaults,
  refusalOf,
  stockItems,
} from '../orders/items.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { abandonLines, releasePlaces } from '../steps/release.ts';
import { sellPaid } from '../steps/sell-paid.ts';
import { whileOwningStep } from '../steps/step-ownership.ts';
import { stepStock } from '../steps/stock.ts';
import { finish, targetOf } from '../steps/write.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';

const holdMore = async (
  context: OrdersContext,
  order: OrderDocument,
  { request }: LinesStep,
  items: readonly OrderItem[],
) => {
  const { institution, id, pointOfSale, expiresAt } = order;
  await context.limit.check(order, id, order.heldPlaces);
  await linkPerformances(
    context.links.of(institution),
    order,
    items.map(({ performanceId }) => performanceId),
  );
  return stepStock(context, order).hold({
    requestId: request,
    items: stockItems(items),
    ...(startsAnew(order) ? {} : { heldUntil: new Date(expiresAt ?? context.now()).toISOString() }),
    ...(pointOfSale === null ? {} : { pointOfSale }),
    placesInOrder: order.lines.length,
  });
};

/**
 * Adds lines to an open or reserved order: all their places are held, or none. `permit` may refuse the held lines by
 * throwing a Fault. @throws Fault as for a new order, and for each refusal of the rules
 */
export const addOrderLines = async (
  context: OrdersContext,
  command: Command,
  items: readonly OrderItem[],
  permit?: (lines: readonly HeldLine[]) => Promise<void>,
): Promise<OrderDocument> => {
  const { order, done } = await runCommand(context, command, (current, request, now) =>
    beginLines(current, { request, quantity: placesWanted(items, current.lines.length) }, now),
  ).catch(async (error: unknown) => {
    const faults = error instanceof Fault && error.code === 'semantically_invalid' ? quantityFaults(items) : [];
    throw faults.length > 0 ? await refusalOf(context, command.institution, { items }, faults) : error;
  });
  const pending = order.pendingStep;
  if (done || pending?.step !== 'lines') return order;
  const abandonAfter = async (error: unknown): Promise<never> => {
    if (isUnavailable(error))
      whileOwningStep(context, order, () => abandonLines(context, order, pending)).catch((failure) => {
        context.log.warn('the addition of lines could not be abandoned', { error: failure });
      });
    // After a refusal only an earlier attempt of the same request, which this one resumed, can hold places.
    else if (error instanceof Fault) await abandonLines(context, order, pending);
    throw error;
  };
  return whileOwningStep(context, order, async () => {
    const held = await holdMore(context, order, pending, items).catch(abandonAfter);
    try {
      await permit?.(held.lines);
      const more = {
        request: pending.request,
        lines: linesOf(held.lines, items, context.newId),
        currency: currencyOf(held.lines),
        until: Date.parse(held.heldUntil),
      };
      return await finish(context, targetOf(order), (current, now) => addLines(current, more, now), {
        request: pending.request,
        idempotencyRecord: command.idempotencyRecord,
      });
    } catch (error) {
      if (error instanceof Fault) await abandonLines(context, order, pending);
      throw error;
    }
  });
};

/**
 * Removes a line from an open or reserved order and releases its place; confirms it if it is paid in full then. @throws Fault `not_found`, or a refusal of
 * the rules
 */
export const removeOrderLine = async (
  context: OrdersContext,
  command: Command,
  lineId: string,
): Promise<OrderDocument> => {
  const { order } = await runCommand(context, command, (current, request, now) =>
    removeLine(current, { request, lineId }, now),
  );
  const pending = order.pendingStep;
  if (pending?.step !== 'release') return sellPaid(context, order);
  try {
    const left = await whileOwningStep(context, order, () =>
      releasePlaces(context, order, pending, command.idempotencyRecord),
    );
    return await sellPaid(context, left);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    // The removal is durable; the place is released when the catalog answers again.
    return order;
  }
};
