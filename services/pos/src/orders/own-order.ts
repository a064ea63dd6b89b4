import type { Order } from '../clients/orders.ts';
import type { PosContext } from '../request/context.ts';
import { notFound, sessionOf, type Visit } from '../request/visit.ts';
import { isId } from '../store.ts';

/**
 * An order of the visitor: of the login's contact, bought by the login, or made in this session. @throws {PosFault}
 * not_found for a malformed or unknown id, a cart, and an order of somebody else
 */
export const findOwnOrder = async (
  { orders, purchases }: Pick<PosContext, 'orders' | 'purchases'>,
  visit: Visit,
  orderId: string,
): Promise<Order> => {
  const session = sessionOf(visit);
  const order = isId(orderId) ? await orders.get(session.institution, orderId) : undefined;
  if (!order?.listed) throw notFound();
  const { contactNumber, orderIds } = session;
  const isOwn = (contactNumber !== null && contactNumber === order.contactNumber) || orderIds.includes(orderId);
  if (!isOwn && !(await purchases.of(session)).includes(orderId)) throw notFound();
  return order;
};
