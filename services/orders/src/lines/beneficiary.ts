import type { OrdersContext } from '../context.ts';
import { beneficiaryOf, nameLine } from '../domain/beneficiary.ts';
import { isRefused } from '../domain/order/decision.ts';
import { handled } from '../domain/order/handled.ts';
import type { Line } from '../domain/order/order.ts';
import { isHidden } from '../domain/order/state.ts';
import { notFound, refusal } from '../faults.ts';
import { requestNameOf } from '../ids.ts';
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
  // The answer to a change of a confirmed order shows the ticket that follows, so it is stored after that; a repeat
  // whose answer is not stored finds the request among the handled ones.
  const isAnsweredLater = found.state === 'confirmed' && command.idempotencyRecord !== undefined;
  const { idempotencyRecord, ...own } = command;
  const first = isAnsweredLater ? { ...own, request: requestNameOf(idempotencyRecord) } : command;
  const { order } = await runCommand(context, first, (current, request, now) => {
    const change = { lineId, beneficiary: (line: Line) => beneficiaryOf(to(line, current)) };
    const decision = nameLine(current, change, controlled, now);
    if (!isAnsweredLater || isRefused(decision) || decision.next === current) return decision;
    return { ...decision, next: handled(decision.next, request) };
  });
  if (order.state !== 'confirmed' || order.namesDue == null) return order;
  return answerWithTickets(context, order, idempotencyRecord);
};
