import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { drawingDocument } from '../../src/shop/drawing.ts';
import {
  createFakeDocument,
  createWaitingRequests,
  type FakeElement,
  importShopModule,
  usePlatform,
} from './fixture.ts';

const ITEM = {
  id: 'itm_1',
  productId: 'prd_1',
  performanceId: 'prf_1',
  seatCategoryId: 'cat_1',
  amount: 4_500,
  base: 4_500,
  components: [],
};
const orderOf = (state: string) => ({
  id: 'ord_1',
  number: 'abc',
  state,
  total: 4_500,
  currency: 'CHF',
  ticketDelivery: 'print',
  ...{ fees: [], taxes: [], codes: [], formerLines: [], change: null, changes: {} },
  items: { itm_1: { ...ITEM, productType: 'show', ticketStatus: null, barcode: null } },
});
/** It is shown no more; a ticket outlasts it. */
const PRODUCT = 'GET products/prd_1';
const HOUR_MS = 3_600_000;
const SHOP = { serviceHost: 'tickets.example', name: 'Shop', language: 'en', texts: 'en', exponents: {} };

describe('while something does not load', () => {
  const [wait, stopWaiting] = [setTimeout, clearTimeout];
  const page = createFakeDocument();
  const requests = createWaitingRequests();
  /** What the page does later. */
  const polls = new Map<number, () => void>();
  let last = 0;
  type Shown = Promise<{ readonly node: FakeElement }>;
  let orderPage: (parameters: string[], query: URLSearchParams) => Shown;
  let cartPage: () => Shown;
  let state: Awaited<ReturnType<typeof importShopModule>>;

  usePlatform({
    ...requests.platform,
    document: page,
    sessionStorage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    setTimeout: (run: () => void, ms?: number) => {
      // Others than the page wait as ever.
      if (!new Error().stack?.includes('/browser/pages/order.js')) return wait(run, ms);
      last += 1;
      polls.set(-last, run);
      return -last;
    },
    clearTimeout: (timer: number) => {
      if (!polls.delete(timer)) stopWaiting(timer);
    },
  });

  beforeAll(async () => {
    (await importShopModule('dom.js')).drawWith(page);
    (await importShopModule('frame.js')).useShop(SHOP);
    (await importShopModule('texts/index.js')).useTexts((await importShopModule('texts/en.js')).en);
    state = await importShopModule('state.js');
    ({ orderPage } = await importShopModule('pages/order.js'));
    ({ cartPage } = await importShopModule('pages/cart.js'));
  });

  afterAll(async () => {
    (await importShopModule('dom.js')).drawWith(drawingDocument);
  });

  /** Answers the only request, or refuses it with a status. */
  const answer = async (call: string, given: object | 404 | 500): Promise<void> => {
    await requests.answer([call], given);
    await requests.settled();
  };

  /** Lets the page ask again, for which it must be waiting once. */
  const poll = (): void => {
    expect(polls.size).toBe(1);
    const [[timer, run]] = polls as unknown as [[number, () => void]];
    polls.delete(timer);
    run();
  };

  const enter = async (order: object, ...answers: readonly Parameters<typeof answer>[]) => {
    const entered = orderPage(['ord_1'], new URLSearchParams());
    await answer('GET orders/ord_1', order);
    for (const one of answers) await answer(...one);
    return (await entered).node;
  };

  test('the page of an order shows its new state once its product loads', async () => {
    const node = await enter(orderOf('payment_pending'), [PRODUCT, 404]);
    expect(node.textContent).toContain('Waiting for your payment');
    // The product of the page before is forgotten.
    await state.logOut();
    poll();
    await answer('GET orders/ord_1', orderOf('confirmed'));
    await answer(PRODUCT, 500);
    expect(node.textContent).toContain('Waiting for your payment');
    poll();
    await answer('GET orders/ord_1', orderOf('confirmed'));
    await answer(PRODUCT, 404);
    expect(node.textContent).toContain('Your order');
    expect(page.announcer.textContent).toBe('Your order');
    expect(polls.size).toBe(0);
  });

  test('the page of an order offers to pay again once the cart loads', async () => {
    page.cookie = 'boxoffice.session.tickets.example=token';
    const node = await enter(orderOf('open'), ['GET shopping-cart', 500], [PRODUCT, 404]);
    expect(node.textContent).not.toContain('Back to the payment');
    poll();
    await answer('GET orders/ord_1', orderOf('open'));
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    await answer('GET shopping-cart', { ...orderOf('open'), expiresAt });
    await answer(PRODUCT, 404);
    expect(node.textContent).toContain('Back to the payment');
    poll();
    await answer('GET orders/ord_1', orderOf('open'));
    expect([requests.open, polls.size]).toEqual([[], 1]);
  });

  test('the page of a cart says so, and is drawn with the next change', async () => {
    const cartOf = (...ids: readonly string[]) => ({
      ...orderOf('open'),
      items: Object.fromEntries(ids.map((id) => [id, { ...ITEM, id, productName: `The play, ${ids.length}` }])),
      expiresAt: null,
    });
    page.cookie = 'boxoffice.session.tickets.example=token';
    const entered = cartPage();
    await answer('GET shopping-cart', cartOf('itm_1', 'itm_2', 'itm_3'));
    await answer(PRODUCT, 404);
    const { node } = await entered;
    expect(node.textContent).toContain('The play, 3');
    state.cart.remove('itm_1');
    await answer('DELETE shopping-cart/items/itm_1', cartOf('itm_2', 'itm_3'));
    await answer(PRODUCT, 500);
    expect(node.textContent).toContain('The play, 3');
    expect(page.notices.textContent).not.toBe('');
    state.cart.remove('itm_2');
    await answer('DELETE shopping-cart/items/itm_2', cartOf('itm_3'));
    await answer(PRODUCT, 404);
    expect(node.textContent).toContain('The play, 1');
  });
});
