import { setTimeout as delay } from 'node:timers/promises';
import { createUnforeseenFault, PosFault } from '@boxoffice/envelope';
import {
  addAwaitedOrder,
  createCartExpiredFault,
  findCart,
  readRecordedCart,
  removeAwaitedOrder,
} from '../cart/cart.ts';
import {
  type Buyer,
  CERTAINTY_MS,
  type Checkout,
  isUnanswered,
  type Order,
  type Outcome,
  WRITE_MS,
} from '../clients/orders.ts';
import type { Edition } from '../description/editions.ts';
import { requireNotOver } from '../products/offers.ts';
import type { PosContext } from '../request/context.ts';
import { createSessionEndedFault, requireSession, type Visit } from '../request/visit.ts';
import { deriveId, type SessionDocument } from '../store.ts';
import { findEmail, isProvider, type Purchase, requireBuyer, requireTerms, toBuyer } from './buyer.ts';
import { closeRefusedPage, openPage, type ProviderPage, requireReturnUrl } from './pages.ts';
import { createRefusalFault, requireDone } from './refusals.ts';

/**
 * Milliseconds, below the gateway's timeout: reading the cart (3,000) and the catalogue (2,000), buying, and cancelling
 * after an unknown outcome (5,000).
 */
export const TOTAL_MS = 14_000;
const LEAST_MS = 2_000;
/** Milliseconds within which a failed attempt is retried: the buyer waits. */
const RETRY_WITHIN_MS = 2_000;

const MAX_ORDERS = 100;

/** By `requestId` orders recognises a repeat. */
interface CheckoutTarget {
  readonly orderId: string;
  readonly requestId: string;
}

/**
 * A repeat with the same key gives the same order; so does one without a key until the first is reported. Rejects with
 * PosFault if a rule refuses; the cart then stays unchanged.
 */
export async function checkOut(
  context: PosContext,
  visit: Visit,
  purchase: Purchase,
  key: string | undefined,
  edition: Pick<Edition, 'isExperimental'>,
): Promise<Order> {
  const endsAt = performance.now() + TOTAL_MS;
  const session = requireSession(visit);
  requireBuyer(context, visit, purchase);
  requireReturnUrl(visit, purchase.returnUrl);
  // v1, which is frozen, has no member for it.
  if (edition.isExperimental) requireTerms(visit, purchase);
  const target = await findTarget(context, session, key);
  const { orderId, requestId } = target;
  const buyer = toBuyer(visit, purchase);
  await recordTarget(context, session, key, orderId, buyer);
  const page = await openPageFor(context, visit, target, purchase, buyer);
  const { paymentMethod, paymentToken, termsAccepted } = purchase;
  const request = { requestId, ...buyer, paymentMethod, paymentToken, termsAccepted, page };
  return reportedOrder(context, session, requireDone(await buy(context, session, orderId, request, endsAt)), endsAt);
}

/** @throws {PosFault} cart_empty, cart_expired */
const findTarget = async (
  context: PosContext,
  session: SessionDocument,
  key: string | undefined,
): Promise<CheckoutTarget> => {
  // An earlier attempt with the same key recorded this order.
  if (key !== undefined && session.checkout?.key === key) return { orderId: session.checkout.orderId, requestId: key };
  const recorded = await readRecordedCart(context, session);
  const known = recorded && (await findUnreported(context, session, recorded));
  if (known) return known;
  const cart = await findCart(context, session, recorded);
  if (cart && cart.lines.length > 0) {
    const performanceIds = cart.lines.map(({ performanceId }) => performanceId);
    await requireNotOver(context, session.institution, performanceIds);
    return { orderId: cart.id, requestId: key ?? deriveRequestId(cart) };
  }
  throw recorded?.state === 'cancelled' ? createCancelledFault() : empty();
};

/**
 * Of what is due for the buyer. Undefined if nothing is to be paid on the page of a provider. Rejects as
 * {@link openPage} does, and where the cart is dearer for him.
 */
const openPageFor = async (
  context: PosContext,
  visit: Visit,
  { orderId, requestId }: CheckoutTarget,
  { paymentMethod: provider, returnUrl, contact, contactNumber }: Purchase,
  buyer: Buyer,
): Promise<ProviderPage | undefined> => {
  if (!isProvider(provider)) return undefined;
  const { institution } = visit.pointOfSale;
  const order = requireDone(await context.orders.price(institution, orderId, buyer));
  // A repeat finds the order bought; what costs nothing is sold at once.
  if (order.due === 0 || (order.listed && !order.payable)) return undefined;
  const email = contact?.email ?? (await findEmail(context, institution, { contactNumber }));
  const paying = { provider, amount: order.due, requestId, returnUrl, email };
  const page = await openPage(context, visit, order, paying);
  if (!page) throw createRefusalFault('busy');
  return page;
};

/** A checkout that bought the recorded cart but is not reported yet. */
const findUnreported = async (
  { sessions }: Pick<PosContext, 'sessions'>,
  session: SessionDocument,
  { id, state, listed, payable, checkout }: Order,
): Promise<CheckoutTarget | undefined> => {
  if (!listed || payable || state === 'expired' || state === 'cancelled' || !checkout) return undefined;
  // Read again: a double click read the session before the purchase.
  const isOwn =
    session.orderIds.includes(id) || (await sessions.update(session, () => undefined))?.orderIds.includes(id);
  return isOwn ? { orderId: id, requestId: checkout.requestId } : undefined;
};

/** Without an Idempotency-Key: a repeat of the last checkout, or a new one after its payment failed. */
const deriveRequestId = ({ checkout, payable }: Order): string =>
  payable && checkout ? deriveId('again', checkout.requestId) : 'checkout';

const createCancelledFault = () =>
  new PosFault(
    'cart_empty',
    'The shopping cart was cancelled after an error or with one of its performances: nothing was bought, and its ' +
      'places are free again. Please choose again.',
  );

const empty = () =>
  new PosFault('cart_empty', 'There is nothing in the shopping cart. Earlier purchases are listed by GET /orders.');

/** Runs before the purchase, so that a repeat after a crash and the list of own orders find the order. */
const recordTarget = async (
  { sessions, purchases }: Pick<PosContext, 'sessions' | 'purchases'>,
  session: SessionDocument,
  key: string | undefined,
  orderId: string,
  { contactNumber }: Buyer,
): Promise<void> => {
  if (session.contactNumber !== null && session.contactNumber !== contactNumber) await purchases.add(session, orderId);
  const recorded = await sessions.update(session, (current) => ({
    orderIds: [...current.orderIds.filter((id) => id !== orderId), orderId].slice(-MAX_ORDERS),
    awaiting: addAwaitedOrder(current, orderId),
    ...(key === undefined ? {} : { checkout: { key, orderId } }),
  }));
  if (!recorded) throw createSessionEndedFault();
};

/** @throws {PosFault} cart_empty, cart_expired if the order has ended meanwhile */
const reportedOrder = async (
  context: PosContext,
  session: SessionDocument,
  order: Order,
  endsAt: number,
): Promise<Order> => {
  // An earlier attempt failed and cancelled it, or its payment did not arrive in time.
  if (order.state === 'cancelled') throw createCancelledFault();
  if (order.state === 'expired') throw createCartExpiredFault();
  const until = await recordBought(context, session, order);
  if (until === undefined) return order;
  const waitMs = until - context.now() + 1;
  if (performance.now() + waitMs > endsAt - LEAST_MS)
    throw new Error('checkout not reported: a failed attempt of the same order is still being cancelled');
  await delay(waitMs);
  const now = await context.orders.get(session.institution, order.id);
  if (!now) throw createCancelledFault();
  return reportedOrder(context, session, now, endsAt);
};

/**
 * The order is no longer the cart; once confirmed, its payment can no longer fail. Resolves to the epoch milliseconds
 * before which it must not be reported, because a failed attempt is cancelling it.
 */
const recordBought = async (
  { sessions, log, now }: Pick<PosContext, 'sessions' | 'log' | 'now'>,
  session: SessionDocument,
  { id, state, payable }: Order,
): Promise<number | undefined> => {
  const mayBeReported = ({ cancelling }: SessionDocument) => cancelling?.orderId !== id || cancelling.until < now();
  const recorded = await sessions
    .update(session, (current) =>
      mayBeReported(current)
        ? {
            cartId: current.cartId === id && !payable ? null : current.cartId,
            awaiting:
              payable || state === 'payment_pending' ? (current.awaiting ?? []) : removeAwaitedOrder(current, id),
            reportedOrder: id,
          }
        : undefined,
    )
    // Harmless: the order is bought.
    .catch((error: unknown) =>
      log.warn('a session still names a bought order as its cart: the session could not be updated', { error }),
    );
  return recorded && recorded.reportedOrder !== id ? recorded.cancelling?.until : undefined;
};

/**
 * Retries once, by the same request id. If the outcome stays unknown, cancels the order; `orderCancelled` of the error
 * says whether that succeeded.
 */
const buy = async (
  context: PosContext,
  session: SessionDocument,
  orderId: string,
  request: Checkout,
  endsAt: number,
): Promise<Outcome> => {
  const { orders } = context;
  const { institution } = session;
  const startedAt = performance.now();
  const computeTimeLeft = () => Math.min(WRITE_MS, endsAt - CERTAINTY_MS - performance.now());
  if (computeTimeLeft() < LEAST_MS)
    throw new Error('checkout not started: reading the cart left too little time before the timeout');
  const attempt = () => orders.checkout(institution, orderId, request, computeTimeLeft());
  try {
    const outcome = await attempt().catch((error: unknown) => {
      if (!isUnanswered(error) || performance.now() - startedAt > RETRY_WITHIN_MS || computeTimeLeft() < LEAST_MS)
        throw error;
      return attempt();
    });
    await closeRefusedPage(context, institution, outcome, request.page);
    return outcome;
  } catch (error) {
    // Payments closes the page of a cancelled order, and one that no order wants.
    const orderCancelled = await cancelFailed(context, session, orderId).catch(() => false);
    throw createUnforeseenFault(error, { userLoggedOut: false, orderCancelled });
  }
};

/** Leaves an order that another attempt reported as bought. True only if the cancellation is durable. */
const cancelFailed = async (
  { orders, sessions, now }: PosContext,
  session: SessionDocument,
  orderId: string,
): Promise<boolean> => {
  const until = now() + CERTAINTY_MS;
  const recorded = await sessions.update(session, ({ reportedOrder }) =>
    reportedOrder === orderId ? undefined : { cancelling: { orderId, until } },
  );
  // Undefined: the session has ended, so no other attempt can report the order.
  return recorded?.reportedOrder === orderId ? false : orders.cancelAfterFault(session.institution, orderId, until);
};
