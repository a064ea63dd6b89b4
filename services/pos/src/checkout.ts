import { PosFault, unforeseen } from '@boxoffice/envelope';
import { cartOf } from './cart.ts';
import type { Guest } from './clients/contacts.ts';
import { type Checkout, isUnanswered, type Order, type Outcome } from './clients/orders.ts';
import { requireContact } from './contact-access.ts';
import type { Desk } from './desk.ts';
import { derived, newId } from './ids.ts';
import { doneOr } from './refusals.ts';
import type { SessionDocument } from './store.ts';
import type { Visit } from './visit.ts';

/** What a buyer says. */
export interface Purchase {
  readonly contactNumber?: string;
  readonly contact?: Omit<Guest, 'language'>;
  readonly paymentMethod: string;
  readonly paymentToken?: string;
}

/** So long after its beginning a checkout is not tried again: the buyer waits. */
const PATIENCE_MS = 2_000;

/** Orders that a session without a login remembers. */
const MOST_ORDERS = 100;

/** Refuses a buyer, or a method of payment, before anything is done. @throws {PosFault} */
const requireBuyer = (visit: Visit, purchase: Purchase, simulated: boolean): void => {
  const { contactNumber, contact, paymentMethod, paymentToken } = purchase;
  if (contactNumber !== undefined) requireContact(visit, contactNumber);
  if (contactNumber === undefined && contact === undefined) {
    throw new PosFault('contact_required', 'An order needs contactNumber, or contact of a guest.');
  }
  if (contactNumber !== undefined && contact !== undefined) {
    throw new PosFault('validation_error', 'An order has either contactNumber or contact, not both.');
  }
  const isTaken = visit.pointOfSale.paymentMethods.includes(paymentMethod);
  if (!isTaken || (paymentMethod === 'simulated' && !simulated)) {
    throw new PosFault('payment_method_not_accepted', `The point of sale does not take the method ${paymentMethod}.`);
  }
  if (paymentMethod === 'simulated' && paymentToken === undefined) {
    throw new PosFault('bad_request', '$.paymentToken is required with the payment method simulated.');
  }
};

/**
 * Notes in the session which order this request makes, before it is made: so a repeat after a crash finds it, and so does the guest
 * who made it. Answers the order's id.
 */
const note = async (
  { sessions }: Pick<Desk, 'sessions'>,
  session: SessionDocument,
  key: string | undefined,
  cartId: string,
): Promise<void> => {
  const noted = await sessions.update(session, ({ orderIds }) => ({
    orderIds: [...orderIds.filter((id) => id !== cartId), cartId].slice(-MOST_ORDERS),
    ...(key === undefined ? {} : { checkout: { key, orderId: cartId } }),
  }));
  if (!noted) throw new PosFault('session_invalid', 'The session is unknown or has ended.');
};

/** Buys, once more if nobody answered: orders take a repeat for what it is. What then is still not known is cancelled, and told. */
const buy = async (desk: Desk, institution: string, orderId: string, wish: Checkout): Promise<Outcome> => {
  const begunAt = performance.now();
  const attempt = () => desk.orders.checkout(institution, orderId, wish);
  try {
    return await attempt().catch((error: unknown) => {
      if (!isUnanswered(error) || performance.now() - begunAt > PATIENCE_MS) throw error;
      return attempt();
    });
  } catch (error) {
    const orderCancelled = await desk.orders.cancelAfterFault(institution, orderId).catch(() => false);
    throw unforeseen(error, { userLoggedOut: false, orderCancelled });
  }
};

/** The order that an earlier try of this request made, or began to make. */
const begunBy = ({ checkout }: SessionDocument, key: string | undefined): string | undefined =>
  key !== undefined && checkout?.key === key ? checkout.orderId : undefined;

/** The cart as it can be bought. @throws {PosFault} cart_empty, cart_expired */
const cartToBuy = async (desk: Desk, session: SessionDocument): Promise<Order> => {
  const cart = await cartOf(desk, session);
  if (!cart || cart.lines.length === 0) throw new PosFault('cart_empty', 'There is nothing in the shopping cart.');
  return cart;
};

/**
 * Makes an order of the session's cart; a repeat with the same key gives the same order. Rejects with PosFault as the rules refuse: the
 * cart stays then.
 */
export const checkOut = async (
  desk: Desk,
  visit: Visit & { readonly session: SessionDocument },
  purchase: Purchase,
  key: string | undefined,
): Promise<Order> => {
  const { session, pointOfSale } = visit;
  const { institution } = pointOfSale;
  requireBuyer(visit, purchase, desk.simulated());
  const orderId = begunBy(session, key) ?? (await cartToBuy(desk, session)).id;
  const { contactNumber, contact, paymentMethod, paymentToken } = purchase;
  const guest = contact && { ...contact, ...(visit.language === '' ? {} : { language: visit.language }) };
  // The same guest of the same cart is the same contact, however often the payment is declined.
  const guestRequest = () => derived('guest', orderId, JSON.stringify(contact));
  const buyer = guest ? await desk.contacts.createGuest(institution, guestRequest(), guest) : String(contactNumber);
  await note(desk, session, key, orderId);
  const wish = {
    requestId: key ?? newId('req'),
    contactNumber: buyer,
    paymentMethod,
    ...(paymentToken === undefined ? {} : { paymentToken }),
  };
  const order = doneOr(await buy(desk, institution, orderId, wish));
  // An earlier try met an error that cancelled it.
  if (order.state === 'cancelled') throw new PosFault('cart_empty', 'The order was cancelled; nothing was bought.');
  // It is bought: not being able to forget the cart, which is none any more, changes nothing.
  await desk.sessions
    .update(session, ({ cartId }) => (cartId === orderId ? { cartId: null } : undefined))
    .catch((error: unknown) => desk.log.warn('a bought cart stays noted in its session', { error }));
  return order;
};
