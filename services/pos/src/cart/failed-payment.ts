import type { Order, OrderState } from '../clients/orders.ts';
import type { PosContext } from '../context.ts';
import type { SessionDocument } from '../store.ts';

/** Maximum number of orders per session whose payment is awaited; the oldest is dropped, without a log line. */
const MAX_AWAITED = 20;

/** States in which a payment can no longer fail. */
const settledStates: readonly OrderState[] = ['confirmed', 'expired', 'cancelled'];

/** The session's awaited orders, with this one added as the newest. */
export const withAwaited = ({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] =>
  [...awaiting.filter((id) => id !== orderId), orderId].slice(-MAX_AWAITED);

/** The session's awaited orders without this one. */
export const withoutAwaited = ({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] =>
  awaiting.filter((id) => id !== orderId);

/**
 * Makes the session's newest order whose payment failed, and whose places are still held, its cart again. `instead`:
 * the session's `cartId` as the caller read it (null: none), replaced only if unchanged. Resolves to the cart that the
 * session has afterwards; undefined if no failed payment can be resumed or the session has ended.
 */
export const resumeFailedPayment = async (
  { orders, sessions }: Pick<PosContext, 'orders' | 'sessions'>,
  session: SessionDocument,
  instead: string | null,
): Promise<Order | undefined> => {
  const { institution, awaiting = [] } = session;
  if (awaiting.length === 0) return undefined;
  const { items } = await orders.list(institution, { ids: awaiting, offset: 0, limit: awaiting.length });
  const byId = new Map(items.map((order) => [order.id, order]));
  // `payable`: the order is listed but a cart again, because its payment failed and its places are still held.
  const failed = awaiting
    .flatMap((id) => byId.get(id) ?? [])
    .filter(({ payable, lines }) => payable && lines.length > 0);
  const order = failed.at(-1);
  const settledIds = new Set(items.filter(({ state }) => settledStates.includes(state)).map(({ id }) => id));
  if (!order && settledIds.size === 0) return undefined;
  const updated = await sessions.update(session, (current) => ({
    awaiting: (current.awaiting ?? []).filter((id) => !settledIds.has(id)),
    ...(order && current.cartId === instead ? { cartId: order.id } : {}),
  }));
  if (!order || !updated || updated.cartId === null) return undefined;
  return updated.cartId === order.id ? order : orders.get(institution, updated.cartId);
};
