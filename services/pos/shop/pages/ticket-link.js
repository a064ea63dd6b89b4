import { api, hasSession, Refusal } from '../api.js';
import { h } from '../dom.js';
import { link, shop } from '../frame.js';
import { t } from '../texts/index.js';
import { byPerformance, message } from './cart.js';
import {
  isVoid,
  keepButtons,
  lacksCodes,
  linkBox,
  orderLine,
  orderText,
  orderTickets,
  orderType,
  WAITING,
} from './order-tickets.js';

const POLL_MS = 5_000;

const KEY = () => `boxoffice.order-link.${shop.serviceHost}`;

/** The form of a token. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * The token in the fragment of the address, which is taken out of the address and its history; the tab keeps it, so
 * that the page can be loaded again and in another language.
 */
const takeToken = () => {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEY(), given);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  const token = sessionStorage.getItem(KEY()) ?? '';
  return TOKEN.test(token) ? token : undefined;
};

const isUnknown = (error) => error instanceof Refusal && error.status === 404;

const load = (token) =>
  api.linkedOrder(token).catch((error) => {
    if (isUnknown(error)) return undefined;
    throw error;
  });

/** Where the order is cancelled: the link shows it only. */
const whereToCancel = async ({ id }) => {
  const isOwn = hasSession() && (await api.order(id).catch(() => undefined));
  return isOwn
    ? h(
        'p',
        { class: 'buttons' },
        h('a', { class: 'button button-quiet', href: link(`/order/${id}`) }, t('toOwnOrder')),
      )
    : h('p', { class: 'small' }, t('cancelElsewhere'));
};

/** The page behind an order link: the order with its tickets, for whoever has the link, without a session. */
export const ticketLinkPage = async (_parameters, _query, { redraw }) => {
  const token = takeToken();
  const order = token && (await load(token));
  if (!order) return { title: t('linkOverTitle'), node: message(t('linkOverTitle'), t('linkOverText')) };
  const type = orderType(order);
  const groups = await byPerformance(Object.values(order.items));
  const title = order.state === 'confirmed' ? t('linkedTitle', { type }) : t(`order_${order.state}`);
  const isLive = !isVoid(order);
  const node = h(
    'div',
    { class: 'wrap page order', 'data-state': order.state },
    h('h1', { tabindex: '-1' }, title),
    h('p', { class: 'lead' }, orderText(order)),
    orderLine(order),
    keepButtons(order, groups, () => api.linkedDocument(token)),
    h('h2', { class: 'unseen' }, t('tickets', { type })),
    orderTickets(order, groups),
    isLive && linkBox({ type, url: `${location.origin}${link('/ticket-link')}#${token}` }),
    isLive && (await whereToCancel(order)),
  );
  const timer = (WAITING.includes(order.state) || lacksCodes(order)) && setTimeout(redraw, POLL_MS);
  return { title, node, leave: () => clearTimeout(timer) };
};
