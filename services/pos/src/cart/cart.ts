import { PosFault } from '@boxoffice/envelope';
import { toNetwork } from '@boxoffice/runtime';
import { ServiceRefusal } from '@boxoffice/service';
import type { Order, OrderState, Orders, Outcome, RequestedItem } from '../clients/orders.ts';
import { requireDone } from '../orders/refusals.ts';
import type { PosContext } from '../request/context.ts';
import { createSessionEndedFault, createTooManyFault, hasCodes, type Visit } from '../request/visit.ts';
import type { NewSession } from '../sessions/sessions.ts';
import { createId, type SessionDocument } from '../store.ts';

export function createCartExpiredFault() {
  return new PosFault(
    'cart_expired',
    'The places of the shopping cart are no longer held; adding an item starts a new cart.',
  );
}

/** The order that the session records as its cart, in any state; undefined if it records none. */
export async function readRecordedCart(
  { orders }: Pick<PosContext, 'orders'>,
  { institution, cartId }: SessionDocument,
): Promise<Order | undefined> {
  return cartId === null ? undefined : orders.get(institution, cartId);
}

/** Of the session's cart. */
export async function readCodes(
  { orders }: Pick<PosContext, 'orders'>,
  session: SessionDocument,
): Promise<readonly string[]> {
  if (!hasCodes(session)) return [];
  const cart = await readRecordedCart({ orders }, session);
  return cart && isCart(cart) ? cart.codes.map(({ code }) => code) : [];
}

export function hasExpired({ state, lines }: Order): boolean {
  return state === 'expired' && lines.length > 0;
}

/** Maximum orders per session whose payment is awaited; the oldest is dropped. */
const MAX_AWAITED = 20;

const settledStates: readonly OrderState[] = ['confirmed', 'expired', 'cancelled'];

export function addAwaitedOrder({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] {
  return [...awaiting.filter((id) => id !== orderId), orderId].slice(-MAX_AWAITED);
}

export function removeAwaitedOrder({ awaiting = [] }: SessionDocument, orderId: string): readonly string[] {
  return awaiting.filter((id) => id !== orderId);
}

/** The cart of a session; if empty, its latest order whose payment failed. @throws {PosFault} cart_expired */
export async function findCart(
  context: Pick<PosContext, 'orders' | 'sessions'>,
  session: SessionDocument,
  recorded: Order | undefined,
): Promise<Order | undefined> {
  if (recorded && hasExpired(recorded)) throw createCartExpiredFault();
  const own = recorded && isCart(recorded) ? recorded : undefined;
  return own && own.lines.length > 0 ? own : ((await resumeFailedPayment(context, session, session.cartId)) ?? own);
}

const isCart = ({ state, listed, payable }: Order): boolean => state === 'open' && (!listed || payable);

/**
 * Makes the session's newest order whose payment failed, and whose places are still held, its cart again, if its
 * `cartId` is still `instead` (null: none). Resolves to the cart that the session has afterwards.
 */
const resumeFailedPayment = async (
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

/** Abandons a cart and releases its places; idempotent. @throws {Error} while another request is changing the cart */
export async function abandonCart(orders: Orders, institution: string, cartId: string): Promise<void> {
  const { reason, details } = await orders.abandon(institution, cartId);
  if (reason === 'busy') throw new Error(`cart ${cartId} not abandoned, another request is changing it: ${details}`);
}

interface Filled {
  readonly cart: Order;
  readonly newSession: NewSession | undefined;
}

/** Adds all places or none; the first ones create the cart, and the session if there is none. Rejects with PosFault. */
export function fillCart(
  context: Pick<PosContext, 'orders' | 'sessions'>,
  visit: Visit,
  items: readonly RequestedItem[],
  requestId: string,
): Promise<Filled> {
  const { institution } = visit.pointOfSale;
  const add = (orderId: string): Promise<Outcome> =>
    context.orders.add(institution, { ...toVisitor(visit), orderId, requestId, items: [...items] });
  return changeOrBeginCart(context, visit, add, items.length > 1 ? 'items' : 'cart');
}

/** Of a discount; as the first items do, it creates what there is not. Rejects with PosFault. */
export async function addCode(
  context: Pick<PosContext, 'orders' | 'sessions'>,
  visit: Visit,
  code: string,
): Promise<Filled> {
  const { institution, currency } = visit.pointOfSale;
  const add = (orderId: string): Promise<Outcome> =>
    context.orders.addCode(institution, { ...toVisitor(visit), orderId, currency, code }).catch((error: unknown) => {
      if (!(error instanceof ServiceRefusal) || error.http !== 429) throw error;
      throw createTooManyFault('unknown codes', Number(error.retryAfter ?? 1) * 1_000);
    });
  const filled = await changeOrBeginCart(context, visit, add, 'cart');
  const session = filled.newSession?.session ?? visit.session;
  // Lists read the codes of such carts alone.
  if (session) await context.sessions.update(session, () => ({ cartWithCodes: filled.cart.id }));
  return filled;
}

const toVisitor = ({ pointOfSale, session, ip }: Visit) => ({
  pointOfSale: pointOfSale.serviceHost,
  address: toNetwork(ip),
  login: session?.userId ?? undefined,
});

const changeOrBeginCart = async (
  context: Pick<PosContext, 'orders' | 'sessions'>,
  { pointOfSale, session }: Visit,
  add: (orderId: string) => Promise<Outcome>,
  named: 'items' | 'cart',
): Promise<Filled> => {
  const { institution } = pointOfSale;
  if (!session) {
    const cart = requireDone(await add(createId('ord')), named);
    try {
      return { cart, newSession: await context.sessions.begin(pointOfSale, { cartId: cart.id }) };
    } catch (error) {
      // No session refers to this cart, so its places are released now.
      await context.orders.abandon(institution, cart.id).catch(() => undefined);
      throw error;
    }
  }
  const cartId = session.cartId ?? (await otherCart(context, session, null));
  const outcome = await add(cartId);
  const isOver = outcome.reason === 'cart_gone' || outcome.reason === 'cart_expired';
  if (!isOver) return { cart: requireDone(outcome, named), newSession: undefined };
  return { cart: requireDone(await add(await otherCart(context, session, cartId)), named), newSession: undefined };
};

/** The cart that replaces `instead` in the session; that of a concurrent request if it was first. */
const otherCart = async (
  context: Pick<PosContext, 'orders' | 'sessions'>,
  session: SessionDocument,
  instead: string | null,
): Promise<string> => {
  const back = await resumeFailedPayment(context, session, instead);
  if (back) return back.id;
  const chosen = createId('ord');
  const now = await context.sessions.update(session, ({ cartId }) =>
    cartId === instead ? { cartId: chosen } : undefined,
  );
  if (!now?.cartId) throw createSessionEndedFault();
  return now.cartId;
};
