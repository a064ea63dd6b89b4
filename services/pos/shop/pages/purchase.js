import { api, newKey, Refusal } from '../api.js';
import { emptyCart, inTurn, loadCart, visitor } from '../state.js';

const OPEN = 'boxoffice.purchase';

/**
 * The purchase of which nobody can say yet whether it took place: the request as it was sent, and the order that it makes. A tab that
 * is loaded anew knows the order only; who buys is never stored.
 */
let open;
let running;

const remember = (request) => {
  open = request;
  if (open) sessionStorage.setItem(OPEN, open.orderId);
  else sessionStorage.removeItem(OPEN);
};

/** A repeat is worth while as long as nobody can say what became of the request. */
const isUndecided = (error) =>
  error instanceof Refusal && (error.isOpen || error.code === 'idempotency_in_progress') && !error.orderCancelled;

/** What has become of the order of a purchase whose request is known no longer; undefined when there is none. */
const look = async ({ orderId }) => {
  try {
    const order = await api.order(orderId);
    return order.state === 'open' ? undefined : order;
  } catch (error) {
    if (!(error instanceof Refusal) || error.isOpen || error.status === 429) throw error;
    return undefined;
  }
};

const send = async (request) => {
  // Noted before it is sent: the tab may be gone before the answer comes.
  remember(request);
  try {
    const order = await inTurn(() => api.buy(request.body, request.key));
    remember(undefined);
    emptyCart();
    return order;
  } catch (error) {
    if (isUndecided(error)) throw error;
    remember(undefined);
    // A cart that is gone may have been bought by an earlier request whose answer never came.
    const bought = error.code === 'cart_empty' && (await look(request).catch(() => undefined));
    if (!bought) throw error;
    emptyCart();
    return bought;
  }
};

const once = (action) => {
  running ??= action().finally(() => {
    running = undefined;
  });
  return running;
};

/** Buys what is in the cart; while a purchase is being made, that one. @throws {Refusal} */
export const buy = (body) => once(() => send({ body, key: newKey(), orderId: visitor.cart.id }));

/** Whether one is being made at this moment. */
export const isBeingMade = () => running !== undefined;

/** Whether a purchase was made of which nobody can say yet what became of it. */
export const isUnsettled = () => open !== undefined;

/**
 * Asks again what became of the unsettled purchase: with the same request and the same key, which buys nothing twice. Answers the order;
 * undefined when nothing was bought. @throws {Refusal} what the purchase was refused for, or that nobody can say yet
 */
export const askAgain = () =>
  once(async () => {
    if (open.key) return send(open);
    const order = await look(open);
    remember(undefined);
    await loadCart();
    return order;
  });

const left = sessionStorage.getItem(OPEN);
if (left) open = { orderId: left };
