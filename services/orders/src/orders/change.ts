import { notFound, refusal } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { changeDetails, hasTickets } from '../domain/details.ts';
import { isHidden } from '../domain/order/state.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { issueTickets } from '../steps/tickets.ts';
import type { OrderDocument } from '../store.ts';
import { namedContact } from './buyer.ts';

/**
 * Changes the contact, the external reference and, until the confirmation, the delivery of tickets; null removes. Its
 * tickets follow a new contact by a direct call, or by the event where tickets does not answer. `toAnybody`: whether
 * tariffs may go to a contact that does not meet their criterion. @throws Fault `semantically_invalid` for an unknown
 * contact, `order_tariff_not_accessible`
 */
export const changeOrder = async (
  context: OrdersContext,
  command: Command,
  patch: Parameters<typeof changeDetails>[1],
  toAnybody: boolean,
): Promise<OrderDocument> => {
  const { institution, orderId, ifMatch, unchanged } = command;
  const found = await context.orders.of(institution).get(orderId);
  if (!found || isHidden(found)) throw notFound();
  ifMatch?.(String(found.version));
  unchanged?.(found);
  // The present contact stays valid even if it was erased.
  const named = patch.contactNumber === found.contactNumber ? undefined : patch.contactNumber;
  const { criteria, faults } = await namedContact(context, institution, named);
  const [fault] = faults;
  if (fault) throw refusal('invalid_reference', `${fault}.`);
  const { order } = await runCommand(context, command, (current, now) =>
    changeDetails(current, patch, now, toAnybody ? undefined : criteria),
  );
  if (order.contactNumber !== found.contactNumber && hasTickets(order)) await issueTickets(context, order);
  return order;
};
