import { h } from '../dom.js';
import { money, t, typeOf } from '../texts/index.js';
import { holderOf, placeName, ticketCard } from '../ticket.js';
import { categoryOf, nameOf, whenAndWhere } from './cart.js';

/** The states in which an order may change without an action of the visitor. */
export const WAITING = ['payment_pending', 'open', 'reserved'];

/** Whether the order has ended without valid tickets. */
export const isVoid = ({ state }) => state === 'cancelled' || state === 'expired';

/** Whether the institution has yet to print the ticket of an item: until then its code opens no door. */
const isToPrint = ({ ticketDelivery }, { ticketStatus }) =>
  ticketStatus === null ? ticketDelivery === 'print' : ticketStatus === 'not_printed';

/** Whether the institution has yet to print tickets of the order. */
export const isCollected = (order) => Object.values(order.items).some((item) => isToPrint(order, item));

/** The type as which one speaks of an order. */
export const orderType = ({ items }) => typeOf(Object.values(items));

/** What an order in its state means for the visitor. */
export const orderText = (order) => {
  const state = order.state === 'confirmed' && isCollected(order) ? 'collected' : order.state;
  return t(`order_${state}_text`, { type: orderType(order) });
};

/** The tickets of an order, whose items are grouped {@link byPerformance}. */
export const orderTickets = (order, groups) =>
  h(
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
          currency: order.currency,
          holder: holderOf(item),
          barcode: isToPrint(order, item) ? null : item.barcode,
          code: item.ticketId,
          isVoid: isVoid(order),
          isCollected: isToPrint(order, item),
        }),
      ),
    ),
  );

/** Whether codes of tickets are still to come, which the service of tickets makes after the purchase. */
export const lacksCodes = (order) =>
  order.state === 'confirmed' && !isCollected(order) && Object.values(order.items).some(({ barcode }) => !barcode);

/** The number for people, and what the order costs. */
export const orderLine = ({ number, total, currency }) =>
  h('p', { class: 'small order-line' }, `${t('orderNumber')} ${number} · ${t('total')} ${money(total, currency)}`);
