import { PosFault } from '@boxoffice/envelope';
import type { Order, Orders, Outcome, Wish } from './clients/orders.ts';
import type { Desk } from './desk.ts';
import { newId } from './ids.ts';
import { doneOr } from './refusals.ts';
import type { NewSession } from './sessions.ts';
import type { SessionDocument } from './store.ts';
import type { Visit } from './visit.ts';

const ended = () => new PosFault('session_invalid', 'The session is unknown or has ended.');

export const expired = () =>
  new PosFault('cart_expired', 'The places of the shopping cart are no longer held; the next item begins a new one.');

/** The cart of a session: undefined if it is empty. @throws {PosFault} cart_expired, until the session's next cart write */
export const cartOf = async (
  { orders }: Pick<Desk, 'orders'>,
  session: SessionDocument | undefined,
): Promise<Order | undefined> => {
  if (!session || session.cartId === null) return undefined;
  const order = await orders.get(session.institution, session.cartId);
  if (!order || order.listed || order.state === 'cancelled') return undefined;
  if (order.state === 'expired') throw expired();
  return order;
};

/** Gives the places of a cart back; again, or where there is none: no effect. */
export const giveUpCart = async (orders: Orders, institution: string, cartId: string): Promise<void> => {
  const { reason, details } = await orders.giveUp(institution, cartId);
  if (reason === 'busy') throw new Error(`a cart could not be given up: ${details}`);
};

/** A cart with new places in it, and the session that was made for it, if there was none. */
export interface Filled {
  readonly cart: Order;
  readonly begun: NewSession | undefined;
}

/** The session with a cart id in place of this one: its own choice, if another request was faster. */
const withCart = async (
  { sessions }: Pick<Desk, 'sessions'>,
  session: SessionDocument,
  instead: string | null,
): Promise<string> => {
  const chosen = newId('ord');
  const now = await sessions.update(session, ({ cartId }) => (cartId === instead ? { cartId: chosen } : undefined));
  if (!now?.cartId) throw ended();
  return now.cartId;
};

/**
 * Puts places into the visitor's cart, all of them or none; the first ones make the cart, and the session if there is none.
 * Rejects with PosFault as orders refuse.
 */
export const fillCart = async (
  desk: Pick<Desk, 'orders' | 'sessions'>,
  { pointOfSale, session, ip }: Visit,
  wish: Wish,
  requestId: string,
): Promise<Filled> => {
  const { institution, serviceHost } = pointOfSale;
  const add = (orderId: string): Promise<Outcome> =>
    desk.orders.add(institution, { orderId, requestId, pointOfSale: serviceHost, address: ip, items: [wish] });
  if (!session) {
    const cart = doneOr(await add(newId('ord')));
    try {
      return { cart, begun: await desk.sessions.begin(pointOfSale, { cartId: cart.id }) };
    } catch (error) {
      // Nobody can ever name this cart.
      await desk.orders.giveUp(institution, cart.id).catch(() => undefined);
      throw error;
    }
  }
  const cartId = session.cartId ?? (await withCart(desk, session, null));
  const outcome = await add(cartId);
  const isOver = outcome.reason === 'cart_gone' || outcome.reason === 'cart_expired';
  if (!isOver) return { cart: doneOr(outcome), begun: undefined };
  return { cart: doneOr(await add(await withCart(desk, session, cartId))), begun: undefined };
};
