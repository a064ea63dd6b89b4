import { api, hasSession, Refusal } from '../api.js';
import { h } from '../dom.js';
import { checkAll, loginForm, logOutButton, textField } from '../forms.js';
import { link, shop } from '../frame.js';
import { act, notice } from '../notices.js';
import { productIfShown, visitor } from '../state.js';
import { isShow, longDay, money, t, typeOf } from '../texts/index.js';
import { holderOf, placeName, ticketCard } from '../ticket.js';
import { categoryOf, nameOf, whenAndWhere } from './cart.js';

const GOOD = ['not_printed', 'printed'];

/** A ticket counts as upcoming for this long after the start of its performance. */
const EVENING_MS = 12 * 3_600_000;

const SIZE = 20;

/** The login form, or the tickets and orders of the logged-in contact. */
export async function accountPage(_parameters, _query, { redraw }) {
  if (!visitor.contact) return loggedOut(redraw);
  try {
    return await loggedIn(redraw);
  } catch (error) {
    // The session has just ended; the visitor was notified.
    if (error instanceof Refusal && error.status === 401 && !visitor.contact) return loggedOut(redraw);
    throw error;
  }
}

const loggedOut = async (redraw) => ({
  title: t('logIn'),
  node: h(
    'div',
    { class: 'wrap page narrow' },
    h('h1', { tabindex: '-1' }, t('logIn')),
    h('p', { class: 'lead' }, t('logInText')),
    loginForm(redraw),
    shop.sendsMails && h('p', {}, h('a', { href: link('/lost-link') }, t('lostLink'))),
    await guestOrders(),
  ),
});

/** The orders of a guest in this tab; undefined without orders. */
const guestOrders = async () => {
  const orders = hasSession() && (await ownOrders());
  return orders && h('section', {}, h('h2', {}, t('guestOrders')), orders);
};

/** The orders that the visitor may see; undefined without orders. */
const ownOrders = async () => {
  const [list, more] = await growing(api.orders, orderRow, 'orders');
  return list.firstChild ? [list, more] : undefined;
};

/** A list with a “show more” button. `from`: the records, or a function that loads a page. Returns the nodes. */
const growing = async (from, draw, className) => {
  const load = Array.isArray(from)
    ? ({ offset, limit }) => ({ records: from.slice(offset, offset + limit), total: from.length })
    : from;
  const list = h('ul', { class: className });
  const more = h('button', { type: 'button', class: 'button button-quiet' }, t('showMore'));
  let count = 0;
  const next = async () => {
    const { records, total } = await load({ offset: count, limit: SIZE });
    const drawn = await Promise.all(records.map(draw));
    count += records.length;
    list.append(...drawn);
    more.hidden = count >= total || records.length === 0;
    return drawn[0];
  };
  more.addEventListener('click', () =>
    act(more, async () => {
      const first = await next();
      // The button may be hidden now: the first new record gets the focus.
      first?.querySelector('a, summary')?.focus();
    }),
  );
  await next();
  return [list, more];
};

const orderRow = ({ id, number, state, total, currency, localCreatedAt, items }) => {
  const sold = Object.values(items);
  const names = new Set(sold.map(({ productName }) => productName ?? t('aShow')));
  return h(
    'li',
    {},
    h(
      'span',
      {},
      h('a', { href: link(`/order/${encodeURIComponent(id)}`) }, [...names].join(', ') || longDay(localCreatedAt)),
      ' ',
      h('span', { class: 'small' }, `${t('orderNumber')} ${number} · ${longDay(localCreatedAt)}`),
    ),
    h('span', {}, t('things', { type: typeOf(sold), count: sold.length })),
    h('span', {}, money(total, currency)),
    h('span', { class: `badge badge-${state === 'confirmed' ? 'done' : 'quiet'}` }, t(`state_${state}`)),
  );
};

const loggedIn = async (redraw) => {
  const { firstName, name } = visitor.contact;
  const [tickets, orders] = await Promise.all([ownTickets(), ownOrders()]);
  const node = h(
    'div',
    { class: 'wrap page' },
    h('h1', { tabindex: '-1' }, t('hello', { name: firstName ?? name ?? '' })),
    h('p', {}, logOutButton(redraw)),
    h('h2', {}, t('myTickets', { type: tickets.type })),
    tickets.node,
    tickets.isEmpty && orders && h('p', { class: 'small' }, t('guestTicketsBelow')),
    h('h2', {}, t('myOrders')),
    orders ?? h('p', {}, t('noOrders')),
  );
  return { title: t('myTickets'), node };
};

/** The tickets of the login: the upcoming ones by date, the others folded, the latest first. */
const ownTickets = async () => {
  const tickets = await api.allTickets();
  if (tickets.length === 0) return { isEmpty: true, node: h('p', {}, t('noTickets')) };
  const valid = tickets.filter(isToCome);
  const over = tickets.filter((ticket) => !isToCome(ticket)).toReversed();
  return {
    isEmpty: false,
    type: typeOf(tickets),
    node: [
      valid.length > 0
        ? await growing(valid, validCard, 'tickets')
        : h('p', {}, t('noTicketsToCome', { type: typeOf(tickets) })),
      over.length > 0 && others(over),
    ],
  };
};

/** Whether a ticket is valid and upcoming: of a show until that is over, of another product as long as it is valid. */
const isToCome = ({ status, productType, startDate, validUntil }) => {
  const end = isShow(productType) ? Date.parse(startDate) + EVENING_MS : Date.parse(validUntil);
  return GOOD.includes(status) && !(end < Date.now());
};

const validCard = async (ticket) => {
  const { product, performance, title, when } = await titled(ticket);
  const replace = async (next) => {
    const drawn = await validCard(next);
    card.replaceWith(drawn);
    drawn.querySelector('summary').focus();
  };
  const card = ticketCard(
    {
      title,
      when,
      product,
      type: ticket.productType,
      category: categoryOf({ performance }, ticket)?.name,
      place: placeName(ticket.place),
      price: ticket.price,
      currency: ticket.currency,
      holder: holderOf(ticket),
      barcode: ticket.status === 'not_printed' ? null : ticket.barcode,
      code: ticket.id,
      isCollected: ticket.status === 'not_printed',
    },
    h(
      'p',
      { class: 'small ticket-line' },
      h('span', { class: 'ticket-state' }, t(`ticket_${ticket.status}`)),
      orderLink(ticket),
    ),
    ticket.productType !== 'goods' && nameForm(ticket, replace),
  );
  return card;
};

const titled = async (ticket) => {
  const product = await productIfShown(ticket.productId);
  const performance = product?.performances.find(({ id }) => id === ticket.performanceId);
  return { product, performance, title: nameOf({ product, items: [ticket] }), when: whenAndWhere(ticket) };
};

const orderLink = ({ orderId }) => h('a', { href: link(`/order/${encodeURIComponent(orderId)}`) }, t('showOrder'));

/** The form for the names of a ticket; `replace` exchanges its card when the new one is drawn. */
const nameForm = (ticket, replace) => {
  const first = textField({ label: t('firstName'), value: ticket.beneficiaryFirstName ?? '' });
  const last = textField({ label: t('lastName'), value: ticket.beneficiaryLastName ?? '' });
  const button = h('button', { type: 'submit', class: 'button button-small' }, t('save'));
  const submit = async (event) => {
    event.preventDefault();
    if (!checkAll([first, last])) return;
    const went = await act(button, async () =>
      replace(
        await api.nameTicket(ticket.id, { beneficiaryFirstName: first.value(), beneficiaryLastName: last.value() }),
      ),
    );
    if (went) notice('done', t('saved'));
  };
  return h(
    'details',
    { class: 'rename' },
    h('summary', {}, t('changeName')),
    h('form', { class: 'form', novalidate: true, onsubmit: submit }, first.node, last.node, button),
  );
};

const others = (tickets) => {
  const place = h('div', {});
  const folded = h(
    'details',
    { class: 'other-tickets' },
    h('summary', {}, t('otherTickets', { type: typeOf(tickets), count: tickets.length })),
    place,
  );
  // Drawn when it is unfolded.
  folded.addEventListener('toggle', async () => {
    if (folded.open && !place.firstChild) place.append(...(await growing(tickets, otherRow, 'orders')));
  });
  return folded;
};

/** One row for a past or invalid ticket. */
const otherRow = async (ticket) => {
  const { title, when } = await titled(ticket);
  const state = GOOD.includes(ticket.status) ? 'past' : ticket.status;
  return h(
    'li',
    { 'data-status': state },
    h(
      'span',
      {},
      h('strong', {}, title),
      h('span', { class: 'small' }, when),
      h('span', { class: 'small' }, placeName(ticket.place)),
    ),
    h('span', { class: 'badge badge-quiet' }, t(`ticket_${state}`, { type: ticket.productType })),
    orderLink(ticket),
  );
};
