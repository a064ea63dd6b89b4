// The tickets of an order, and what keeps them beyond this page: its link, its document and its dates.
import { calendarOf, calendarType, eventUid, sequenceAt } from '../calendar.js';
import { h } from '../dom.js';
import { shop } from '../frame.js';
import { act, announce } from '../notices.js';
import { isShow, money, t, typeOf, until } from '../texts/index.js';
import { holderOf, placeName, ticketCard } from '../ticket.js';
import { categoryOf, nameOf, whenAndWhere } from './cart.js';
import { itemComposition, totalComposition } from './composition.js';

/** The states in which an order may change without an action of the visitor. */
export const WAITING = ['payment_pending', 'open', 'reserved'];

/** Whether the order has ended, or nothing is left in it. */
export function isVoid({ state, items }) {
  return state === 'cancelled' || state === 'expired' || (state === 'confirmed' && Object.keys(items).length === 0);
}

/** Whether the institution has yet to print tickets of the order. */
export function isCollected(order) {
  return Object.values(order.items).some((item) => isToPrint(order, item));
}

/** Whether the institution has yet to print the ticket of an item: until then its code opens no door. */
const isToPrint = ({ ticketDelivery }, { ticketStatus }) =>
  ticketStatus === null ? ticketDelivery === 'print' : ticketStatus === 'not_printed';

/** The type as which one speaks of an order. */
export function orderType({ items }) {
  return typeOf(Object.values(items));
}

/** What an order in its state means for the visitor. */
export function orderText(order) {
  const time = order.expiresAt && until(order.expiresAt);
  return t(`order_${textState(order)}_text`, { type: orderType(order), name: shop.name, time });
}

const textState = (order) => {
  const { state, paid, payment } = order;
  if (state === 'confirmed' && isVoid(order)) return 'returned';
  if (state === 'confirmed' && isCollected(order)) return 'collected';
  if (state === 'expired' && paid > 0) return 'late';
  return state === 'payment_pending' && payment?.method === 'external' ? 'external' : state;
};

/** The money of an order that goes back, or is more than it costs. */
export function moneyLines({ refunded, credit, currency }) {
  return [
    refunded > 0 && h('p', {}, t('moneyBack', { amount: money(refunded, currency) })),
    credit > 0 && h('p', {}, t('moneyThere', { amount: money(credit, currency) })),
  ];
}

/** The tickets of an order, whose items are grouped {@link byPerformance}. */
export function orderTickets(order, groups) {
  return h(
    'ul',
    { class: 'tickets' },
    groups.flatMap((group) =>
      group.items.map((item) =>
        ticketCard({
          product: group.product,
          title: nameOf(group),
          when: whenAndWhere(item),
          type: item.productType,
          category: categoryOf(group, item)?.name,
          place: placeName(item.place),
          tariff: item.tariff,
          price: item.amount,
          composition: itemComposition(item, order.currency),
          currency: order.currency,
          holder: holderOf(item),
          barcode: isToPrint(order, item) ? null : item.barcode,
          code: item.ticketId,
          // Somebody is inside with the ticket that it was to replace.
          isVoid: isVoid(order) || item.ticketStatus === 'cancelled',
          isCollected: isToPrint(order, item),
        }),
      ),
    ),
  );
}

/** Whether codes of tickets are still to come, which the service of tickets makes after the purchase. */
export function lacksCodes(order) {
  return (
    order.state === 'confirmed' && !isCollected(order) && Object.values(order.items).some(({ barcode }) => !barcode)
  );
}

/** The number for people, and what the order costs. */
export function orderLine(order) {
  const { number, total, currency } = order;
  return h(
    'details',
    { class: 'order-line' },
    h('summary', { class: 'small' }, `${t('orderNumber')} ${number} · ${t('total')} ${money(total, currency)}`),
    totalComposition(order),
  );
}

const REVOKE_MS = 60_000;

const EXTENSIONS = { 'application/pdf': 'pdf', 'image/svg+xml': 'svg' };

/** The buttons that save the tickets and the dates of an order; none before its confirmation and after its end. */
export function keepButtons(order, groups, loadDocument) {
  if (isVoid(order) || order.state !== 'confirmed') return undefined;
  const all = h(
    'button',
    { type: 'button', class: 'button button-quiet' },
    t('downloadTickets', { type: orderType(order) }),
  );
  all.addEventListener('click', () =>
    act(all, async () => {
      const { contentType, base64 } = await loadDocument();
      save(`${order.number}.${EXTENSIONS[contentType] ?? 'pdf'}`, contentType, bytesOf(base64));
    }),
  );
  const evenings = groups.filter(({ items: [{ productType }] }) => isShow(productType));
  const dates = () => {
    const sequence = sequenceAt(order, Date.parse(order.updatedAt));
    const its = { writtenAt: Date.now(), organiser: shop.organiser, sequence };
    save(`${order.number}.ics`, calendarType(), calendarOf(eventsOf(order, evenings), its));
  };
  return h(
    'p',
    { class: 'buttons keep-buttons' },
    !isCollected(order) && !lacksCodes(order) && all,
    evenings.length > 0 &&
      h('button', { type: 'button', class: 'button button-quiet', onclick: dates }, t('addToCalendar')),
  );
}

/** Saves a file as a download does. */
const save = (name, type, content) => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = h('a', { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS);
};

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** The shows of an order as events of a calendar; places and number are in the description. */
const eventsOf = (order, groups) =>
  groups.map((group) => {
    const [{ performanceId, startDate, venue }] = group.items;
    const places = group.items.map((item) => {
      const category = categoryOf(group, item)?.name ?? item.seatCategory;
      return [category, placeName(item.place)].filter(Boolean).join(', ');
    });
    const { name, city } = group.performance?.venue ?? venue ?? {};
    return {
      uid: eventUid(order.id, performanceId, shop.serviceHost),
      startDate: group.performance?.startDate ?? startDate,
      durationMinutes: group.performance?.durationMinutes ?? null,
      summary: nameOf(group),
      location: [name, city].filter(Boolean).join(', '),
      description: [...places, `${t('orderNumber')} ${order.number}`].join('\n'),
    };
  });

/** The link to the order with a button that copies it: a known `url`, or one to `make`, `atOnce` or by a button. */
export function linkBox({ type, url, make, atOnce = false }) {
  const place = h('div', {}, url && shownLink(type, url));
  if (make) {
    const button = h('button', { type: 'button', class: 'button button-quiet' }, t('makeLink'));
    const show = async () => place.replaceChildren(shownLink(type, await make()));
    button.addEventListener('click', () => act(button, show));
    place.append(button);
    // Without an answer the button stays, which tries again.
    if (atOnce) show().catch(() => undefined);
  }
  return h(
    'section',
    { class: 'keep', 'aria-labelledby': 'keep-title' },
    h('h2', { id: 'keep-title' }, t('linkTitle', { type })),
    h('p', { class: 'small' }, t('linkText', { type })),
    url && h('p', { class: 'small' }, t('linkNotHere')),
    place,
  );
}

const shownLink = (type, url) => {
  const field = h('input', {
    type: 'text',
    class: 'keep-link',
    readonly: true,
    'aria-label': t('linkLabel', { type }),
    value: url,
  });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url);
      announce(t('linkCopied'));
      button.textContent = t('linkCopied');
    } catch {
      // Not allowed, or not a secure context: the visitor copies it.
      field.select();
      announce(t('linkSelected'));
    }
  };
  const button = h('button', { type: 'button', class: 'button', onclick: copy }, t('copyLink'));
  return h('div', { class: 'keep-row' }, field, button);
};
