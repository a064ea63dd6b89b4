// The pages that show an order: to its visitor, and to whoever has its link.
import { api, newKey, Refusal, serverNow } from '../api.js';
import { h } from '../dom.js';
import { link, setTitle, shop } from '../frame.js';
import { act, announce, notice } from '../notices.js';
import { leaveFor, linkAddress } from '../paying.js';
import { forgetLink, keepLink, keptLink, loadCart, timeLeft, visitor } from '../state.js';
import { t, until } from '../texts/index.js';
import { byPerformance, countdown, message } from './cart.js';
import { returnTexts } from './composition.js';
import { formerItems, isCancellable, isChangeable, pendingChange } from './order-changes.js';
import {
  isCollected,
  isVoid,
  keepButtons,
  lacksCodes,
  linkBox,
  moneyLines,
  orderLine,
  orderText,
  orderTickets,
  orderType,
  WAITING,
} from './order-tickets.js';
import { forgetTyped } from './purchase.js';

const POLL_MS = 2_000;
const SLOWEST_POLL_MS = 20_000;

/**
 * An own order. Without the session that it was bought in, the link that the tab may have kept shows it. Who comes back
 * from the payment page in another browser has another session, or none.
 */
export async function orderPage([id], query, { redraw } = {}) {
  const isNew = query.has('new');
  let order;
  try {
    order = await api.order(id);
  } catch (error) {
    if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 404)) throw error;
    const kept = keptLink(id)?.split('#')[1];
    if (kept) return linkedPage(kept, redraw);
    if (error.status === 401 || isNew) return away();
    throw error;
  }
  const cancelKey = newKey();
  let box;
  return shownOrder(order, {
    isOwn: true,
    isNew,
    load: () => api.order(id),
    loadDocument: () => api.orderDocument(id),
    cancel: () => api.cancel(id, cancelKey),
    pay: (paymentMethod) => api.pay(id, { paymentMethod }),
    ...changesOf(id),
    title: (now) =>
      t(now.state === 'confirmed' && isNew && !hasChanges(now) ? 'thankYou' : `order_${now.state}`, {
        type: orderType(now),
      }),
    /** Made once: the page is drawn again with it. */
    box: (now) => {
      const make = async () => keptLink(id) ?? (await api.makeOrderLink(id)).url;
      box ??= linkBox({ type: orderType(now), make, atOnce: isNew });
      return box;
    },
  });
}

/** How the order is changed; by its link, if there is one. */
const changesOf = (id, token) => ({
  quote: (body) => api.quoteChange(id, body, token),
  change: async (body, key) => {
    const change = await api.change(id, body, key, token);
    // The session may be over when the buyer comes back from the payment page.
    const link = async () => (token ? linkAddress(token) : (await api.makeOrderLink(id)).url);
    if (change.payment?.url)
      await link().then(
        (url) => keepLink(id, url),
        () => undefined,
      );
    return change;
  },
  endChange: (changeId) => api.endChange(id, changeId, token),
});

const hasChanges = ({ changes }) => Object.keys(changes).length > 0;

const away = () => {
  const logIn = h('a', { class: 'button button-quiet', href: link('/account') }, t('logIn'));
  const text = t(shop.sendsMails ? 'orderAwayText' : 'lostLinkNoMails');
  return { title: t('orderAwayTitle'), node: message(t('orderAwayTitle'), text, toLostLink(), logIn) };
};

/** A page that follows its order until nothing more is to come. */
const shownOrder = async (first, its) => {
  let order = first;
  /** The order as it is drawn. */
  let shown = order;
  let timer;
  let pause = POLL_MS;
  let isHere = true;
  /** Whether the heading has the focus: screen readers then read it. */
  let isRead = false;
  const node = h('div', {});
  /** How often another order was taken over: what was asked or begun before shows an older one. */
  let turn = 0;
  /** The steps of a change, which stay while the order changes. */
  let steps;

  const pollLater = () => {
    clearTimeout(timer);
    if (isHere) timer = setTimeout(poll, pause);
    pause = Math.min(pause * 1.25, SLOWEST_POLL_MS);
  };

  const draw = async () => {
    const mine = turn;
    if (steps) return;
    // An order with a failed payment is a cart again on the server: load it. Without it the next poll draws anew.
    const isWhole = order.state !== 'open' || !its.isOwn || (await loadCart().catch(() => false));
    const toShow = isWhole ? order : { state: order.state };
    if (!isWhole && mine === turn && contentOf(toShow) === contentOf(shown)) return pollLater();
    if (its.isNew && order.state === 'confirmed') {
      forgetTyped();
      forgetLink();
    }
    const next = await drawn(order, its, { take, pay, beginChange });
    if (mine !== turn) return;
    shown = toShow;
    const had = node.contains(document.activeElement);
    node.replaceChildren(next);
    if (node.isConnected) setTitle(its.title(order));
    if (had) node.querySelector('h1').focus();
    isRead = had;
    // Credit may be refunded by itself.
    if (WAITING.includes(order.state) || order.change || lacksCodes(order) || order.credit > 0) pollLater();
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
    pause = POLL_MS;
    try {
      await draw();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine === turn) pollLater();
      return;
    }
    if (mine === turn && isOtherState && !isRead) announce(its.title(order));
  };
  const poll = async () => {
    if (document.hidden) return pollLater();
    const mine = turn;
    const next = await its.load().catch(() => order);
    if (isHere && mine === turn) await take(next);
  };
  /** Pays once more; an order that cannot be paid any more is shown as it is. */
  const pay = async () => {
    try {
      await take(await its.pay(order.payment.method));
    } catch (error) {
      if (error.code === 'order_not_payable') await take(await its.load());
      throw error;
    }
    if (order.payment?.url) leaveFor(order);
  };

  /** The order is shown as it is now. */
  const endSteps = async () => {
    steps?.leave();
    steps = undefined;
    order = await its.load().catch(() => order);
    await draw();
    node.querySelector('h1').focus();
  };
  const beginChange = async () => {
    const { changeSteps } = await import('./change.js');
    clearTimeout(timer);
    const done = async (change) => {
      await endSteps();
      if (change.state === 'done') notice('done', t('changeDone'));
      if (change.payment?.url) leaveFor(change);
    };
    steps = changeSteps(order, its, { close: endSteps, done });
    node.replaceChildren(steps.node);
    node.querySelector('h1').focus();
  };

  await draw();
  return {
    title: its.title(order),
    node,
    leave: () => {
      isHere = false;
      steps?.leave();
      clearTimeout(timer);
    },
  };
};

/** What the page shows of an order: another answer with the same changes nothing. */
const contentOf = ({ state, items, payment, paid, refunded, credit, changes }) =>
  JSON.stringify([state, items, payment, paid, refunded, credit, changes]);

const drawn = async (order, its, { take, pay, beginChange }) => {
  const groups = await byPerformance(Object.values(order.items));
  const paying = payingOf(order, pay);
  const isUrgent = paying?.button || isPayable(order, its);
  const buttons = h(
    'p',
    { class: 'buttons' },
    actions(order, its, { paying, beginChange, cancel: async () => take(await its.cancel()) }),
  );
  return h(
    'div',
    { class: 'wrap page order', 'data-state': order.state },
    h('h1', { tabindex: '-1' }, its.title(order)),
    lead(order, its, paying),
    moneyLines(order),
    pendingChange(order, its, take),
    isUrgent && buttons,
    isChangeable(order) && returnTexts(Object.values(order.items)),
    orderLine(order),
    its.isOwn && hasLink(order, its) && its.box(order),
    keepButtons(order, groups, its.loadDocument),
    h('h2', { class: 'unseen' }, t('tickets', { type: orderType(order) })),
    orderTickets(order, groups),
    formerItems(order),
    !its.isOwn && hasLink(order, its) && its.box(order),
    !isUrgent && buttons,
  );
};

const hasLink = (order, { isOwn }) => !isVoid(order) && (order.state !== 'open' || !isOwn);

/** What to say of an order that waits for the page of a provider, and the button; undefined: it does not. */
const payingOf = (order, pay) => {
  const { state, payment, expiresAt } = order;
  // Only a payment on a page has an end; what staff record may have any method.
  if (!payment?.expiresAt) return undefined;
  if (state === 'payment_pending' && !payment.url) return { text: t('order_asking_text') };
  if (state === 'payment_pending') {
    // In a frame no payment page opens, but a tab.
    const target = window === window.top ? undefined : '_blank';
    const button = h('a', { class: 'button', href: payment.url, target, rel: target && 'noopener' }, t('payOpen'));
    return { button, text: t('order_payable_text', { time: until(payment.expiresAt) }) };
  }
  if (state !== 'open' || !(Date.parse(expiresAt) > serverNow())) return undefined;
  const button = h('button', { type: 'button', class: 'button' }, t('payTryAgain'));
  button.addEventListener('click', () => act(button, pay));
  const end = payment.state === 'expired' ? 'over' : 'failed';
  return { button, text: t(`order_page_${end}_text`, { time: until(expiresAt) }) };
};

const lead = (order, its, paying) => {
  if (paying) return h('p', { class: 'lead' }, paying.text);
  if (!isPayable(order, its)) return h('p', { class: 'lead' }, orderText(order));
  return [h('p', { class: 'lead' }, t('order_open_payable')), countdown('summary-clock order-clock')];
};

/** Whether the payment failed and the order is the visitor's cart again: payable as long as its places are held. */
const isPayable = ({ id, state }, { isOwn }) => isOwn && state === 'open' && visitor.cart.id === id && timeLeft() > 0;

const actions = (order, its, { paying, beginChange, cancel }) => {
  if (isVoid(order)) return its.isOwn && h('a', { class: 'button', href: link('/') }, t('toProgramme'));
  return [
    paying?.button,
    isPayable(order, its) &&
      h('a', { class: `button${paying ? ' button-quiet' : ''}`, href: link('/checkout') }, t('payAgain')),
    its.isOwn &&
      order.state === 'confirmed' &&
      !isCollected(order) &&
      h('button', { type: 'button', class: 'button', onclick: () => window.print() }, t('print')),
    isChangeable(order) && changeButton(beginChange),
    isCancellable(order) && cancelButton(cancel),
  ];
};

const changeButton = (begin) => {
  const button = h('button', { type: 'button', class: 'button button-quiet' }, t('changeOrder'));
  button.addEventListener('click', () => act(button, begin));
  return button;
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

/** The form of a token. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The page behind an order link: the order with its tickets, for whoever has the link, without a session. */
export async function ticketLinkPage(_parameters, _query, { redraw }) {
  const token = takeToken();
  return (token && (await linkedPage(token, redraw))) || linkOver();
}

const linkOver = () => ({
  title: t('linkOverTitle'),
  node: message(t('linkOverTitle'), t('linkOverText'), toLostLink()),
});

/** An order that a link no longer shows is asked for by `redraw`. */
const linkedPage = async (token, redraw) => {
  const load = () => api.linkedOrder(token);
  const order = await load().catch((error) => {
    if (isUnknown(error)) return undefined;
    throw error;
  });
  if (!order) return linkOver();
  return shownOrder(order, {
    load: () =>
      load().catch((error) => {
        if (isUnknown(error)) void redraw();
        throw error;
      }),
    loadDocument: () => api.linkedDocument(token),
    cancel: () => api.cancelLinked(order.id, token),
    pay: async (paymentMethod) => {
      const paid = await api.pay(order.id, { paymentMethod }, token);
      keepLink(order.id, linkAddress(token));
      return paid;
    },
    ...changesOf(order.id, token),
    title: (now) =>
      now.state === 'confirmed' && !isVoid(now) ? t('linkedTitle', { type: orderType(now) }) : t(`order_${now.state}`),
    box: (now) => linkBox({ type: orderType(now), url: linkAddress(token) }),
  });
};

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

const isUnknown = (error) => error instanceof Refusal && error.status === 404;

/** Leads to the page that sends the link again. */
const toLostLink = () => shop.sendsMails && h('a', { class: 'button', href: link('/lost-link') }, t('lostLink'));
