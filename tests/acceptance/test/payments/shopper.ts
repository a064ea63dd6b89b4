// A buyer and his house: what they can do with one order, in whatever sequence.

import type { Disturb } from '@boxoffice/payments';
import { createErrorResponse } from '@boxoffice/payments';
import { createId } from '@boxoffice/runtime';
import { type Answer, HOST, type House, PRICE } from './house.ts';

export interface Page {
  readonly paymentId: string;
  readonly reference: string;
}

interface Opened {
  readonly outcome: string;
  readonly page: Page | null;
}

interface Shown {
  readonly outcome: string;
  readonly reason: string | null;
  readonly order: { readonly id: string; readonly state: string; readonly number: string } | null;
}

export interface Shopper {
  readonly orderId: string;
  /** The sessions that he has seen a page of. */
  readonly sessions: string[];
  /** Puts a ticket into the cart and buys it on the page of the provider. */
  buy(): Promise<Answer<Shown> | undefined>;
  /** Opens another page of the order, in the place of the one before, or beside it. */
  openAnother(replaces: boolean): Promise<Answer<Shown> | undefined>;
  /** Comes back to the shop. */
  look(): Promise<void>;
  cancel(): Promise<Answer<Shown>>;
  /** The house cancels, takes money at its desk, or gives some back. */
  cancelAsHouse(): Promise<number>;
  payAtDesk(amount: number, overpaid?: boolean): Promise<number>;
  refund(amount: number): Promise<Answer<{ readonly id: string; readonly state: string }>>;
}

export function createShopper(house: House): Shopper {
  const orderId = createId('ord', house.clock.now);
  const sessions: string[] = [];
  /** Repeated, with the request's own id, where a busy machine is too slow for it. */
  const shop = async <Data>(path: string, operation: string, body: object): Promise<Answer<Data>> => {
    const send = () =>
      house.call<Data>('orders', 'POST', `/internal/shop/orders${path}`, { operation, body, service: 'pos' });
    let answer = await send();
    for (let time = 0; time < 5 && answer.status === 503; time += 1) answer = await send();
    return answer;
  };
  const api = <Data>(path: string, operation: string, body: object): Promise<Answer<Data>> =>
    house.call<Data>('orders', 'POST', `/svc/v3/orders/${orderId}${path}`, { operation, body });
  const newRequest = (): string => createId('req', house.clock.now);

  /** As the point of sale does: a page that orders does not take is closed. */
  const openPage = async (
    replaces: boolean,
    take: (requestId: string, page: Page) => Promise<Answer<Shown>>,
  ): Promise<Answer<Shown> | undefined> => {
    const requestId = newRequest();
    const order = await house.orderOf(orderId);
    const open = () =>
      house.call<Opened | null>('payments', 'POST', '/internal/pages', {
        operation: 'openPage',
        service: 'pos',
        body: {
          ...{ orderId, requestId, provider: 'stripe', pointOfSale: HOST, amount: PRICE, currency: 'CHF' },
          ...{ number: order?.shortNumber ?? 'none', email: 'ada@example.org', language: 'en' },
          ...{ returnUrl: 'https://shop.example/back', ...(replaces && { replaces: true }) },
        },
      });
    let { data } = await open();
    // A busy machine is too slow for it, as for the shop's requests.
    for (let time = 0; time < 5 && data?.outcome === 'unavailable' && !house.isDisturbed(); time += 1)
      ({ data } = await open());
    if (!data?.page) return undefined;
    sessions.push(data.page.reference);
    const answer = await take(requestId, data.page);
    if (answer.data?.outcome !== 'done')
      await house.call('payments', 'POST', `/internal/pages/${data.page.paymentId}/closing`, {
        operation: 'closePage',
        service: 'pos',
      });
    return answer;
  };

  return {
    orderId,
    sessions,
    async buy() {
      await shop('/items', 'addCartItems', {
        ...{ orderId, requestId: newRequest(), pointOfSale: HOST, address: '192.0.2.1' },
        items: [{ ...house.item, quantity: 1 }],
      });
      const guest = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' };
      return openPage(false, (requestId, page) =>
        shop(`/${orderId}/checkout`, 'checkoutCart', { requestId, guest, paymentMethod: 'stripe', page }),
      );
    },
    openAnother: (replaces) =>
      openPage(replaces, (requestId, page) => shop(`/${orderId}/payments`, 'addShopPayment', { requestId, page })),
    async look() {
      await house.call('payments', 'POST', `/internal/orders/${orderId}/look`, {
        operation: 'lookAtOrder',
        service: 'pos',
      });
    },
    cancel: () => shop(`/${orderId}/cancellation`, 'cancelShopOrder', { requestId: newRequest() }),
    cancelAsHouse: async () => (await api('/cancellation', 'cancelOrder', { reason: 'ill singer' })).status,
    payAtDesk: async (amount, overpaid = false) =>
      (await api('/payments', 'addPayment', { method: 'cash', amount, status: 'captured', overpaid })).status,
    refund: (amount) => api('/refunds', 'refundOrder', { provider: 'stripe', amount }),
  };
}

export const TROUBLES = ['away', 'lost', 'busy', 'broken', 'broken after effect', 'refuses keys'] as const;

/** What a provider does to the next requests. */
export function createTrouble(trouble: (typeof TROUBLES)[number], times: number): Disturb {
  let left = times;
  return async (_request, execute) => {
    left -= 1;
    if (left < 0) return execute();
    if (trouble === 'busy') return createErrorResponse(429, 'Too many requests.', { code: 'rate_limit' });
    if (trouble === 'refuses keys') return createErrorResponse(401, 'Expired API Key provided.');
    if (trouble === 'broken') return execute('fails');
    if (trouble === 'broken after effect') return execute('fails_after_effect');
    if (trouble === 'lost') await execute();
    throw new TypeError('fetch failed');
  };
}
