import type { Desk } from '../context.ts';
import { beginExtension, beginReservation, failExtension } from '../domain/hold.ts';
import { isUnavailable } from '../faults.ts';
import { type Asking, command } from '../steps/command.ts';
import { holdLonger } from '../steps/extend-hold.ts';
import { ownEnd } from '../steps/stock.ts';
import { working } from '../steps/working.ts';
import { conclude, type Step, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

const moved = async (
  desk: Desk,
  asking: Asking,
  begin: (order: OrderDocument, request: string, now: number) => ReturnType<Step>,
): Promise<OrderDocument> => {
  const { order, done } = await command(desk, asking, begin, { marks: true });
  const mark = order.begun;
  if (done || mark?.step !== 'extend') return order;
  return working(desk, order, async () => {
    try {
      return await holdLonger(desk, order, mark, { stamp: asking.stamp });
    } catch (error) {
      // A hold that is longer than the order says does no harm: the order's expiry ends it.
      const end = ownEnd(order, (current, now) => failExtension(current, mark, now));
      if (isUnavailable(error)) await conclude(desk, targetOf(order), end);
      throw error;
    }
  });
};

/** Keeps the places so many minutes from now; never shortens. @throws Fault as the rules refuse, `service_unavailable` */
export const extendOrder = (desk: Desk, asking: Asking, minutes: number): Promise<OrderDocument> =>
  moved(desk, asking, (order, request, now) => beginExtension(order, { request, minutes }, now));

/**
 * Keeps an open order without payment until `dueAt`, in epoch milliseconds. @throws Fault `semantically_invalid` if that is past,
 * as the rules refuse otherwise, `service_unavailable`
 */
export const reserveOrder = (desk: Desk, asking: Asking, dueAt: number): Promise<OrderDocument> =>
  moved(desk, asking, (order, request, now) => beginReservation(order, { request, dueAt }, now));
