// The way to a payment page and back, with or without the session, which may end meanwhile.
import { api } from './api.js';
import { go, link, shop } from './frame.js';
import { announce } from './notices.js';
import { keepLink } from './state.js';
import { t } from './texts/index.js';

/** The methods that are no provider's, in the order in which they are offered. */
const OWN = ['simulated', 'external', 'on_account'];

/** Whether one pays on the page of a provider. */
export function isProvider(method) {
  return !OWN.includes(method);
}

/** The methods of the shop that are open to a contact (null: a guest); those on a payment page first. */
export function methodsFor(contact) {
  const open = shop.paymentMethods.filter((one) => one !== 'on_account' || contact?.criteria.includes('account'));
  return [...open.filter(isProvider), ...OWN.filter((one) => open.includes(one))];
}

/** Leads to the payment page of an order. In a frame none opens: there the page of the order has a link to it. */
export function leaveFor({ payment }) {
  announce(t('toPaymentPage'));
  if (window === window.top) location.assign(payment.url);
}

/** Shows the page of a new order, and then the payment page if there is one: one comes back to that of the order. */
export async function goToOrder(order) {
  const id = encodeURIComponent(order.id);
  const { url } = order.payment ?? {};
  if (url) await keepNewLink(order.id).catch(() => undefined);
  go(`/order/${id}?new=1`);
  if (url) leaveFor(order);
}

const keepNewLink = async (id) => keepLink(id, (await api.makeOrderLink(id)).url);

/** The address of the link to an order from its token. */
export function linkAddress(token) {
  return `${location.origin}${link('/ticket-link')}#${token}`;
}
