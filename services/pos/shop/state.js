import { api, forgetSession, hasSession, Refusal, whenSessionEnds } from './api.js';
import { language } from './texts/index.js';

const NOTHING = { id: null, items: {}, total: 0, currency: '', expiresAt: null };

/** What the shop knows of its visitor: the contact of who is logged in, and the cart as the server last told it. */
export const visitor = { contact: null, cart: NOTHING, cartExpired: false };

const changes = new EventTarget();

/** Calls the listener whenever login or cart are other than before; answers how to stop that. */
export const onChange = (listener) => {
  changes.addEventListener('change', listener);
  return () => changes.removeEventListener('change', listener);
};

let queue = Promise.resolve();

/** Writes to the cart go one after the other, in the order of the visitor's actions. */
export const inTurn = (action) => {
  const mine = queue.catch(() => undefined).then(action);
  queue = mine;
  return mine;
};

/** Calls the listener when a session has ended that held a cart or a login. */
export const onLoss = (listener) => changes.addEventListener('lost', listener);

const changed = () => changes.dispatchEvent(new Event('change'));

export const cartItems = () => Object.values(visitor.cart.items);

/** Takes a cart over as the server gave it. */
export const takeCart = (cart) => {
  visitor.cart = cart;
  visitor.cartExpired = false;
  changed();
  return cart;
};

/** The hold is over: what was in the cart is anybody's again. */
export const expireCart = () => {
  visitor.cart = NOTHING;
  visitor.cartExpired = true;
  changed();
};

export const emptyCart = () => takeCart(NOTHING);

/** Asks the server for the cart. An expired one is a state, not an error. */
export const loadCart = async () => {
  if (!hasSession()) return emptyCart();
  try {
    return takeCart(await api.cart());
  } catch (error) {
    // The session's end has been told; it took the cart along.
    if (error instanceof Refusal && error.code === 'session_invalid') return emptyCart();
    if (!(error instanceof Refusal) || error.code !== 'cart_expired') throw error;
    expireCart();
    return visitor.cart;
  }
};

const takeContact = async (contactNumber) => {
  visitor.contact = contactNumber ? await api.contact(contactNumber) : null;
  products.clear();
  changed();
};

/** Logs in; the cart moves along. @throws {Refusal} login_failed, too_many_requests */
export const logIn = async (login, password) => {
  const { contactNumber } = await api.logIn(login, password);
  await takeContact(contactNumber);
  await loadCart();
};

/** Logs out, which gives the cart's places back. */
export const logOut = async () => {
  if (hasSession()) await api.logOut().catch(() => undefined);
  end();
};

/** The server knows the session no longer; told to who loses something by it. */
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

/** Finds a session of this tab again. */
export const restore = async () => {
  whenSessionEnds(lose);
  if (!hasSession()) return;
  const { contactNumber } = await api.session();
  await takeContact(contactNumber);
  await loadCart();
};

const KEPT_MS = 20_000;
const products = new Map();

/** A product with everything that is sold of it, as this visitor may buy it; kept for some seconds unless it must be fresh. */
export const productOf = (id, { fresh = false } = {}) => {
  const key = `${language()} ${id}`;
  const known = products.get(key);
  if (known && !fresh && known.until > Date.now()) return known.product;
  const product = api.product(id, visitor.contact?.contactNumber);
  products.set(key, { product, until: Date.now() + KEPT_MS });
  product.catch(() => products.delete(key));
  return product;
};

/** The same, or undefined when it is no longer shown: what was bought outlives the programme. */
export const productIfShown = (id) =>
  productOf(id).catch((error) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });

const write = (action) => inTurn(async () => takeCart(await action()));

/** The writes to the cart. Each takes over what the server answers. @throws {Refusal} */
export const cart = {
  add: (body, key) => write(() => api.addItems(body, key)),
  change: (id, body) => write(() => api.changeItem(id, body)),
  remove: (id) => write(() => api.removeItem(id)),
  clear: () => write(() => api.emptyCart()),
};
