import { accept, house } from './houses.js';

const BASE = '/tnwr/v1';
const TOKEN = `boxoffice.token.${house.serviceHost}`;

/** An answer that is none of success: `code` is family B's errorCode; `network` when there was no answer at all. */
export class Refusal extends Error {
  constructor(code, { status = 0, body, retryAfter } = {}) {
    super(body?.errorMessage ?? code);
    this.code = code;
    this.status = status;
    this.retryAfter = Number.parseInt(retryAfter ?? '', 10) || 0;
    this.userLoggedOut = body?.userLoggedOut === true;
    this.orderCancelled = body?.orderCancelled === true;
  }

  /** Whether nobody can say if the request had its effect: it may be sent again with the same key. */
  get isOpen() {
    return this.status === 0 || this.status >= 500;
  }
}

let language = '';
let token = sessionStorage.getItem(TOKEN);
let onSessionEnd = () => {};
/** How much the server's clock is ahead of ours. */
let ahead = 0;

/** All texts come in this language from now on. */
export const speak = (code) => {
  language = code;
};

/** Called when the server knows our session no longer. */
export const whenSessionEnds = (listener) => {
  onSessionEnd = listener;
};

export const hasSession = () => token !== null;

export const forgetSession = () => {
  token = null;
  sessionStorage.removeItem(TOKEN);
};

/** The server's time, which carts end by. */
export const serverNow = () => Date.now() + ahead;

/** For one action, however often it is sent. */
export const newKey = () => crypto.randomUUID();

const keepToken = (response) => {
  const given = response.headers.get('X-auth-token');
  if (!given) return;
  token = given;
  sessionStorage.setItem(TOKEN, given);
};

const addressOf = (path, query = {}) => {
  const url = new URL(BASE + path, location.origin);
  for (const [name, value] of Object.entries({ ...query, lang: language })) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
  }
  return url;
};

const headersOf = (method, key) => ({
  Accept: 'application/json',
  'X-Service-Host': house.serviceHost,
  ...(token ? { 'X-auth-token': token } : {}),
  ...(method === 'POST' || method === 'PATCH' ? { 'Content-Type': 'application/json' } : {}),
  ...(key ? { 'Idempotency-Key': key } : {}),
});

const LATER_MS = 500;

/** A telephone that goes from one network to the next loses what it has just asked for. */
const later = (attempt) => new Promise((resolve) => setTimeout(resolve, LATER_MS)).then(attempt);

const send = async (method, path, { query, body = {}, key }) => {
  const attempt = () =>
    fetch(addressOf(path, query), {
      method,
      headers: headersOf(method, key),
      ...(method === 'POST' || method === 'PATCH' ? { body: JSON.stringify(body) } : {}),
    });
  const again = (error) => (method === 'GET' ? later(attempt) : Promise.reject(error));
  const response = await attempt()
    .catch(again)
    .catch(() => {
      throw new Refusal('network');
    });
  const date = Date.parse(response.headers.get('Date') ?? '');
  // It tells whole seconds; less than two are as good as none.
  if (!Number.isNaN(date)) ahead = Math.abs(date - Date.now()) < 2000 ? 0 : date - Date.now();
  return response;
};

/** One call of family B: its data, and `total` of a list. @throws {Refusal} */
const call = async (method, path, request = {}) => {
  const sent = token;
  const response = await send(method, path, request);
  const answer = await response.json().catch(() => undefined);
  if (answer?.success) {
    accept();
    keepToken(response);
    return { data: answer.data, total: Number(response.headers.get('X-Total-Amount') ?? 0) };
  }
  const code = answer?.errorCode ?? 'internal_error';
  if (code === 'session_invalid' && sent !== null) {
    if (sent === token) {
      forgetSession();
      onSessionEnd();
    }
    if (needsNoSession(method, path)) return call(method, path, withoutContact(request));
  }
  throw new Refusal(code, { status: response.status, body: answer, retryAfter: response.headers.get('Retry-After') });
};

/** What a stranger may do is done as a stranger when the session has ended. */
const needsNoSession = (method, path) =>
  token === null && (path.startsWith('/products') || (method === 'POST' && path === '/shopping-cart/items'));

const withoutContact = ({ query, body, ...request }) => {
  const { contactNumber: _own, ...asked } = query ?? {};
  const { contactNumber: _mine, ...wanted } = body ?? {};
  return { ...request, query: asked, body: wanted };
};

const get = (path, query) => call('GET', path, { query });
const dataOf = async (answer) => (await answer).data;
const idOf = encodeURIComponent;

/** Every record of a list, however many pages it takes. */
const all = async (path, query) => {
  const records = [];
  for (;;) {
    const { data, total } = await get(path, { ...query, offset: records.length, limit: 500 });
    const more = Object.values(data);
    records.push(...more);
    if (more.length === 0 || records.length >= total) return records;
  }
};

const page = async (path, query) => {
  const { data, total } = await get(path, query);
  return { records: Object.values(data), total };
};

/** The operations that the shop needs, by what they do. */
export const api = {
  products: (query) => page('/products', query),
  allProducts: (query) => all('/products', query),
  product: (id, contactNumber) => dataOf(get(`/products/${idOf(id)}`, { contactNumber })),
  places: (productId, performanceId, seatCategoryId) =>
    all(`/products/${idOf(productId)}/performances/${idOf(performanceId)}/places`, { seatCategoryId }),

  logIn: (login, password) => dataOf(call('POST', '/sessions', { body: { login, password } })),
  session: () => dataOf(get('/sessions/current')),
  logOut: () => call('DELETE', '/sessions/current'),
  contact: (contactNumber) => dataOf(get(`/contacts/${idOf(contactNumber)}`)),

  cart: () => dataOf(get('/shopping-cart')),
  emptyCart: () => dataOf(call('DELETE', '/shopping-cart')),
  addItems: (body, key) => dataOf(call('POST', '/shopping-cart/items', { body, key })),
  changeItem: (id, body) => dataOf(call('PATCH', `/shopping-cart/items/${idOf(id)}`, { body })),
  removeItem: (id) => dataOf(call('DELETE', `/shopping-cart/items/${idOf(id)}`)),

  buy: (body, key) => dataOf(call('POST', '/orders', { body, key })),
  orders: (query) => page('/orders', query),
  order: (id) => dataOf(get(`/orders/${idOf(id)}`)),
  cancel: (id, key) => dataOf(call('POST', `/orders/${idOf(id)}/cancellation`, { key })),

  allTickets: () => all('/tickets'),
  nameTicket: (id, body) => dataOf(call('PATCH', `/tickets/${idOf(id)}`, { body })),
};
