import { api, hasSession } from '../api.js';
import { h } from '../dom.js';
import { checkAll, textField } from '../fields.js';
import { longDay, money } from '../format.js';
import { loginForm } from '../login.js';
import { act, notice } from '../notices.js';
import { logOut, productIfShown, visitor } from '../state.js';
import { t } from '../texts/index.js';
import { holderOf, placeName, ticketCard } from '../ticket.js';
import { categoryOf, whenAndWhere } from './cart.js';

const SIZE = 20;
const VOID = ['cancelled', 'invalidated'];

const nameForm = (ticket, redraw) => {
  const first = textField({ label: t('firstName'), value: ticket.beneficiaryFirstName ?? '' });
  const last = textField({ label: t('lastName'), value: ticket.beneficiaryLastName ?? '' });
  const button = h('button', { type: 'submit', class: 'button button-small' }, t('save'));
  const submit = async (event) => {
    event.preventDefault();
    if (!checkAll([first, last])) return;
    const went = await act(button, () =>
      api.nameTicket(ticket.id, { beneficiaryFirstName: first.value(), beneficiaryLastName: last.value() }),
    );
    if (!went) return;
    await redraw();
    notice('done', t('saved'));
  };
  return h(
    'details',
    { class: 'rename' },
    h('summary', {}, t('changeName')),
    h('form', { class: 'form', novalidate: true, onsubmit: submit }, first.node, last.node, button),
  );
};

const ownTicket = async (ticket, redraw) => {
  const product = await productIfShown(ticket.productId);
  const performance = product?.performances.find(({ id }) => id === ticket.performanceId);
  // A ticket does not name its category; where all are of one kind, that tells enough.
  const kinds = performance?.seatCategories ?? [];
  const category = categoryOf({ performance }, ticket) ?? kinds.find(({ numbered }) => numbered) ?? kinds[0];
  const isVoid = VOID.includes(ticket.status);
  const card = {
    title: product?.name ?? t('aShow'),
    when: whenAndWhere({ product, performance }) || longDay(ticket.startDate),
    product,
    category: (kinds.length === 1 || ticket.seatCategoryId) && category?.name,
    place: placeName(ticket.place, category),
    price: ticket.price,
    currency: ticket.currency,
    holder: holderOf(ticket),
    barcode: ticket.barcode,
    code: ticket.id,
    isVoid,
  };
  return ticketCard(
    card,
    h(
      'p',
      { class: 'small' },
      t(`ticket_${ticket.status}`),
      ' · ',
      h('a', { href: `#/order/${encodeURIComponent(ticket.orderId)}` }, t('showOrder')),
    ),
    !isVoid && ticket.status !== 'controlled' && nameForm(ticket, redraw),
  );
};

const orderRow = ({ id, state, total, currency, createdAt, items }) =>
  h(
    'li',
    {},
    h('a', { href: `#/order/${encodeURIComponent(id)}` }, longDay(createdAt)),
    h('span', {}, t('placesCount', { count: Object.keys(items).length })),
    h('span', {}, money(total, currency)),
    h('span', { class: `badge badge-${state === 'confirmed' ? 'done' : 'quiet'}` }, t(`state_${state}`)),
  );

/** A list of which more is asked for by a button. */
const growing = async (load, draw, className) => {
  const list = h('ul', { class: className });
  const more = h('button', { type: 'button', class: 'button button-quiet' }, t('showMore'));
  let count = 0;
  const next = async () => {
    const { records, total } = await load({ offset: count, limit: SIZE });
    count += records.length;
    list.append(...(await Promise.all(records.map(draw))));
    more.hidden = count >= total || records.length === 0;
    return total;
  };
  more.addEventListener('click', () => act(more, next));
  const total = await next();
  return { total, node: [list, more] };
};

/** What a guest has bought in this tab; nothing as long as that is nothing. */
const guestOrders = async () => {
  if (!hasSession()) return undefined;
  const { total, node } = await growing(api.orders, orderRow, 'orders');
  return total > 0 && h('section', {}, h('h2', {}, t('guestOrders')), node);
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

/** Log in; then the own tickets and orders. */
export const accountPage = async (_parameters, _query, { redraw }) => {
  if (!visitor.contact) return loggedOut(redraw);
  const { firstName, name } = visitor.contact;
  const tickets = await growing(api.tickets, (ticket) => ownTicket(ticket, redraw), 'tickets');
  const orders = await growing(api.orders, orderRow, 'orders');
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
    h('h2', {}, t('myTickets')),
    tickets.total > 0 ? tickets.node : h('p', {}, t('noTickets')),
    h('h2', {}, t('myOrders')),
    orders.total > 0 ? orders.node : h('p', {}, t('noOrders')),
  );
  return { title: t('myTickets'), node };
};
