import type { OrdersContext } from '../context.ts';
import { beneficiaryOf, nameLine } from '../domain/beneficiary.ts';
import type { Line } from '../domain/order/order.ts';
import { isHidden } from '../domain/order/state.ts';
import { notFound, refusal } from '../faults.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { answerWithTickets } from '../steps/tickets.ts';
import type { OrderDocument } from '../store.ts';

type Names = { readonly firstName?: string | null; readonly lastName?: string | null };

/**
 * Changes the beneficiary of a line; `to` makes the new names of the present line, and may refuse by throwing a Fault.
 * The ticket of a confirmed order follows by a direct call, which is repeated until tickets has acknowledged it.
 * @throws Fault `not_found`, or a refusal of the rules
 */
export const nameOrderLine = async (
  context: OrdersContext,
  command: Command,
  lineId: string,
  to: (line: Line, order: OrderDocument) => Names | null | undefined,
): Promise<OrderDocument> => {
  const { institution, orderId } = command;
  const found = await context.orders.of(institution).get(orderId);
  if (!found || isHidden(found)) throw notFound();
  if (!found.lines.some(({ id }) => id === lineId)) throw refusal('unknown_line');
  const controlled =
    found.state === 'confirmed' ? ((await context.tickets.controlled(institution, orderId)) ?? []) : [];
  const { order } = await runCommand(context, command, (current, now) => {
    const change = { lineId, beneficiary: (line: Line) => beneficiaryOf(to(line, current)) };
    return nameLine(current, change, controlled, now);
  });
  if (order.state !== 'confirmed' || order.namesDue == null) return order;
  return answerWithTickets(context, order, command.idempotencyRecord);
};
