// The pages that show an order: to its visitor, and to whoever has its link.
import { api, newKey, Refusal } from '../api.js';
import { h } from '../dom.js';
import { link, setTitle, shop } from '../frame.js';
import { act, announce } from '../notices.js';
import { loadCart, timeLeft, visitor } from '../state.js';
import { t } from '../texts/index.js';
import { byPerformance, countdown, message } from './cart.js';
import {
  isCollected,
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
import { forgetTyped } from './purchase.js';

const POLL_MS = 2_000;

/** An order: its tickets with their barcodes, or its pending state. */
export async function orderPage([id], query) {
  let order = await api.order(id);
  /** The order as it is drawn. */
  let shown = order;
  let timer;
  let isHere = true;
  /** Whether the heading has the focus: screen readers then read it. */
  let isRead = false;
  const isNew = query.has('new');
  const cancelKey = newKey();
  let box;
  /** Made once: the page is drawn again with it. */
  const linked = () => {
    box ??= linkBox({
      type: orderType(order),
      make: async () => (await api.makeOrderLink(id)).url,
      atOnce: isNew,
    });
    return box;
  };
  const node = h('div', {});
  /** How often another order was taken over: what was asked or begun before shows an older one. */
  let turn = 0;

  const pollLater = () => {
    clearTimeout(timer);
    if (isHere) timer = setTimeout(poll, POLL_MS);
  };

  const draw = async () => {
    const mine = turn;
    // An order with a failed payment is a cart again on the server: load it. Without it the next poll draws anew.
    const isWhole = order.state !== 'open' || (await loadCart().catch(() => false));
    const toShow = isWhole ? order : { state: order.state };
    if (!isWhole && mine === turn && contentOf(toShow) === contentOf(shown)) return pollLater();
    if (isNew && order.state === 'confirmed') forgetTyped();
    const next = await drawn(order, { isNew, cancel, linked });
    if (mine !== turn) return;
    shown = toShow;
    const had = node.contains(document.activeElement);
    node.replaceChildren(next);
    if (node.isConnected) setTitle(titleOf(order, isNew));
    if (had) node.querySelector('h1').focus();
    isRead = had;
    if (WAITING.includes(order.state) || lacksCodes(order)) pollLater();
  };
  // A failed poll is repeated, and so is one whose products do not load; the page stays unchanged.
  const take = async (next) => {
    const isOther = contentOf(next) !== contentOf(shown);
    const isOtherState = next.state !== shown.state;
    if (isOther) turn += 1;
    const mine = turn;
    order = next;
    clearTimeout(timer);
    if (!isOther) return pollLater();
    try {
      await draw();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine === turn) pollLater();
      return;
    }
    if (mine === turn && isOtherState && !isRead) announce(titleOf(order, isNew));
  };
  const poll = async () => {
    const mine = turn;
    const next = await api.order(id).catch(() => order);
    if (isHere && mine === turn) await take(next);
  };
  const cancel = async () => take(await api.cancel(id, cancelKey));

  await draw();
  return {
    title: titleOf(order, isNew),
    node,
    leave: () => {
      isHere = false;
      clearTimeout(timer);
    },
  };
}

/** What the page shows of an order: another answer with the same changes nothing. */
const contentOf = ({ state, items }) => JSON.stringify([state, items]);

const drawn = async (order, { isNew, cancel, linked }) => {
  const groups = await byPerformance(Object.values(order.items));
  return h(
    'div',
    { class: 'wrap page order', 'data-state': order.state },
    h('h1', { tabindex: '-1' }, titleOf(order, isNew)),
    lead(order),
    isPayable(order) && h('p', { class: 'buttons' }, actions(order, cancel)),
    orderLine(order),
    !isVoid(order) && order.state !== 'open' && linked(),
    keepButtons(order, groups, () => api.orderDocument(order.id)),
    h('h2', { class: 'unseen' }, t('tickets', { type: orderType(order) })),
    orderTickets(order, groups),
    !isPayable(order) && h('p', { class: 'buttons' }, actions(order, cancel)),
  );
};

const titleOf = (order, isNew) =>
  t(order.state === 'confirmed' && isNew ? 'thankYou' : `order_${order.state}`, { type: orderType(order) });

const lead = (order) =>
  isPayable(order)
    ? [h('p', { class: 'lead' }, t('order_open_payable')), countdown('summary-clock order-clock')]
    : h('p', { class: 'lead' }, orderText(order));

/** Whether the payment failed and the order is the visitor's cart again: payable as long as its places are held. */
const isPayable = ({ id, state }) => state === 'open' && visitor.cart.id === id && timeLeft() > 0;

const actions = (order, cancel) => {
  if (isVoid(order)) return h('a', { class: 'button', href: link('/') }, t('toProgramme'));
  return [
    isPayable(order) && h('a', { class: 'button', href: link('/checkout') }, t('payAgain')),
    order.state === 'confirmed' &&
      !isCollected(order) &&
      h('button', { type: 'button', class: 'button', onclick: () => window.print() }, t('print')),
    cancelButton(cancel),
  ];
};

/** Cancels the order after a question. */
const cancelButton = (cancel) =>
  h('button', { type: 'button', class: 'button button-quiet', onclick: () => confirmation(cancel) }, t('cancelOrder'));

const confirmation = (cancel) => {
  const yes = h('button', { type: 'button', class: 'button button-danger' }, t('cancelYes'));
  const no = h(
    'button',
    { type: 'button', class: 'button button-quiet', autofocus: true, onclick: () => dialog.close() },
    t('cancelNo'),
  );
  const dialog = h(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'cancel-title' },
    h('h2', { id: 'cancel-title' }, t('cancelTitle')),
    h('p', {}, t('cancelText')),
    h('div', { class: 'buttons' }, no, yes),
  );
  yes.addEventListener('click', async () => {
    const went = await act(yes, cancel);
    dialog.close();
    // The page shows the result; the button that opened the dialog no longer exists.
    if (went) document.querySelector('main h1')?.focus();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
};

const LINK_POLL_MS = 5_000;

/** The form of a token. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The page behind an order link: the order with its tickets, for whoever has the link, without a session. */
export async function ticketLinkPage(_parameters, _query, { redraw }) {
  const token = takeToken();
  const order = token && (await load(token));
  if (!order) return { title: t('linkOverTitle'), node: message(t('linkOverTitle'), t('linkOverText'), toLostLink()) };
  const type = orderType(order);
  const groups = await byPerformance(Object.values(order.items));
  const title = order.state === 'confirmed' ? t('linkedTitle', { type }) : t(`order_${order.state}`);
  const isLive = !isVoid(order);
  const cancel = async () => {
    await api.cancelLinked(order.id, token);
    await redraw();
  };
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
    isLive && h('p', { class: 'buttons' }, cancelButton(cancel)),
  );
  const timer = (WAITING.includes(order.state) || lacksCodes(order)) && setTimeout(redraw, LINK_POLL_MS);
  return { title, node, leave: () => clearTimeout(timer) };
}

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

const KEY = () => `boxoffice.order-link.${shop.serviceHost}`;

const load = (token) =>
  api.linkedOrder(token).catch((error) => {
    if (isUnknown(error)) return undefined;
    throw error;
  });

const isUnknown = (error) => error instanceof Refusal && error.status === 404;

/** Leads to the page that sends the link again. */
const toLostLink = () => shop.sendsMails && h('a', { class: 'button', href: link('/lost-link') }, t('lostLink'));
