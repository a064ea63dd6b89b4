import { api, newKey, Refusal } from '../api.js';
import { emptyCart, loadCart, runSequentially, visitor } from '../state.js';

const UNSETTLED = 'boxoffice.purchase';
const DETAILS = 'boxoffice.details';

/** The details that the visitor typed; the tab keeps them until the order is confirmed, also when it is loaded anew. */
export const typed = {
  firstName: '',
  lastName: '',
  email: '',
  ...JSON.parse(sessionStorage.getItem(DETAILS) ?? '{}'),
};

export function keepTyped() {
  return sessionStorage.setItem(DETAILS, JSON.stringify(typed));
}

/** Forgets the details of a visitor who has bought. */
export function forgetTyped() {
  Object.assign(typed, { firstName: '', lastName: '', email: '' });
  sessionStorage.removeItem(DETAILS);
}

/**
 * The purchase with an unknown outcome: its request and the id of its order. A reloaded tab knows only the id.
 */
let unsettled;
let running;

/** Buys the cart; returns the running purchase if there is one. @throws {Refusal} */
export function buy(body) {
  return once(() => send({ body, key: newKey(), orderId: visitor.cart.id }));
}

const once = (action) => {
  running ??= action().finally(() => {
    running = undefined;
  });
  return running;
};

const send = async (request) => {
  // Stored before the request is sent: the tab may be closed before the answer.
  remember(request);
  try {
    const order = await runSequentially(() => api.buy(request.body, request.key));
    remember(undefined);
    emptyCart();
    return order;
  } catch (error) {
    if (isUndecided(error)) throw error;
    remember(undefined);
    // An empty cart may have been bought by an earlier request whose answer was lost.
    const bought = error.code === 'cart_empty' && (await boughtOrder(request).catch(() => undefined));
    if (!bought) throw error;
    emptyCart();
    return bought;
  }
};

const remember = (request) => {
  unsettled = request;
  if (unsettled) sessionStorage.setItem(UNSETTLED, unsettled.orderId);
  else sessionStorage.removeItem(UNSETTLED);
};

/** Whether the outcome of the request is unknown, so that it can be repeated. */
const isUndecided = (error) =>
  error instanceof Refusal && (error.isUnknown || error.code === 'idempotency_in_progress') && !error.orderCancelled;

/** The order of a purchase whose request is lost; undefined if nothing was bought. */
const boughtOrder = async ({ orderId }) => {
  try {
    const order = await api.order(orderId);
    return order.state === 'open' ? undefined : order;
  } catch (error) {
    if (!(error instanceof Refusal) || error.isUnknown || error.status === 429) throw error;
    return undefined;
  }
};

/** Whether a purchase is running. */
export function isRunning() {
  return running !== undefined;
}

/** Whether there is a purchase with an unknown outcome. */
export function isUnsettled() {
  return unsettled !== undefined;
}

/**
 * Repeats the unsettled purchase with the same request and key, so that nothing is bought twice. Returns the order;
 * undefined if nothing was bought. @throws {Refusal} the refusal of the purchase, or its outcome is still unknown
 */
export function repeat() {
  return once(async () => {
    if (unsettled.key) return send(unsettled);
    const order = await boughtOrder(unsettled);
    remember(undefined);
    await loadCart();
    return order;
  });
}

const left = sessionStorage.getItem(UNSETTLED);
if (left) unsettled = { orderId: left };
