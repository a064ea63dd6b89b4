// What the page of an order says of its changes, and the way to a new one.
import { serverNow } from '../api.js';
import { h } from '../dom.js';
import { shop } from '../frame.js';
import { act, announce } from '../notices.js';
import { isProvider, leaveFor, methodsFor } from '../paying.js';
import { visitor } from '../state.js';
import { money, t, until } from '../texts/index.js';
import { placeName } from '../ticket.js';
import { whenAndWhere } from './cart.js';

/** What may be done with an item. */
export const KINDS = ['return', 'exchange'];

/** Whether an item may be given back (`return`), or exchanged, now. */
export function isOpen({ returnPolicy }, kind) {
  return serverNow() < Date.parse(returnPolicy?.[kind === 'return' ? 'returnableUntil' : 'exchangeableUntil'] ?? '');
}

/** An item in words: what, where one sits, and the fare. */
export function itemWords(item) {
  const { productName, place, seatCategory, tariff } = item;
  return [productName ?? t('aShow'), placeName(place) ?? seatCategory, tariff].filter(Boolean).join(' · ');
}

/** Whether something of the order can be given back or exchanged now. */
export function isChangeable({ state, change, items }) {
  const isWaiting = state !== 'confirmed' || change !== null;
  return !isWaiting && Object.values(items).some((item) => KINDS.some((kind) => isOpen(item, kind)));
}

/** Whether its buyer cancels it as a whole: items with a return policy are, or were, given back, with their fee. */
export function isCancellable({ state, items, formerLines, changes }) {
  const all = Object.values(items);
  const sold = [...all, ...formerLines.filter(({ changeId }) => changes[changeId]?.reason === null)];
  return state !== 'confirmed' || (all.length > 0 && sold.every(({ returnPolicy }) => !returnPolicy));
}

/** The change that waits for its payment, until when, and the ways on; else whether the last one was not made. */
export function pendingChange({ change: id, changes, currency }, its, take) {
  const change = changes[id];
  if (!change) return Object.values(changes).at(-1)?.state === 'lapsed' && h('p', {}, t('changeLapsed'));
  const { payment, due, expiresAt } = change;
  const time = until(expiresAt);
  const method = payment && isProvider(payment.method) ? payment.method : methodsFor(visitor.contact).find(isProvider);
  const again = h('button', { type: 'button', class: 'button' }, t('payTryAgain'));
  again.addEventListener('click', () =>
    act(again, async () => {
      const order = await its.pay(method);
      await take(order);
      if (order.changes[id]?.payment?.url) leaveFor(order.changes[id]);
    }),
  );
  const end = h('button', { type: 'button', class: 'button button-quiet' }, t('changeEnd'));
  end.addEventListener('click', async () => {
    const went = await act(end, async () => {
      await its.endChange(id);
      await take(await its.load());
    });
    if (went) announce(t('changeEnded'));
  });
  // One that is captured has not paid all of it.
  const isOver = payment?.state !== 'pending';
  return h(
    'section',
    { class: 'keep', 'aria-labelledby': 'change-title' },
    h('h2', { id: 'change-title' }, t('changePending')),
    h('p', {}, t('changePendingText', { amount: money(due, currency), time })),
    payment?.method === 'external' && h('p', {}, t('order_external_text', { name: shop.name, time })),
    payment?.expiresAt && payment.state === 'pending' && !payment.url && h('p', {}, t('order_asking_text')),
    h(
      'p',
      { class: 'buttons' },
      payment?.url && h('a', { class: 'button', href: payment.url }, t('payOpen')),
      isOver && method && again,
      end,
    ),
  );
}

/** What has left the order; undefined if that is nothing. */
export function formerItems({ formerLines, changes }) {
  if (formerLines.length === 0) return undefined;
  return h(
    'details',
    { class: 'order-line' },
    h('summary', { class: 'small' }, t('formerItems', { count: formerLines.length })),
    h(
      'ul',
      { class: 'lines' },
      formerLines.map((item) =>
        h(
          'li',
          {},
          h('strong', {}, itemWords(item)),
          h('span', { class: 'small' }, whenAndWhere(item)),
          changes[item.changeId]?.reason === 'performance_cancelled' &&
            h('span', { class: 'small' }, t('ticket_cancelled')),
        ),
      ),
    ),
  );
}
