import { api, newKey } from '../api.js';
import { h } from '../dom.js';
import { money } from '../format.js';
import { act, announce, notice } from '../notices.js';
import { t } from '../texts/index.js';
import { holderOf, placeName, ticketCard } from '../ticket.js';
import { byPerformance, categoryOf, whenAndWhere } from './cart.js';

const POLL_MS = 2_000;

/** States in which an order may change without the visitor's doing. */
const WAITING = ['payment_pending', 'open', 'reserved'];

const tickets = async (order) => {
  const groups = await byPerformance(Object.values(order.items));
  const isVoid = order.state === 'cancelled' || order.state === 'expired';
  return h(
    'ul',
    { class: 'tickets' },
    groups.flatMap((group) =>
      group.items.map((item) => {
        const category = categoryOf(group, item);
        return ticketCard({
          product: group.product,
          title: group.product?.name ?? t('aShow'),
          when: whenAndWhere(group),
          category: category?.name,
          place: placeName(item.place, category),
          tariff: item.tariff,
          price: item.amount,
          currency: order.currency,
          holder: holderOf(item),
          barcode: item.barcode,
          code: item.ticketId,
          isVoid,
        });
      }),
    ),
  );
};

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
    if (went) notice('done', t('cancelDone'));
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
};

const actions = (order, cancel) => {
  if (order.state === 'cancelled' || order.state === 'expired')
    return h('a', { class: 'button', href: '#/' }, t('toProgramme'));
  return [
    order.state === 'confirmed' &&
      h('button', { type: 'button', class: 'button', onclick: () => window.print() }, t('print')),
    h(
      'button',
      { type: 'button', class: 'button button-quiet', onclick: () => confirmation(cancel) },
      t('cancelOrder'),
    ),
  ];
};

const titleOf = (order, isNew) => (order.state === 'confirmed' && isNew ? t('thankYou') : t(`order_${order.state}`));

const drawn = async (order, isNew, cancel) =>
  h(
    'div',
    { class: 'wrap page order', 'data-state': order.state },
    h('h1', { tabindex: '-1' }, titleOf(order, isNew)),
    h('p', { class: 'lead' }, t(`order_${order.state}_text`)),
    h(
      'p',
      { class: 'small order-line' },
      `${t('orderNumber')} ${order.id} · ${t('total')} ${money(order.total, order.currency)}`,
    ),
    h('h2', { class: 'unseen' }, t('tickets')),
    await tickets(order),
    h('p', { class: 'buttons' }, actions(order, cancel)),
  );

/** An order: its tickets with their codes, or what it waits for. */
export const orderPage = async ([id], query) => {
  let order = await api.order(id);
  let timer;
  let isHere = true;
  const isNew = query.has('new');
  const cancelKey = newKey();
  const node = h('div', {});

  const draw = async () => {
    const next = await drawn(order, isNew, cancel);
    const had = node.contains(document.activeElement);
    node.replaceChildren(next);
    if (had) node.querySelector('h1').focus();
    if (!WAITING.includes(order.state) && !lacksCodes()) return;
    timer = setTimeout(poll, POLL_MS);
  };
  const lacksCodes = () => order.state === 'confirmed' && Object.values(order.items).some(({ barcode }) => !barcode);
  const take = async (next) => {
    const isOther = JSON.stringify([next.state, next.items]) !== JSON.stringify([order.state, order.items]);
    const isOtherState = next.state !== order.state;
    order = next;
    clearTimeout(timer);
    if (!isOther) {
      timer = setTimeout(poll, POLL_MS);
      return;
    }
    await draw();
    if (isOtherState) announce(titleOf(order, isNew));
  };
  // A look that fails is made again; the page stays as it is meanwhile.
  const poll = async () => {
    const next = await api.order(id).catch(() => order);
    if (isHere) await take(next);
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
};
