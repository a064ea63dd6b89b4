import type { Order, OrderState } from '../clients/orders.ts';
import type { PosContext } from '../context.ts';
import type { SessionDocument } from '../store.ts';

/** Maximum orders per session whose payment is awaited. */
const MAX_AWAITED = 20;

/** States in which a payment can no longer fail. */
const over: readonly OrderState[] = ['confirmed', 'expired', 'cancelled'];

/** The session's awaited orders, with this one added as the newest. */
export const withAwaited = ({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] =>
  [...awaiting.filter((id) => id !== orderId), orderId].slice(-MAX_AWAITED);

/** The session's awaited orders without this one. */
export const withoutAwaited = ({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] =>
  awaiting.filter((id) => id !== orderId);

/**
 * Makes the session's newest order whose payment failed, and whose places are still held, its cart again. `instead` is
 * the empty cart that the session records now. Resolves to the session's cart, which a concurrent request may have
 * set, or undefined if there is none.
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
