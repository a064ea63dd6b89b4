import { shop, writeCookie } from './frame.js';

/** Says what was sold as pages show it; the shop comes with the server, whose answers it knows. */
const BASE = '/tnwr/vexp';

/** An unsuccessful answer: `code` is family B's errorCode, or `network` without an answer. */
export class Refusal extends Error {
  constructor(code, { status = 0, body, retryAfter } = {}) {
    super(body?.errorMessage ?? code);
    this.code = code;
    this.status = status;
    this.retryAfter = Number.parseInt(retryAfter ?? '', 10) || 0;
    this.userLoggedOut = body?.userLoggedOut === true;
    this.orderCancelled = body?.orderCancelled === true;
  }

  /** Whether the outcome of the request is unknown: it may be repeated with the same key. */
  get isUnknown() {
    return this.status === 0 || this.status >= 500;
  }
}

let onSessionEnd = () => {};
/** The server's clock minus the browser's, in milliseconds. */
let clockOffset = 0;

/** The name of the cookie of the session; a colon before a port is not allowed in it. */
const cookieName = () => `boxoffice.session.${shop.serviceHost.replace(':', '_')}`;

/** All tabs share it. */
const writeToken = (token) => writeCookie(cookieName(), token);

/** The token of the session that all tabs share; null without one. */
const readToken = () => {
  const name = `${cookieName()}=`;
  const found = document.cookie.split('; ').find((one) => one.startsWith(name));
  return found?.slice(name.length) || null;
};

/** Sets the function called when the server no longer knows the session. */
export function whenSessionEnds(listener) {
  onSessionEnd = listener;
}

export function hasSession() {
  return readToken() !== null;
}

export function forgetSession() {
  return writeToken('');
}

/** The server's time, which decides when a cart expires. */
export function serverNow() {
  return Date.now() + clockOffset;
}

/** An idempotency key: one per action, reused by its repetitions. */
export function newKey() {
  return crypto.randomUUID();
}

const storeToken = (response) => {
  const received = response.headers.get('X-auth-token');
  if (received) writeToken(received);
};

const addressOf = (path, query = {}) => {
  const url = new URL(BASE + path, location.origin);
  for (const [name, value] of Object.entries({ ...query, lang: shop.language })) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
  }
  return url;
};

const headersOf = (method, { key, orderLink }, token) => ({
  Accept: 'application/json',
  'X-Service-Host': shop.serviceHost,
  ...(token ? { 'X-auth-token': token } : {}),
  ...(method === 'POST' || method === 'PATCH' ? { 'Content-Type': 'application/json' } : {}),
  ...(key ? { 'Idempotency-Key': key } : {}),
  ...(orderLink ? { 'X-Order-Link': orderLink } : {}),
});

const RETRY_MS = 500;

/** A phone that changes networks loses its pending requests: a GET is repeated once. */
const retryLater = (attempt) => new Promise((resolve) => setTimeout(resolve, RETRY_MS)).then(attempt);

const send = async (method, path, { query, body = {}, ...more }, token) => {
  const attempt = () =>
    fetch(addressOf(path, query), {
      method,
      headers: headersOf(method, more, token),
      ...(method === 'POST' || method === 'PATCH' ? { body: JSON.stringify(body) } : {}),
    });
  const again = (error) => (method === 'GET' ? retryLater(attempt) : Promise.reject(error));
  const response = await attempt()
    .catch(again)
    .catch(() => {
      throw new Refusal('network');
    });
  const date = Date.parse(response.headers.get('Date') ?? '');
  // The header has whole seconds: a difference below two is ignored.
  if (!Number.isNaN(date)) clockOffset = Math.abs(date - Date.now()) < 2000 ? 0 : date - Date.now();
  return response;
};

/** Makes one call of family B; returns its data, and the `total` of a list. @throws {Refusal} */
const call = async (method, path, request = {}) => {
  const sent = readToken();
  const response = await send(method, path, request, sent);
  const answer = await response.json().catch(() => undefined);
  if (answer?.success) {
    storeToken(response);
    return { data: answer.data, total: Number(response.headers.get('X-Total-Amount') ?? 0) };
  }
  const code = answer?.errorCode ?? 'internal_error';
  if (code === 'session_invalid' && sent !== null) {
    // Another tab has logged in or out meanwhile: nothing was done, so the request is made again in its session.
    if (sent !== readToken()) return call(method, path, request);
    forgetSession();
    onSessionEnd();
    if (needsNoSession(method, path)) return call(method, path, withoutContact(request));
  }
  throw new Refusal(code, { status: response.status, body: answer, retryAfter: response.headers.get('Retry-After') });
};

/** What begins a cart. */
const BEGINNING = ['/shopping-cart/items', '/shopping-cart/codes'];

/** Whether the request is repeated without a session after the session has ended. */
const needsNoSession = (method, path) =>
  !hasSession() &&
  (path.startsWith('/products') || path === '/programme' || (method === 'POST' && BEGINNING.includes(path)));

const withoutContact = ({ query, body, ...request }) => {
  const { contactNumber: _own, ...asked } = query ?? {};
  const items = body?.items?.map(({ contactNumber: _mine, ...wanted }) => wanted);
  return { ...request, query: asked, body: items ? { items } : body };
};

const get = (path, query) => call('GET', path, { query });
const dataOf = async (answer) => (await answer).data;
const idOf = encodeURIComponent;

/** All records of a list, from all its pages. */
const all = async (path, query) => {
  const records = [];
  for (;;) {
    const { data, total } = await get(path, { ...query, offset: records.length, limit: 500 });
    const more = Object.values(data);
    records.push(...more);
    if (more.length === 0 || records.length >= total) return records;
  }
};

/** A part of the programme: its records, their total, and what else could be chosen. */
const programme = async (query) => {
  const { data, total } = await get('/programme', query);
  return { ...data, records: Object.values(data.products), total };
};

const page = async (path, query) => {
  const { data, total } = await get(path, query);
  return { records: Object.values(data), total };
};

/** The operations of the API that the shop uses. */
export const api = {
  programme,
  product: (id, contactNumber) => dataOf(get(`/products/${idOf(id)}`, { contactNumber })),
  seatMap: (productId, performanceId) =>
    dataOf(get(`/products/${idOf(productId)}/performances/${idOf(performanceId)}/seat-map`)),

  logIn: (login, password) => dataOf(call('POST', '/sessions', { body: { login, password } })),
  session: () => dataOf(get('/sessions/current')),
  logOut: () => call('DELETE', '/sessions/current'),
  contact: (contactNumber) => dataOf(get(`/contacts/${idOf(contactNumber)}`)),

  cart: () => dataOf(get('/shopping-cart')),
  emptyCart: () => dataOf(call('DELETE', '/shopping-cart')),
  addItems: (body, key) => dataOf(call('POST', '/shopping-cart/items', { body, key })),
  changeItem: (id, body) => dataOf(call('PATCH', `/shopping-cart/items/${idOf(id)}`, { body })),
  addCode: (code) => dataOf(call('POST', '/shopping-cart/codes', { body: { code } })),
  removeCodes: (discountId) => dataOf(call('DELETE', `/shopping-cart/codes/${idOf(discountId)}`)),
  removeItem: (id) => dataOf(call('DELETE', `/shopping-cart/items/${idOf(id)}`)),

  buy: (body, key) => dataOf(call('POST', '/orders', { body, key })),
  pay: (id, body, orderLink) => dataOf(call('POST', `/orders/${idOf(id)}/payments`, { body, orderLink })),
  quoteChange: (id, body, orderLink) => dataOf(call('POST', `/orders/${idOf(id)}/changes/quotes`, { body, orderLink })),
  change: (id, body, key, orderLink) => dataOf(call('POST', `/orders/${idOf(id)}/changes`, { body, key, orderLink })),
  endChange: (id, changeId, orderLink) =>
    dataOf(call('DELETE', `/orders/${idOf(id)}/changes/${idOf(changeId)}`, { orderLink })),
  orders: (query) => page('/orders', query),
  order: (id) => dataOf(get(`/orders/${idOf(id)}`)),
  orderDocument: (id) => dataOf(get(`/orders/${idOf(id)}/document`)),
  makeOrderLink: (id) => dataOf(call('POST', `/orders/${idOf(id)}/links`)),
  linkedOrder: (orderLink) => dataOf(call('GET', '/order-links/current/order', { orderLink })),
  linkedDocument: (orderLink) => dataOf(call('GET', '/order-links/current/document', { orderLink })),
  requestOrderLink: (lost) => call('POST', '/order-links/requests', { body: lost }),
  cancelLinked: (id, orderLink) => dataOf(call('POST', `/orders/${idOf(id)}/cancellation`, { orderLink })),
  cancel: (id, key) => dataOf(call('POST', `/orders/${idOf(id)}/cancellation`, { key })),

  allTickets: () => all('/tickets'),
  nameTicket: (id, body) => dataOf(call('PATCH', `/tickets/${idOf(id)}`, { body })),
};
