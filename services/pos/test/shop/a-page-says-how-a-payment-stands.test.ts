import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { drawingDocument } from '../../src/shop/drawing.ts';
import { createFakeDocument, type FakeElement, importShopModule, usePlatform } from './fixture.ts';

const HOUR_MS = 3_600_000;
const inAnHour = new Date(Date.now() + HOUR_MS).toISOString();
const page = createFakeDocument();
const kept = new Map<string, string>();
const left: string[] = [];
/** What the API answers, by its call. */
const answers = new Map<string, object | number>();
const asked: { readonly call: string; readonly link: string | undefined; readonly body: object | undefined }[] = [];

const location = { origin: 'https://shop.test', hash: '', assign: (address: string) => void left.push(address) };
const outside = {};
/** The addresses that have taken the place of the present one. */
const replaced: string[] = [];
/** Pages that have left the frame for the whole window. */
const whole: string[] = [];
const window: { dispatchEvent: () => void; open: (address: string, target: string) => void; top?: object } = {
  dispatchEvent: () => undefined,
  open: (address, target) => void whole.push(`${address} ${target}`),
};

usePlatform({
  document: page,
  location,
  history: {
    pushState: () => undefined,
    replaceState: (_state: unknown, _title: string, address: string) => void replaced.push(address),
  },
  window,
  sessionStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  },
  fetch: async (address: URL, init: { method: string; headers: Record<string, string>; body?: string }) => {
    const call = `${init.method} ${new URL(address).pathname.replace('/tnwr/vexp/', '')}`;
    asked.push({ call, link: init.headers['X-Order-Link'], body: init.body ? JSON.parse(init.body) : undefined });
    const given = answers.get(call) ?? 404;
    return typeof given === 'number'
      ? Response.json({ success: false, errorCode: given === 401 ? 'session_invalid' : 'not_found' }, { status: given })
      : Response.json({ success: true, data: given });
  },
});

const ITEM = {
  ...{ id: 'itm_1', productId: 'prd_1', performanceId: 'prf_1', seatCategoryId: 'cat_1', amount: 4_500 },
  ...{ productType: 'show', productName: 'The play', ticketStatus: null, barcode: null },
  ...{ base: 4_500, components: [] },
};
const PLAIN = { fees: [], taxes: [], codes: [] };
const payment = { method: 'stripe', state: 'pending', url: 'https://pay.example/cs_1', expiresAt: inAnHour };
const orderOf = (more: object) => ({
  ...{ id: 'ord_1', number: 'abc', state: 'payment_pending', total: 4_500, currency: 'CHF', ticketDelivery: 'print' },
  ...{ items: { itm_1: ITEM }, expiresAt: inAnHour, paid: 0, refunded: 0, credit: 0, payment },
  ...{ formerLines: [], change: null, changes: {} },
  ...PLAIN,
  ...more,
});

type Shown = Promise<{ readonly node: FakeElement; leave?: () => void }>;
// biome-ignore lint/suspicious/noExplicitAny: the browser's code has no types
const modules: Record<string, any> = {};

const speak = async (language: string): Promise<void> => {
  modules.frame.useShop({
    ...{ serviceHost: 'tickets.example', name: 'Opera', language, texts: language, region: 'CH', exponents: {} },
    ...{ sendsMails: true, isDemo: false, paymentMethods: ['stripe'], currency: 'CHF' },
  });
  modules.texts.useTexts((await importShopModule(`texts/${language}.js`))[language]);
};

beforeAll(async () => {
  for (const name of ['dom', 'frame', 'paying', 'state', 'texts/index', 'pages/order', 'pages/checkout'])
    modules[name.split('/')[name.startsWith('texts') ? 0 : 1] ?? name] = await importShopModule(`${name}.js`);
  modules.dom.drawWith(page);
});
afterAll(() => modules.dom.drawWith(drawingDocument));
beforeEach(async () => {
  for (const list of [answers, kept]) list.clear();
  asked.length = 0;
  left.length = 0;
  whole.length = 0;
  window.top = window;
  await speak('en');
});

/** The words of the page of an order, which is then left. */
const wordsOf = async (order: object): Promise<string> => {
  answers.set('GET orders/ord_1', order);
  const { node, leave } = await (modules.order.orderPage(['ord_1'], new URLSearchParams(), {}) as Shown);
  leave?.();
  return node.textContent;
};

test('a ticket that was cancelled although its item is sold shows no code', async () => {
  const item = { ...ITEM, ticketId: 'tic_1', barcode: 'a code', ticketDelivery: 'electronic' };
  for (const ticketStatus of ['printed', 'cancelled']) {
    const order = orderOf({ state: 'confirmed', payment: null, items: { itm_1: { ...item, ticketStatus } } });
    expect((await wordsOf(order)).includes('No longer valid')).toBe(ticketStatus === 'cancelled');
  }
});

const find = (node: FakeElement, words: string): FakeElement => {
  const found = node.all().findLast((one) => one.textContent === words);
  if (!found) throw new Error(`there is no element with the words ${words}`);
  return found;
};

describe.each([
  ['en', 'Pay now', 'Try again', 'refunded', 'too late', 'Please pay Opera', 'nothing has been', 'it goes back'],
  [
    'de',
    'Jetzt bezahlen',
    'Nochmals versuchen',
    'erstattet',
    'zu spät',
    'bezahlen Sie bei Opera',
    'nichts belastet',
    'geht es an Sie zurück',
  ],
  [
    'fr',
    'Payer maintenant',
    'Réessayer',
    'remboursés',
    'trop tard',
    'payer Opera',
    'rien n’a été débité',
    'vous est rendu',
  ],
])('in %s the page of an order', (language, payNow, tryAgain, refunded, late, external, charged, goesBack) => {
  beforeEach(() => speak(language));

  test('offers the payment page while one can pay, and says until when', async () => {
    const words = await wordsOf(orderOf({}));
    expect(words).toContain(payNow);
    expect(words).toContain(modules.texts.until(inAnHour));
    expect(await wordsOf(orderOf({ payment: { ...payment, url: null } }))).not.toContain(payNow);
  });

  test.each(['failed', 'expired'])(
    'whose payment page has %s offers another try while its places are held',
    async (state) => {
      const open = { state: 'open', payment: { ...payment, state, url: null } };
      expect(await wordsOf(orderOf(open))).toContain(tryAgain);
      const over = { ...open, expiresAt: new Date(Date.now() - HOUR_MS).toISOString() };
      expect(await wordsOf(orderOf(over))).not.toContain(tryAgain);
    },
  );

  test('says that money which came too late, or twice, goes back, and what is still there', async () => {
    const paid = { ...payment, state: 'captured', url: null };
    const expired = await wordsOf(orderOf({ state: 'expired', payment: paid, paid: 4_500, refunded: 4_500 }));
    expect([expired.includes(late), expired.includes(refunded), expired.includes('45')]).toEqual([true, true, true]);
    const twice = await wordsOf(orderOf({ state: 'confirmed', payment: paid, paid: 9_000, refunded: 4_500 }));
    expect([twice.includes(refunded), twice.includes(late)]).toEqual([true, false]);
    const there = modules.texts.t('moneyThere', { amount: modules.texts.money(4_500, 'CHF') });
    expect(await wordsOf(orderOf({ state: 'cancelled', payment: paid, paid: 4_500, credit: 4_500 }))).toContain(there);
    for (const state of ['confirmed', 'expired', 'cancelled'])
      expect(await wordsOf(orderOf({ state, payment: null }))).not.toMatch(new RegExp(`${refunded}|${late}`));
  });

  test('says of a refund that has failed that the money is still there, and not that it goes back', async () => {
    const failed = {
      state: 'cancelled',
      payment: { ...payment, state: 'captured', url: null },
      paid: 4_500,
      credit: 4_500,
    };
    const words = await wordsOf(orderOf(failed));
    expect(words).toContain(modules.texts.t('moneyThere', { amount: modules.texts.money(4_500, 'CHF') }));
    expect(words).not.toContain(refunded);
  });

  test('asks no provider about a payment that staff have recorded, whatever its method is called', async () => {
    for (const method of ['transfer', 'stripe']) {
      const words = await wordsOf(orderOf({ payment: { method, state: 'pending', url: null, expiresAt: null } }));
      expect(words).toContain(modules.texts.t('order_payment_pending_text', { type: 'show' }));
      expect(words).not.toMatch(new RegExp(`${payNow}|${tryAgain}`));
    }
  });

  test('says how the house is paid where that is outside of the shop, and until when', async () => {
    const words = await wordsOf(orderOf({ payment: { ...payment, method: 'external', url: null, expiresAt: null } }));
    expect(words).toContain(external);
    expect(words).toContain(modules.texts.until(inAnHour));
    expect(await wordsOf(orderOf({ state: 'reserved', payment: null }))).toContain(modules.texts.until(inAnHour));
  });

  test('denies that money was charged only where a page closed unpaid: other money goes back', async () => {
    const wordsIn = (state: string) => wordsOf(orderOf({ state: 'open', payment: { ...payment, state, url: null } }));
    const [failed, over] = [await wordsIn('failed'), await wordsIn('expired')];
    expect([failed.includes(charged), over.includes(charged)]).toEqual([false, true]);
    expect([failed.includes(goesBack), over.includes(goesBack)]).toEqual([true, false]);
  });

  test.each(['payment_pending', 'open', 'reserved', 'confirmed', 'expired', 'cancelled'])(
    'leaves no gap in a text, %s',
    async (state) => {
      for (const how of ['pending', 'captured', 'failed', 'expired'])
        for (const url of [payment.url, null])
          expect(
            await wordsOf(orderOf({ state, payment: { ...payment, state: how, url }, refunded: 1, credit: 1 })),
          ).not.toMatch(/[{}]|undefined|null|order_/);
    },
  );
});

describe('who comes back without the session', () => {
  const token = 't'.repeat(43);
  const comeBack = async (query = ''): Promise<string> => {
    const { node, leave } = await (modules.order.orderPage(['ord_1'], new URLSearchParams(query), {}) as Shown);
    leave?.();
    return node.textContent;
  };

  test.each([401, 404])('sees the order by the link that the tab has kept (%d)', async (status) => {
    answers.set('GET orders/ord_1', status).set('GET order-links/current/order', orderOf({}));
    modules.state.keepLink('ord_1', `https://shop.test/shop/tickets.example/ticket-link#${token}`);
    expect(await comeBack()).toContain('Pay now');
    expect(asked.at(-1)).toMatchObject({ call: 'GET products/prd_1' });
    expect(asked.find(({ call }) => call.includes('order-links'))?.link).toBe(token);
  });

  test.each([
    ['without a session', 401, ''],
    ['with the session of another browser, from the payment page', 404, 'new=1'],
  ])('sees without one that a payment counts, and where its confirmation comes, %s', async (_with, status, query) => {
    answers.set('GET orders/ord_1', status);
    modules.state.keepLink('ord_2', `https://shop.test/shop/tickets.example/ticket-link#${token}`);
    const words = await comeBack(query);
    expect(words).toMatch(/cannot be shown here.*does not know your order. If you have paid, that counts/);
    expect(words).not.toContain('Your session has ended');
  });

  test('sees otherwise that an order of somebody else does not exist', async () => {
    answers.set('GET orders/ord_1', 404);
    await expect(comeBack()).rejects.toMatchObject({ status: 404 });
  });

  test('has no link left after a logout', async () => {
    modules.state.keepLink('ord_1', `https://shop.test/shop/tickets.example/ticket-link#${token}`);
    await modules.state.logOut();
    expect(modules.state.keptLink('ord_1')).toBeUndefined();
  });
});

describe('the way to the payment page', () => {
  const url = `https://shop.test/shop/tickets.example/ticket-link#${'t'.repeat(43)}`;

  test('keeps a link to the order and leaves the shop', async () => {
    answers.set('POST orders/ord_1/links', { url });
    await modules.paying.goToOrder(orderOf({}));
    expect([left, modules.state.keptLink('ord_1')]).toEqual([[payment.url], url]);
  });

  test('is left to the page of the order, in the whole window and its language, in a frame, and where there is nothing to pay', async () => {
    await modules.paying.goToOrder(orderOf({ payment: null }));
    window.top = outside;
    await modules.paying.goToOrder(orderOf({}));
    expect([left, whole]).toEqual([[], ['/shop/tickets.example/order/ord_1?new=1&lang=en _top']]);
  });

  test('is taken again by another try, by whoever has the link, too', async () => {
    const failed = orderOf({ state: 'open', payment: { ...payment, state: 'failed', url: null } });
    answers.set('GET order-links/current/order', failed).set('POST orders/ord_1/payments', orderOf({}));
    kept.set('boxoffice.order-link.tickets.example', 't'.repeat(43));
    const { node, leave } = await (modules.order.ticketLinkPage([], undefined, {}) as Shown);
    await find(node, 'Try again').press();
    leave?.();
    expect(asked.find(({ call }) => call.startsWith('POST'))).toMatchObject({
      ...{ link: 't'.repeat(43), body: { paymentMethod: 'stripe' } },
    });
    expect([left, modules.state.keptLink('ord_1')]).toEqual([[payment.url], url]);
  });
});

describe('an address of an earlier release', () => {
  const follow = (hash: string, top: object): void => {
    for (const list of [whole, replaced]) list.length = 0;
    Object.assign(location, { hash });
    window.top = top;
    modules.frame.replaceOldAddress();
    location.hash = '';
  };

  test('leads to its page', () => {
    follow('#/account', window);
    expect([replaced, whole]).toEqual([['/shop/tickets.example/account'], []]);
    follow('#/show/prd_1', outside);
    expect([replaced, whole]).toEqual([['/shop/tickets.example/show/prd_1'], []]);
    follow('#account', window);
    expect([replaced, whole]).toEqual([[], []]);
  });

  test.each(['account', 'order/ord_1', 'ticket-link', 'lost-link', './account', 'show/../account'])(
    'of what is never in a frame leads out of it, %s',
    (path) => {
      follow(`#/${path}`, outside);
      expect([replaced, whole]).toEqual([[], [`/shop/tickets.example/${path}?lang=en _top`]]);
    },
  );
});

describe('the checkout', () => {
  const cart = { ...PLAIN, id: 'ord_1', items: { itm_1: ITEM }, total: 4_500, currency: 'CHF', expiresAt: inAnHour };
  const wordsAt = async (paymentMethods: string[], total = 4_500): Promise<string> => {
    page.cookie = 'boxoffice.session.tickets.example=token';
    answers.set('GET shopping-cart', { ...cart, total });
    modules.frame.useShop({ paymentMethods });
    const { node } = await (modules.checkout.checkoutPage([], undefined, { redraw: () => undefined }) as Shown);
    page.cookie = '';
    return node.textContent;
  };

  test.each([
    [['stripe'], 'Card or wallet', 'on the payment page'],
    [['external'], 'You pay Opera yourself', 'Order for'],
    [['external', 'stripe'], 'Directly to the organiser', 'on the payment page'],
    [['on_account'], 'buys on account. Please log in first', 'buys on account'],
    [[], 'takes no orders here', 'takes no orders here'],
    [['simulated'], 'No money is taken', 'Pay CHF'],
  ])('with %j offers what the point of sale has', async (methods, how, button) => {
    const words = await wordsAt(methods);
    expect(words).toContain(how);
    expect(words).toContain(button);
    expect(/demonstration|No money is taken/i.test(words)).toBe(methods.includes('simulated'));
  });

  test('of nothing asks for no method', async () => {
    const words = await wordsAt(['stripe', 'external'], 0);
    expect(words).toContain('There is nothing to pay.');
    expect(words).not.toContain('Card or wallet');
  });

  test('asks for the terms where the point of sale does, in words that lead to them', async () => {
    modules.frame.useShop({ requireTerms: true, links: { terms: 'https://www.opera.example/terms' } });
    page.cookie = 'boxoffice.session.tickets.example=token';
    answers.set('GET shopping-cart', { ...cart, total: 4_500 });
    const { node } = await (modules.checkout.checkoutPage([], undefined, { redraw: () => undefined }) as Shown);
    page.cookie = '';
    const boxes = node.all().filter((one) => one.getAttribute('type') === 'checkbox');
    const link = node.all().find((one) => one.getAttribute('href') === 'https://www.opera.example/terms');
    expect([boxes.length, link?.textContent, link?.getAttribute('target')]).toEqual([1, 'Terms of sale', '_blank']);
    expect(node.textContent).toContain('I accept the terms of Opera.');
    modules.frame.useShop({ requireTerms: false, links: null });
    expect(await wordsAt(['external'])).not.toContain('I accept');
  });

  test('offers an account to contacts with one, after the payment page', () => {
    modules.frame.useShop({ paymentMethods: ['on_account', 'external', 'stripe', 'simulated'] });
    expect(modules.paying.methodsFor({ criteria: ['account'] })).toEqual([
      'stripe',
      'simulated',
      'external',
      'on_account',
    ]);
    for (const contact of [null, { criteria: [] }])
      expect(modules.paying.methodsFor(contact)).toEqual(['stripe', 'simulated', 'external']);
  });
});
