import { setTimeout as delay } from 'node:timers/promises';
import { PosFault, unforeseen } from '@boxoffice/envelope';
import { cartOf, expired, recordedCart } from '../cart/cart.ts';
import { awaitingAlso, awaitingNoMore } from '../cart/cart-again.ts';
import {
  type Buyer,
  CERTAINTY_MS,
  type Checkout,
  isUnanswered,
  type Order,
  type Outcome,
  WRITE_MS,
} from '../clients/orders.ts';
import type { PosContext } from '../context.ts';
import { derived } from '../ids.ts';
import type { Visit } from '../request/visit.ts';
import type { SessionDocument } from '../store.ts';
import { buyerOf, type Purchase, requireBuyer } from './buyer.ts';
import { doneOr } from './refusals.ts';

/**
 * Milliseconds from a checkout's beginning to its answer at most, before the gateway gives up: the cart is read (3,000), the order
 * bought, and what nobody answered cancelled (5,000).
 */
export const TOTAL_MS = 14_000;
/** With less than this left nothing is begun. */
const LEAST_MS = 2_000;
/** So long after its beginning a checkout is not tried again: the buyer waits. */
const PATIENCE_MS = 2_000;

/** Orders that a session without a login remembers. */
const MOST_ORDERS = 100;

/** What a checkout buys, and the name by which orders know a repeat of it. */
interface CheckoutTarget {
  readonly orderId: string;
  readonly requestId: string;
}

/** Notes in the session, before anything is made, which order this request makes: a repeat after a crash finds it, and so does its buyer. */
const recordTarget = async (
  { sessions, purchases }: Pick<PosContext, 'sessions' | 'purchases'>,
  session: SessionDocument,
  key: string | undefined,
  orderId: string,
  { contactNumber }: Buyer,
): Promise<void> => {
  if (session.contactNumber !== null && session.contactNumber !== contactNumber) await purchases.add(session, orderId);
  const noted = await sessions.update(session, (current) => ({
    orderIds: [...current.orderIds.filter((id) => id !== orderId), orderId].slice(-MOST_ORDERS),
    awaiting: awaitingAlso(current, orderId),
    ...(key === undefined ? {} : { checkout: { key, orderId } }),
  }));
  if (!noted) throw new PosFault('session_invalid', 'The session is unknown or has ended.');
};

/**
 * Notes that an order was bought and that its buyer is told so: it is no cart any more, and if it waits for nothing, no payment of it can
 * fail. Answers until when (epoch milliseconds) nobody may be told, because a faulty try is cancelling it; undefined: now.
 */
const recordBought = async (
  { sessions, log, now }: Pick<PosContext, 'sessions' | 'log' | 'now'>,
  session: SessionDocument,
  { id, state, payable }: Order,
): Promise<number | undefined> => {
  const mayBeReported = ({ cancelling }: SessionDocument) => cancelling?.orderId !== id || cancelling.until < now();
  const noted = await sessions
    .update(session, (current) =>
      mayBeReported(current)
        ? {
            cartId: current.cartId === id && !payable ? null : current.cartId,
            awaiting: payable || state === 'payment_pending' ? (current.awaiting ?? []) : awaitingNoMore(current, id),
            reportedOrder: id,
          }
        : undefined,
    )
    // It is bought: not being able to forget the cart, which is none any more, changes nothing.
    .catch((error: unknown) => log.warn('a bought cart stays noted in its session', { error }));
  return noted && noted.reportedOrder !== id ? noted.cancelling?.until : undefined;
};

/** The order as its buyer is told of it. @throws {PosFault} cart_empty, cart_expired if it is bought no more */
const reportedOrder = async (
  context: PosContext,
  session: SessionDocument,
  order: Order,
  endsAt: number,
): Promise<Order> => {
  // An earlier try met an error that cancelled it, or its payment did not come in time.
  if (order.state === 'cancelled') throw cancelled();
  if (order.state === 'expired') throw expired();
  const until = await recordBought(context, session, order);
  if (until === undefined) return order;
  const waitMs = until - context.now() + 1;
  if (performance.now() + waitMs > endsAt - LEAST_MS) throw new Error('another try of the checkout is being cancelled');
  await delay(waitMs);
  const now = await context.orders.get(session.institution, order.id);
  if (!now) throw cancelled();
  return reportedOrder(context, session, now, endsAt);
};

/** Cancels what a faulty try left, unless another one has told already that it is bought. True only when it is cancelled for certain. */
const undo = async (
  { orders, sessions, now }: PosContext,
  session: SessionDocument,
  orderId: string,
): Promise<boolean> => {
  const until = now() + CERTAINTY_MS;
  const noted = await sessions.update(session, ({ reportedOrder }) =>
    reportedOrder === orderId ? undefined : { cancelling: { orderId, until } },
  );
  // A session that has ended has nobody else who could be told.
  return noted?.reportedOrder === orderId ? false : orders.cancelAfterFault(session.institution, orderId, until);
};

/** Buys, once more if nobody answered: orders take a repeat for what it is. What then is still not known is cancelled, and told. */
const buy = async (
  context: PosContext,
  session: SessionDocument,
  orderId: string,
  wish: Checkout,
  endsAt: number,
): Promise<Outcome> => {
  const { orders } = context;
  const { institution } = session;
  const begunAt = performance.now();
  const left = () => Math.min(WRITE_MS, endsAt - CERTAINTY_MS - performance.now());
  if (left() < LEAST_MS) throw new Error('a checkout was not begun: what it needs came too late');
  const attempt = () => orders.checkout(institution, orderId, wish, left());
  try {
    return await attempt().catch((error: unknown) => {
      if (!isUnanswered(error) || performance.now() - begunAt > PATIENCE_MS || left() < LEAST_MS) throw error;
      return attempt();
    });
  } catch (error) {
    const orderCancelled = await undo(context, session, orderId).catch(() => false);
    throw unforeseen(error, { userLoggedOut: false, orderCancelled });
  }
};

const cancelled = () =>
  new PosFault(
    'cart_empty',
    'The shopping cart was cancelled, because a performance in it was or after an error: nothing was bought, and its places are free again. Please choose again.',
  );

const empty = () =>
  new PosFault('cart_empty', 'There is nothing in the shopping cart. What was bought before is among the orders.');

/** A checkout without a key repeats the one before it, unless the payment of that one has failed. */
const unkeyed = ({ checkout, payable }: Order): string =>
  payable && checkout ? derived('again', checkout.requestId) : 'checkout';

/** The errand of this session that bought what is still noted as its cart: nobody was told, or not yet. Undefined if none did. */
const unreported = async (
  { sessions }: Pick<PosContext, 'sessions'>,
  session: SessionDocument,
  { id, state, listed, payable, checkout }: Order,
): Promise<CheckoutTarget | undefined> => {
  if (!listed || payable || state === 'expired' || state === 'cancelled' || !checkout) return undefined;
  // The session may be older than the purchase: of a double click it is.
  const isOwn =
    session.orderIds.includes(id) || (await sessions.update(session, () => undefined))?.orderIds.includes(id);
  return isOwn ? { orderId: id, requestId: checkout.requestId } : undefined;
};

/** What to buy. @throws {PosFault} cart_empty, cart_expired */
const checkoutTargetOf = async (
  context: PosContext,
  session: SessionDocument,
  key: string | undefined,
): Promise<CheckoutTarget> => {
  // An earlier try of this request made it, or began to.
  if (key !== undefined && session.checkout?.key === key) return { orderId: session.checkout.orderId, requestId: key };
  const noted = await recordedCart(context, session);
  const known = noted && (await unreported(context, session, noted));
  if (known) return known;
  const cart = await cartOf(context, session, noted);
  if (cart && cart.lines.length > 0) return { orderId: cart.id, requestId: key ?? unkeyed(cart) };
  throw noted?.state === 'cancelled' ? cancelled() : empty();
};

/**
 * Makes an order of the session's cart; a repeat with the same key gives the same order, and so does one without a key while nobody was
 * told what became of the first. Rejects with PosFault as the rules refuse: the cart stays then.
 */
export const checkOut = async (
  context: PosContext,
  visit: Visit & { readonly session: SessionDocument },
  purchase: Purchase,
  key: string | undefined,
): Promise<Order> => {
  const endsAt = performance.now() + TOTAL_MS;
  const { session } = visit;
  requireBuyer(visit, purchase, context.simulated());
  const { orderId, requestId } = await checkoutTargetOf(context, session, key);
  const buyer = buyerOf(visit, purchase);
  await recordTarget(context, session, key, orderId, buyer);
  const { paymentMethod, paymentToken } = purchase;
  const wish = { requestId, ...buyer, paymentMethod, ...(paymentToken === undefined ? {} : { paymentToken }) };
  return reportedOrder(context, session, doneOr(await buy(context, session, orderId, wish, endsAt)), endsAt);
};
