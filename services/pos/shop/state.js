import { api, forgetSession, hasSession, Refusal, whenSessionEnds } from './api.js';
import { language } from './texts/index.js';

const NOTHING = { id: null, items: {}, total: 0, currency: '', expiresAt: null };

/** The visitor's state: the logged-in contact, and the cart of the last answer. */
export const visitor = { contact: null, cart: NOTHING, cartExpired: false };

const changes = new EventTarget();

/** Calls the listener after each change of login or cart; returns a function that removes it. */
export const onChange = (listener) => {
  changes.addEventListener('change', listener);
  return () => changes.removeEventListener('change', listener);
};

let queue = Promise.resolve();

/** Runs writes to the cart one after the other, in the order of the visitor's actions. */
export const inTurn = (action) => {
  const mine = queue.catch(() => undefined).then(action);
  queue = mine;
  return mine;
};

/** Calls the listener when a session with a cart or a login has ended. */
export const onLoss = (listener) => changes.addEventListener('lost', listener);

const changed = () => changes.dispatchEvent(new Event('change'));

export const cartItems = () => Object.values(visitor.cart.items);

/** Sets the cart to the one of an answer. */
export const setCart = (cart) => {
  visitor.cart = cart;
  visitor.cartExpired = false;
  changed();
  return cart;
};

/** Marks the cart as expired: its hold has ended and its places are free. */
export const expireCart = () => {
  visitor.cart = NOTHING;
  visitor.cartExpired = true;
  changed();
};

export const emptyCart = () => setCart(NOTHING);

/** Loads the cart. An expired cart is a state, not an error. */
export const loadCart = async () => {
  if (!hasSession()) return emptyCart();
  try {
    return setCart(await api.cart());
  } catch (error) {
    // The visitor was notified of the end of the session; the cart ended with it.
    if (error instanceof Refusal && error.code === 'session_invalid') return emptyCart();
    if (!(error instanceof Refusal) || error.code !== 'cart_expired') throw error;
    expireCart();
    return visitor.cart;
  }
};

const setContact = async (contactNumber) => {
  visitor.contact = contactNumber ? await api.contact(contactNumber) : null;
  products.clear();
  changed();
};

/** Logs in; the cart is retained. @throws {Refusal} login_failed, too_many_requests */
export const logIn = async (login, password) => {
  const { contactNumber } = await api.logIn(login, password);
  await setContact(contactNumber);
  await loadCart();
};

/** Logs out; the server releases the places of the cart. */
export const logOut = async () => {
  if (hasSession()) await api.logOut().catch(() => undefined);
  end();
};

/** Ends a session that the server no longer knows; reports the loss of a cart or a login. */
const lose = () => {
  const isLoss = visitor.contact !== null || cartItems().length > 0;
  end();
  if (isLoss) changes.dispatchEvent(new Event('lost'));
};

const end = () => {
  forgetSession();
  visitor.contact = null;
  visitor.cart = NOTHING;
  visitor.cartExpired = false;
  products.clear();
  changed();
};

/** Restores the session of this tab. */
export const restore = async () => {
  whenSessionEnds(lose);
  if (!hasSession()) return;
  const { contactNumber } = await api.session();
  await setContact(contactNumber);
  await loadCart();
};

const CACHE_MS = 20_000;
const products = new Map();

/** A product with the performances and prices for this visitor; cached for 20 seconds, except with `fresh`. */
export const productOf = (id, { fresh = false } = {}) => {
  const key = `${language()} ${id}`;
  const known = products.get(key);
  if (known && !fresh && known.until > Date.now()) return known.product;
  const product = api.product(id, visitor.contact?.contactNumber);
  products.set(key, { product, until: Date.now() + CACHE_MS });
  product.catch(() => products.delete(key));
  return product;
};

/** The same; undefined if the product is no longer shown, as a ticket may outlast its product. */
export const productIfShown = (id) =>
  productOf(id).catch((error) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });

const write = (action) => inTurn(async () => setCart(await action()));

/** The writes to the cart; each sets the cart to the answer. @throws {Refusal} */
export const cart = {
  add: (body, key) => write(() => api.addItems(body, key)),
  change: (id, body) => write(() => api.changeItem(id, body)),
  remove: (id) => write(() => api.removeItem(id)),
  clear: () => write(() => api.emptyCart()),
};
