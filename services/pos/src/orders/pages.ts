import { PosFault } from '@boxoffice/envelope';
import type { Order, Orders, Outcome } from '../clients/orders.ts';
import type { Page, Payments } from '../clients/payments.ts';
import type { Visit } from '../request/visit.ts';
import { deriveId } from '../store.ts';
import type { Provider } from './buyer.ts';

interface WithPayments {
  readonly payments: Payments | undefined;
}

/** A request whose pages are over gets further ones; so many in a row. */
const MOST_PAGES = 5;

/** Nothing was stored about a request that is refused so, and it may be repeated under its key. */
const LATER = { headers: { 'Retry-After': '5' } };

export type ProviderPage = Page & { readonly provider: Provider };

interface Paying {
  readonly provider: Provider;
  /** Of the order, or of a change of it. */
  readonly amount: number;
  readonly requestId: string;
  /** Where the buyer comes back to; undefined: to the page of the order in the shop. */
  readonly returnUrl: string | undefined;
  readonly email: string | undefined;
  /** Another try: pages of the order that are open are closed first. */
  readonly replaces?: true;
}

/**
 * The page on which this amount can be paid; a repeat has the same one. Undefined if nothing more can be paid: another
 * page was. @throws {PosFault} payment_amount_too_small, payment_unavailable
 */
export async function openPage(
  { payments }: WithPayments,
  { pointOfSale: { institution, serviceHost }, language, address }: Visit,
  { id: orderId, number, currency }: Order,
  { requestId: first, returnUrl, ...paying }: Paying,
): Promise<ProviderPage | undefined> {
  const comesBackTo = returnUrl ?? `${new URL(address).origin}/shop/${serviceHost}/order/${orderId}?new=1`;
  const order = { orderId, pointOfSale: serviceHost, number, currency, returnUrl: comesBackTo };
  const asked = { ...order, ...paying, ...(language !== '' && { language }) };
  let requestId = first;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const opened = await payments?.open(institution, { ...asked, requestId }).catch(() => undefined);
    if (opened?.page) return { ...opened.page, provider: paying.provider };
    if (opened?.outcome === 'amount_too_small')
      throw new PosFault('payment_amount_too_small', 'The amount is below the minimum of the payment provider.');
    if (opened?.outcome !== 'payable_no_more')
      throw new PosFault('payment_unavailable', 'The payment provider opens no page for this order now.', LATER);
    requestId = deriveId('again', requestId);
  }
  return undefined;
}

/** Closes the page of a refused request, unless the order, or a change of it, is being paid on it by another one. */
export async function closeRefusedPage(
  { payments }: WithPayments,
  institution: string,
  { outcome, order }: Outcome,
  page: Page | undefined,
): Promise<void> {
  if (!page || outcome === 'done' || !order || listPayments(order).some(({ id }) => id === page.paymentId)) return;
  // Payments closes what no order wants by itself, later.
  await payments?.close(institution, page.paymentId).catch(() => undefined);
}

/**
 * The order once the provider has been asked about its pending payment, or that of its pending change: as it is while
 * there is no answer.
 */
export async function readSettledOrder(
  { payments, orders }: WithPayments & { readonly orders: Pick<Orders, 'get'> },
  institution: string,
  order: Order,
): Promise<Order> {
  const known = listPayments(order);
  const pending = known.filter(({ provider, state }) => provider !== null && state === 'pending');
  if (pending.length === 0) return order;
  const looked = await payments?.look(institution, order.id).catch(() => undefined);
  const isOther = looked?.payments.some(({ paymentId, state }) =>
    state === 'captured'
      ? known.find(({ id }) => id === paymentId)?.state !== state
      : state !== 'pending' && pending.some(({ id }) => id === paymentId),
  );
  const settled = isOther ? await orders.get(institution, order.id) : undefined;
  if (settled) return settled;
  // Completed, and not decided yet: it cannot be paid there any more.
  const over = looked?.payments.flatMap(({ paymentId, url }) => (url === null ? paymentId : [])) ?? [];
  const close = (payment: Order['payment']) =>
    payment && pending.includes(payment) && over.includes(payment.id) ? { ...payment, url: null } : payment;
  const changes = order.changes.map((change) => ({ ...change, payment: close(change.payment) }));
  return { ...order, payment: close(order.payment), changes };
}

const listPayments = ({ payment, changes }: Order) =>
  [payment, ...changes.map((change) => change.payment)].filter((one) => one !== null);

/**
 * Of an address (RFC 3986) whose host is written out, so that every reader finds the same one in it, and a provider
 * replaces nothing.
 */
const ADDRESS = /^https?:\/\/[\w\-.:[\]]+(?:[/?#][\w\-.~:/?#[\]@!$&'()*+,;=%]*)?$/i;

/** @throws {PosFault} invalid_return_url unless it is below an origin of the point of sale or of this installation */
export function requireReturnUrl({ pointOfSale, address }: Visit, given: string | undefined): void {
  if (given === undefined) return;
  const admitted = [address, ...pointOfSale.returnUrls].map((one) => new URL(one).origin);
  if (ADDRESS.test(given) && URL.canParse(given) && admitted.includes(new URL(given).origin)) return;
  throw new PosFault(
    'invalid_return_url',
    '$.returnUrl must be an address below an origin of returnUrls of the point of sale, or of this installation.',
  );
}
