import type { OrdersContext } from '../context.ts';
import { beginExtension, beginReservation, failExtension } from '../domain/hold.ts';
import { isUnavailable } from '../faults.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { holdLonger } from '../steps/extend-hold.ts';
import { whileOwningStep } from '../steps/step-ownership.ts';
import { ifOwned } from '../steps/stock.ts';
import { conclude, type Rule, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

const moved = async (
  context: OrdersContext,
  command: Command,
  begin: (order: OrderDocument, request: string, now: number) => ReturnType<Rule>,
): Promise<OrderDocument> => {
  const { order, done } = await runCommand(context, command, begin);
  const pending = order.pendingStep;
  if (done || pending?.step !== 'extend') return order;
  return whileOwningStep(context, order, async () => {
    try {
      return await holdLonger(context, order, pending, command.idempotencyRecord);
    } catch (error) {
      // A hold that outlasts the order's deadline is harmless: the order's expiry releases it.
      const end = ifOwned(order, (current, now) => failExtension(current, pending, now));
      if (isUnavailable(error)) await conclude(context, targetOf(order), end);
      throw error;
    }
  });
};

/**
 * Extends the hold to `minutes` from now; never shortens it. @throws Fault for each refusal of the rules,
 * `service_unavailable`
 */
export const extendOrder = (context: OrdersContext, command: Command, minutes: number): Promise<OrderDocument> =>
  moved(context, command, (order, request, now) => beginExtension(order, { request, minutes }, now));

/**
 * Holds the places of an open order without payment until `dueAt` (epoch milliseconds). @throws Fault
 * `semantically_invalid` if `dueAt` has passed, each refusal of the rules, `service_unavailable`
 */
export const reserveOrder = (context: OrdersContext, command: Command, dueAt: number): Promise<OrderDocument> =>
  moved(context, command, (order, request, now) => beginReservation(order, { request, dueAt }, now));
