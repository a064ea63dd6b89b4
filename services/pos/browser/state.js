import { api, forgetSession, hasSession, Refusal, serverNow, whenSessionEnds } from './api.js';
import { shop } from './frame.js';

const NOTHING = { id: null, items: {}, fees: [], taxes: [], codes: [], total: 0, currency: '', expiresAt: null };

/** The visitor's state: the logged-in contact, and the cart of the last answer. */
export const visitor = { contact: null, cart: NOTHING, cartExpired: false };

const changes = new EventTarget();

/** Calls the listener after each change of login or cart; returns a function that removes it. */
export function onChange(listener) {
  changes.addEventListener('change', listener);
  return () => changes.removeEventListener('change', listener);
}

let queue = Promise.resolve();

/** Runs changes of cart and login one after the other, in the order of the visitor's actions. */
export function runSequentially(action) {
  const mine = queue.catch(() => undefined).then(action);
  queue = mine;
  return mine;
}

/** Calls the listener when a session with a cart or a login has ended. */
export function onLoss(listener) {
  return changes.addEventListener('lost', listener);
}

const changed = () => changes.dispatchEvent(new Event('change'));

export function cartItems() {
  return Object.values(visitor.cart.items);
}

/** Sets the cart to the one of an answer; of one that has expired nothing is held any more. */
const setCart = (cart) => {
  // A code may open prices.
  if (JSON.stringify(cart.codes) !== JSON.stringify(visitor.cart.codes)) products.clear();
  visitor.cartExpired = cart.expired === true;
  visitor.cart = visitor.cartExpired ? NOTHING : cart;
  changed();
  return visitor.cart;
};

/** The number of the latest question for the cart, and of the one that is answered by what is shown. */
let asked = 0;
let answered = 0;

/** Marks what is shown as newer than any answer that is still to come. */
const overtake = () => {
  asked += 1;
  answered = asked;
};

/** Empties the cart here and in the other tabs. */
export function emptyCart() {
  overtake();
  setCart(NOTHING);
  tellOthers();
}

/** The milliseconds until the cart expires. */
export function timeLeft() {
  return Date.parse(visitor.cart.expiresAt) - serverNow();
}

/** Loads the cart; an answer that arrives after a newer one is ignored. An expired cart is a state, not an error. */
export async function loadCart() {
  if (!hasSession()) return setCart(NOTHING);
  asked += 1;
  const mine = asked;
  try {
    const answer = await api.cart();
    if (mine < answered) return visitor.cart;
    answered = mine;
    return setCart(answer);
  } catch (error) {
    // The visitor was notified of the end of the session; the cart ended with it.
    if (!(error instanceof Refusal) || error.code !== 'session_invalid') throw error;
    return setCart(NOTHING);
  }
}

/** Logs in; the cart is retained. @throws {Refusal} login_failed, too_many_requests */
export function logIn(login, password) {
  return runSequentially(async () => {
    const { contactNumber } = await api.logIn(login, password);
    await setContact(contactNumber);
    await loadCart();
    // The contact may have discounts; without them the cart stays as it is.
    const [item] = cartItems();
    if (item && contactNumber) await api.changeItem(item.id, { contactNumber }).then(setCart, () => undefined);
    tellOthers();
  });
}

const setContact = async (contactNumber) => {
  visitor.contact = contactNumber ? await api.contact(contactNumber) : null;
  products.clear();
  changed();
};

/** Logs out; the server releases the places of the cart. */
export function logOut() {
  return runSequentially(async () => {
    if (hasSession()) await api.logOut().catch(() => undefined);
    end();
    forgetLink();
    tellOthers();
  });
}

const end = () => {
  forgetSession();
  clear();
};

/** Empties what this tab shows, without touching the session: it may be another tab's. */
const clear = () => {
  overtake();
  visitor.contact = null;
  visitor.cart = NOTHING;
  visitor.cartExpired = false;
  products.clear();
  changed();
};

/** The other tabs of this shop, which share the session; undefined before the session is restored. */
let others;

const tellOthers = () => others?.postMessage({ hasSession: hasSession() });

const COOKIE_WAITS = 20;
const COOKIE_WAIT_MS = 50;

/** Calls the listener with `login` or `cart` when this tab has taken over another one. */
export function onFollowed(listener) {
  return changes.addEventListener('followed', ({ detail }) => listener(detail));
}

/** Restores the session of the browser, and follows what other tabs do to it from then on. */
export async function restore() {
  whenSessionEnds(lose);
  others = new BroadcastChannel(`boxoffice ${shop.serviceHost}`);
  // What this tab writes comes first; a failure leaves the tab as it is, and its next request tells.
  others.onmessage = ({ data }) => void runSequentially(() => follow(data)).catch(() => undefined);
  // A page from the history may be older than the session.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) runSequentially(() => follow({ hasSession: hasSession() })).catch(() => undefined);
  });
  if (!hasSession()) return;
  await runSequentially(async () => {
    const { contactNumber } = await api.session();
    await setContact(contactNumber);
    await loadCart();
  });
}

/** Ends a session that the server no longer knows; reports the loss of a cart or a login. */
const lose = () => {
  const isLoss = visitor.contact !== null || cartItems().length > 0;
  end();
  if (isLoss) changes.dispatchEvent(new Event('lost'));
};

/** Takes over what another tab did to login and cart. Calls the listeners of `onFollowed` if that changed anything. */
const follow = async ({ hasSession: expected }) => {
  await cookieArrives(expected);
  const { contact, cart } = visitor;
  const load = async () => {
    const { contactNumber } = await api.session();
    if (contactNumber !== (visitor.contact?.contactNumber ?? null)) await setContact(contactNumber);
    await loadCart();
  };
  // The session may end on the way.
  if (hasSession()) await load().catch((error) => (hasSession() ? Promise.reject(error) : undefined));
  if (!hasSession()) clear();
  const isOther = (one, two) => JSON.stringify(one) !== JSON.stringify(two);
  if (isOther(contact, visitor.contact)) changes.dispatchEvent(new CustomEvent('followed', { detail: 'login' }));
  else if (isOther(cart, visitor.cart)) changes.dispatchEvent(new CustomEvent('followed', { detail: 'cart' }));
};

/** Waits, for a second at most, until this tab sees the cookie as the other one does: the message may be faster. */
const cookieArrives = async (expected) => {
  for (let left = COOKIE_WAITS; left > 0 && hasSession() !== expected; left -= 1)
    await new Promise((resolve) => setTimeout(resolve, COOKIE_WAIT_MS));
};

/** The tab keeps the link to the order that is being paid, in case the session is over when the buyer comes back. */
const PAYING = 'boxoffice.paying';

/** Keeps the link to an order in this tab. */
export function keepLink(orderId, url) {
  return sessionStorage.setItem(PAYING, JSON.stringify({ orderId, url }));
}

/** The link that is kept for an order; undefined without one. */
export function keptLink(orderId) {
  const kept = JSON.parse(sessionStorage.getItem(PAYING) ?? '{}');
  return kept.orderId === orderId ? kept.url : undefined;
}

export function forgetLink() {
  return sessionStorage.removeItem(PAYING);
}

const CACHE_MS = 20_000;
const products = new Map();

/** A product with the performances and prices for this visitor; cached for 20 seconds, except with `fresh`. */
export function productOf(id, { fresh = false } = {}) {
  const known = products.get(id);
  if (known && !fresh && known.until > Date.now()) return known.product;
  const product = api.product(id, visitor.contact?.contactNumber);
  products.set(id, { product, until: Date.now() + CACHE_MS });
  product.catch(() => products.delete(id));
  return product;
}

/** The same; undefined if the product is no longer shown, as a ticket may outlast its product. */
export function productIfShown(id) {
  return productOf(id).catch((error) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });
}

const write = (action) =>
  runSequentially(async () => {
    const answer = await action();
    overtake();
    const after = setCart(answer);
    tellOthers();
    if (visitor.cartExpired) throw new Refusal('cart_expired');
    return after;
  });

/** The writes to the cart; each sets the cart to the answer. @throws {Refusal} */
export const cart = {
  add: (body, key) => write(() => api.addItems(body, key)),
  change: (id, body) => write(() => api.changeItem(id, body)),
  remove: (id) => write(() => api.removeItem(id)),
  addCode: (code) => write(() => api.addCode(code)),
  removeCodes: (discountId) => write(() => api.removeCodes(discountId)),
  clear: () => write(() => api.emptyCart()),
};
