import type { Order, OrderState } from '../clients/orders.ts';
import type { PosContext } from '../context.ts';
import type { SessionDocument } from '../store.ts';

/** A session looks after so many orders whose payment may fail. */
const MOST_AWAITED = 20;

/** States in which nothing can become of a payment any more. */
const over: readonly OrderState[] = ['confirmed', 'expired', 'cancelled'];

/** The session's awaited orders with this one as the newest. */
export const awaitingAlso = ({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] =>
  [...awaiting.filter((id) => id !== orderId), orderId].slice(-MOST_AWAITED);

/** The same without an order whose payment cannot fail any more. */
export const awaitingNoMore = ({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] =>
  awaiting.filter((id) => id !== orderId);

/**
 * Makes the newest order of the session whose payment failed while its places are held its cart again. `instead`: what the session
 * names as its cart now, in which there is nothing. Answers the session's cart: another one if another request was faster, and
 * undefined if there is no such order.
 */
export const takeBack = async (
  { orders, sessions }: Pick<PosContext, 'orders' | 'sessions'>,
  session: SessionDocument,
  instead: string | null,
): Promise<Order | undefined> => {
  const { institution, awaiting = [] } = session;
  if (awaiting.length === 0) return undefined;
  const { items } = await orders.list(institution, { ids: awaiting, offset: 0, limit: awaiting.length });
  const byId = new Map(items.map((order) => [order.id, order]));
  const failed = awaiting
    .flatMap((id) => byId.get(id) ?? [])
    .filter(({ payable, lines }) => payable && lines.length > 0);
  const order = failed.at(-1);
  const gone = new Set(items.filter(({ state }) => over.includes(state)).map(({ id }) => id));
  if (!order && gone.size === 0) return undefined;
  const now = await sessions.update(session, (current) => ({
    awaiting: (current.awaiting ?? []).filter((id) => !gone.has(id)),
    ...(order && current.cartId === instead ? { cartId: order.id } : {}),
  }));
  if (!order || !now || now.cartId === null) return undefined;
  return now.cartId === order.id ? order : orders.get(institution, now.cartId);
};
