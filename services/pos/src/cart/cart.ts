import { PosFault } from '@boxoffice/envelope';
import { networkOf } from '@boxoffice/runtime';
import type { Order, Orders, Outcome, RequestedItem } from '../clients/orders.ts';
import type { PosContext } from '../context.ts';
import { newId } from '../ids.ts';
import { doneOr } from '../orders/refusals.ts';
import type { Visit } from '../request/visit.ts';
import type { NewSession } from '../sessions/sessions.ts';
import type { SessionDocument } from '../store.ts';
import { takeBack } from './cart-again.ts';

const ended = () => new PosFault('session_invalid', 'The session is unknown or has ended.');

export const expired = () =>
  new PosFault('cart_expired', 'The places of the shopping cart are no longer held; the next item begins a new one.');

/** What the session names as its cart, whatever became of it; undefined if it names none. */
export const recordedCart = async (
  { orders }: Pick<PosContext, 'orders'>,
  { institution, cartId }: SessionDocument,
): Promise<Order | undefined> => (cartId === null ? undefined : orders.get(institution, cartId));

const isCart = ({ state, listed, payable }: Order): boolean => state === 'open' && (!listed || payable);

/**
 * The cart of a session: an order whose payment failed if there is nothing else in it; undefined if it is empty. `noted`: what the
 * session names. @throws {PosFault} cart_expired, until the session's next cart write
 */
export const cartOf = async (
  context: Pick<PosContext, 'orders' | 'sessions'>,
  session: SessionDocument,
  noted: Order | undefined,
): Promise<Order | undefined> => {
  if (noted?.state === 'expired' && noted.lines.length > 0) throw expired();
  const own = noted && isCart(noted) ? noted : undefined;
  return own && own.lines.length > 0 ? own : ((await takeBack(context, session, session.cartId)) ?? own);
};

/** Gives the places of a cart back; again, or where there is none: no effect. */
export const abandonCart = async (orders: Orders, institution: string, cartId: string): Promise<void> => {
  const { reason, details } = await orders.giveUp(institution, cartId);
  if (reason === 'busy') throw new Error(`a cart could not be given up: ${details}`);
};

/** A cart with new places in it, and the session that was made for it, if there was none. */
export interface Filled {
  readonly cart: Order;
  readonly begun: NewSession | undefined;
}

/** The id of the cart that the session has in place of this one: another request's choice, if that was faster. */
const otherCart = async (
  context: Pick<PosContext, 'orders' | 'sessions'>,
  session: SessionDocument,
  instead: string | null,
): Promise<string> => {
  const back = await takeBack(context, session, instead);
  if (back) return back.id;
  const chosen = newId('ord');
  const now = await context.sessions.update(session, ({ cartId }) =>
    cartId === instead ? { cartId: chosen } : undefined,
  );
  if (!now?.cartId) throw ended();
  return now.cartId;
};

/**
 * Puts places into the visitor's cart, all of them or none; the first ones make the cart, and the session if there is none.
 * Rejects with PosFault as orders refuse.
 */
export const fillCart = async (
  context: Pick<PosContext, 'orders' | 'sessions'>,
  { pointOfSale, session, ip }: Visit,
  wish: RequestedItem,
  requestId: string,
): Promise<Filled> => {
  const { institution, serviceHost } = pointOfSale;
  const add = (orderId: string): Promise<Outcome> =>
    context.orders.add(institution, {
      orderId,
      requestId,
      pointOfSale: serviceHost,
      address: networkOf(ip),
      items: [wish],
    });
  if (!session) {
    const cart = doneOr(await add(newId('ord')));
    try {
      return { cart, begun: await context.sessions.begin(pointOfSale, { cartId: cart.id }) };
    } catch (error) {
      // Nobody can ever name this cart.
      await context.orders.giveUp(institution, cart.id).catch(() => undefined);
      throw error;
    }
  }
  const cartId = session.cartId ?? (await otherCart(context, session, null));
  const outcome = await add(cartId);
  const isOver = outcome.reason === 'cart_gone' || outcome.reason === 'cart_expired';
  if (!isOver) return { cart: doneOr(outcome), begun: undefined };
  return { cart: doneOr(await add(await otherCart(context, session, cartId))), begun: undefined };
};
