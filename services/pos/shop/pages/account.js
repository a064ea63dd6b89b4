import { api, hasSession, Refusal } from '../api.js';
import { h } from '../dom.js';
import { link } from '../frame.js';
import { loginForm } from '../login.js';
import { act } from '../notices.js';
import { logOut, visitor } from '../state.js';
import { longDay, money, t, typeOf } from '../texts/index.js';
import { growing } from './growing.js';
import { ownTickets } from './own-tickets.js';

const orderRow = ({ id, number, state, total, currency, createdAt, items }) => {
  const sold = Object.values(items);
  const names = new Set(sold.map(({ productName }) => productName ?? t('aShow')));
  return h(
    'li',
    {},
    h(
      'span',
      {},
      h('a', { href: link(`/order/${encodeURIComponent(id)}`) }, [...names].join(', ') || longDay(createdAt)),
      ' ',
      h('span', { class: 'small' }, `${t('orderNumber')} ${number} · ${longDay(createdAt)}`),
    ),
    h('span', {}, t('things', { type: typeOf(sold), count: sold.length })),
    h('span', {}, money(total, currency)),
    h('span', { class: `badge badge-${state === 'confirmed' ? 'done' : 'quiet'}` }, t(`state_${state}`)),
  );
};

/** The orders that the visitor may see; undefined without orders. */
const ownOrders = async () => {
  const [list, more] = await growing(api.orders, orderRow, 'orders');
  return list.firstChild ? [list, more] : undefined;
};

/** The orders of a guest in this tab; undefined without orders. */
const guestOrders = async () => {
  const orders = hasSession() && (await ownOrders());
  return orders && h('section', {}, h('h2', {}, t('guestOrders')), orders);
};

const loggedOut = async (redraw) => ({
  title: t('logIn'),
  node: h(
    'div',
    { class: 'wrap page narrow' },
    h('h1', { tabindex: '-1' }, t('logIn')),
    h('p', { class: 'lead' }, t('logInText')),
    loginForm(redraw),
    await guestOrders(),
  ),
});

const loggedIn = async (redraw) => {
  const { firstName, name } = visitor.contact;
  const [tickets, orders] = await Promise.all([ownTickets(), ownOrders()]);
  const out = h('button', { type: 'button', class: 'link-button' }, t('logOut'));
  out.addEventListener('click', () =>
    act(out, async () => {
      await logOut();
      await redraw();
    }),
  );
  const node = h(
    'div',
    { class: 'wrap page' },
    h('h1', { tabindex: '-1' }, t('hello', { name: firstName ?? name ?? '' })),
    h('p', {}, out),
    h('h2', {}, t('myTickets', { type: tickets.type })),
    tickets.node,
    tickets.isEmpty && orders && h('p', { class: 'small' }, t('guestTicketsBelow')),
    h('h2', {}, t('myOrders')),
    orders ?? h('p', {}, t('noOrders')),
  );
  return { title: t('myTickets'), node };
};

/** The login form, or the tickets and orders of the logged-in contact. */
export const accountPage = async (_parameters, _query, { redraw }) => {
  if (!visitor.contact) return loggedOut(redraw);
  try {
    return await loggedIn(redraw);
  } catch (error) {
    // The session has just ended; the visitor was notified.
    if (error instanceof Refusal && error.status === 401 && !visitor.contact) return loggedOut(redraw);
    throw error;
  }
};
