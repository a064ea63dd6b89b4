import { Fault } from '@boxoffice/envelope';
import type { HeldLine, Wish } from '../clients/stock.ts';
import type { Desk } from '../context.ts';
import { isCart } from '../domain/cart.ts';
import { addLines, beginLines, removeLine, startsAnew } from '../domain/lines.ts';
import type { LinesMark } from '../domain/order/pending-step.ts';
import { isUnavailable } from '../faults.ts';
import { type Asking, command } from '../steps/command.ts';
import { giveBack, undoLines } from '../steps/release.ts';
import { stepStock } from '../steps/stock.ts';
import { working } from '../steps/working.ts';
import { doneBy, finish, targetOf } from '../steps/write.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import { refusalOf } from './item-faults.ts';
import { currencyOf, linesOf, placesWanted, quantityFaults } from './items.ts';

const holdMore = async (desk: Desk, order: OrderDocument, { request }: LinesMark, items: readonly Wish[]) => {
  const { institution, id, pointOfSale, expiresAt } = order;
  await desk.limit.check(order, id, order.heldPlaces);
  await linkPerformances(
    desk.links.of(institution),
    order,
    items.map(({ performanceId }) => performanceId),
  );
  return stepStock(desk, order).hold({
    requestId: request,
    items,
    ...(startsAnew(order) ? {} : { heldUntil: new Date(expiresAt ?? desk.now()).toISOString() }),
    ...(pointOfSale === null ? {} : { pointOfSale }),
    placesInOrder: order.lines.length,
  });
};

/**
 * Adds lines to an open or reserved order: all places are held, or none. `permit` may refuse them when they are held, by a Fault.
 * @throws Fault as for a new order, and as the rules refuse other states
 */
export const addOrderLines = async (
  desk: Desk,
  asking: Asking,
  items: readonly Wish[],
  permit?: (lines: readonly HeldLine[]) => Promise<void>,
): Promise<OrderDocument> => {
  const { order, done } = await command(
    desk,
    asking,
    (current, request, now) =>
      beginLines(current, { request, quantity: placesWanted(items, current.lines.length) }, now),
    { marks: true },
  ).catch(async (error: unknown) => {
    const faults = error instanceof Fault && error.code === 'semantically_invalid' ? quantityFaults(items) : [];
    throw faults.length > 0 ? await refusalOf(desk, asking.institution, { items }, faults) : error;
  });
  const mark = order.begun;
  if (done || mark?.step !== 'lines') return order;
  const undo = async (error: unknown): Promise<never> => {
    if (isUnavailable(error))
      working(desk, order, () => undoLines(desk, order, mark)).catch((failure) => {
        desk.log.warn('lines could not be taken back', { error: failure });
      });
    // Refused: nothing is held, but for what an earlier try holds whose mark was taken up.
    else if (error instanceof Fault) await undoLines(desk, order, mark);
    throw error;
  };
  return working(desk, order, async () => {
    const held = await holdMore(desk, order, mark, items).catch(undo);
    try {
      await permit?.(held.lines);
      const more = {
        request: mark.request,
        lines: linesOf(held.lines, desk.newId),
        currency: currencyOf(held.lines),
        until: Date.parse(held.heldUntil),
      };
      const remember = (current: OrderDocument) => (isCart(current) ? doneBy(current, mark.request) : current);
      return await finish(
        desk,
        targetOf(order),
        (current, now) => addLines(remember(current), more, now),
        asking.stamp,
      );
    } catch (error) {
      if (error instanceof Fault) await undoLines(desk, order, mark);
      throw error;
    }
  });
};

/** Takes a line out of an open or reserved order and gives its place back. @throws Fault `not_found`, or as the rules refuse */
export const removeOrderLine = async (desk: Desk, asking: Asking, lineId: string): Promise<OrderDocument> => {
  const { order } = await command(desk, asking, (current, request, now) =>
    removeLine(current, { request, lineId }, now),
  );
  const mark = order.begun;
  if (mark?.step !== 'release') return order;
  try {
    return await working(desk, order, () => giveBack(desk, order, mark, asking.stamp));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    // The line is gone for good; its place follows when the catalog is back.
    return order;
  }
};
