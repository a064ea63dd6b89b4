import { randomUUID } from 'node:crypto';
import { sendEightAtOnce, useFixture } from '@boxoffice/service/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Call, type Fixture, openFixture, PUBLIC_URL } from '../fixture/fixture.ts';
import {
  createGuestCheckout,
  createLinkRequests,
  createShopper,
  createUserCheckout,
  type Shown,
} from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const { fill, cart } = createShopper(fixture);
const links = createLinkRequests(fixture);

interface Payment {
  readonly method: string;
  readonly state: string;
  readonly url: string | null;
  readonly expiresAt: string | null;
}
interface Paying extends Shown {
  readonly payment: Payment | null;
  readonly paid: number;
  readonly refunded: number;
  readonly credit: number;
}

const CARD = { paymentMethod: 'stripe' } as const;
const cardGuest = (more: object = {}) => createGuestCheckout({ ...CARD, ...more });

const send = (method: string, path: string, call: Call) =>
  fixture.call<Paying>(method, path, { version: 'vexp', ...call });
const buy = (token: string, body: object = cardGuest(), key?: string, call: Call = {}) =>
  send('POST', '/orders', { token, body, ...call, headers: key === undefined ? {} : { 'idempotency-key': key } });
const order = (token: string, id: string) => send('GET', `/orders/${id}`, { token });
const pay = (id: string, token: string | undefined, body: object = CARD, key?: string, more: object = {}) =>
  send('POST', `/orders/${id}/payments`, {
    ...(token === undefined ? {} : { token }),
    body,
    headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...more },
  });

const bodiesOf = (operation: string) =>
  fixture.payments.calls
    .filter((call) => call.operation === operation)
    .map(({ body }) => body as Record<string, unknown>);
const openedFor = (orderId: string) => bodiesOf('openPage').filter((body) => body.orderId === orderId);

/** A visitor whose order waits for its payment. */
const waiting = async (more: object = {}) => {
  const { token, cartId: id } = await fill();
  const { data, text } = await buy(token, cardGuest(more));
  if (!data?.payment) throw new Error(text);
  return { token, id, payment: data.payment };
};

beforeEach(() => {
  fixture.payments.mishaps.clear();
  fixture.orders.mishaps.clear();
});

describe('a checkout by a provider', () => {
  test('answers the order that waits for its payment, and where it is paid; the cart is empty', async () => {
    const { token, cartId } = await fill();
    const { status, headers, data } = await buy(token);
    expect([status, headers.get('location')]).toEqual([201, `/tnwr/vexp/orders/${cartId}`]);
    expect(data).toMatchObject({ id: cartId, state: 'payment_pending', paid: 0, refunded: 0, credit: 0 });
    const [page] = fixture.payments.of(cartId);
    expect(data.payment).toEqual({ method: 'stripe', state: 'pending', url: page?.url, expiresAt: page?.expiresAt });
    expect((await cart(token)).data.id).toBeNull();
  });

  test('tells payments what the page shows, and of the buyer no more than the email', async () => {
    const { token, cartId } = await fill(undefined, { quantity: 2 });
    const body = cardGuest();
    await fixture.call('POST', '/orders?lang=de', { token, body, version: 'vexp' });
    const [asked] = openedFor(cartId);
    expect(asked).toEqual({
      ...{ orderId: cartId, requestId: expect.any(String), provider: 'stripe', amount: 9_000, currency: 'CHF' },
      ...{ pointOfSale: fixture.pointOfSale.serviceHost, number: expect.any(String), email: body.contact.email },
      ...{ language: 'de', returnUrl: expect.any(String) },
    });
  });

  test('sends the email of the contact of a login, without waiting for one that contacts does not say', async () => {
    const user = await fixture.user();
    const token = await fixture.logIn(user);
    const first = await fill(token);
    await buy(token, createUserCheckout(user, CARD));
    expect(openedFor(first.cartId)).toMatchObject([{ email: 'ana.martin@example.org' }]);
    const second = await fill(token);
    fixture.contacts.mishaps.set('getShopContact', 'fails');
    expect((await buy(token, createUserCheckout(user, CARD))).status).toBe(201);
    fixture.contacts.mishaps.clear();
    expect(openedFor(second.cartId)[0]).not.toHaveProperty('email');
  });

  test('of nothing is confirmed at once, without a page', async () => {
    const { token, cartId } = await fill();
    const stored = fixture.orders.orders.get(cartId);
    Object.assign(stored ?? {}, { total: 0, due: 0 });
    const { status, data } = await buy(token);
    expect([status, data.state, openedFor(cartId)]).toEqual([201, 'confirmed', []]);
  });

  test('is unknown to v1, whose orders are read there as before', async () => {
    const { token, cartId } = await fill();
    for (const body of [cardGuest(), createGuestCheckout({ paymentMethod: 'external', returnUrl: PUBLIC_URL })]) {
      const refused = await fixture.call('POST', '/orders', { token, body });
      expect([refused.status, refused.code]).toEqual([400, 'validation_error']);
    }
    await buy(token);
    const { data } = await fixture.call('GET', `/orders/${cartId}`, { token });
    expect(data).toMatchObject({ state: 'payment_pending', paymentMethod: 'stripe' });
    expect(data).not.toHaveProperty('payment');
  });
});

describe('a repeat', () => {
  test('with the same key answers the same page, also at the same time', async () => {
    const { token, cartId } = await fill();
    const body = cardGuest();
    expect((await sendEightAtOnce([token], (of, key) => buy(of, body, key))).status).toBe(201);
    expect(fixture.payments.of(cartId)).toHaveLength(1);
    const { token: other, cartId: id } = await fill();
    const key = randomUUID();
    const first = await buy(other, body, key);
    expect((await buy(other, body, key)).text).toBe(first.text);
    expect(fixture.payments.of(id)).toMatchObject([{ state: 'pending' }]);
  });

  test('without a key answers the same order once; two at the same time have one page', async () => {
    const { token, cartId } = await fill();
    const answers = await Promise.all([buy(token), buy(token)]);
    const [page] = fixture.payments.of(cartId);
    for (const { status, data } of answers)
      expect([status, data?.id, data?.payment?.url]).toEqual([201, cartId, page?.url]);
    expect(fixture.payments.of(cartId)).toMatchObject([{ state: 'pending' }]);
    expect((await buy(token)).code).toBe('cart_empty');
  });

  test('after its page is over, and of another amount, opens another one', async () => {
    const { token, cartId } = await fill();
    fixture.orders.refuseNext('tariff_not_accessible');
    expect((await buy(token)).code).toBe('tariff_not_accessible');
    expect(fixture.payments.of(cartId)).toMatchObject([{ state: 'expired' }]);
    await fill(token);
    const again = await buy(token);
    expect([again.status, again.data.payment?.state]).toEqual([201, 'pending']);
    expect(fixture.payments.of(cartId)).toMatchObject([
      { state: 'expired', amount: 4_500 },
      { state: 'pending', amount: 9_000 },
    ]);
  });
});

describe('a refusal leaves the cart, and no page that could be paid', () => {
  test.each([
    ['payment_amount_too_small', 'amount_too_small', null],
    ['payment_unavailable', 'unavailable', '5'],
  ] as const)('%s', async (code, outcome, retryAfter) => {
    const { token, cartId } = await fill();
    const key = randomUUID();
    const body = cardGuest();
    const checkouts = () => fixture.orders.calls.filter(({ operation }) => operation === 'checkoutCart').length;
    const before = checkouts();
    fixture.payments.refuseNext(outcome);
    const refused = await buy(token, body, key);
    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([400, code, retryAfter]);
    expect((await cart(token)).data.id).toBe(cartId);
    expect(checkouts()).toBe(before);
    // What may be over soon is no answer of the key.
    expect((await buy(token, body, key)).status).toBe(retryAfter === null ? 400 : 201);
  });

  test.each(['fails', 'lost'] as const)('payments that %s is payment_unavailable', async (mishap) => {
    const { token, cartId } = await fill();
    fixture.payments.mishaps.set('openPage', mishap);
    expect((await buy(token)).code).toBe('payment_unavailable');
    fixture.payments.mishaps.clear();
    expect((await cart(token)).data.id).toBe(cartId);
    expect((await buy(token)).status).toBe(201);
    expect(fixture.payments.of(cartId).filter(({ state }) => state === 'pending')).toHaveLength(1);
  });

  test('another amount that is due now is order_busy, and a repeat under the key pays that', async () => {
    const { token, cartId } = await fill();
    const [key, body] = [randomUUID(), cardGuest()];
    fixture.orders.refuseNext('amount_differs');
    const busy = await buy(token, body, key);
    expect([busy.code, busy.headers.get('retry-after')]).toEqual(['order_busy', '1']);
    await fill(token);
    expect((await buy(token, body, key)).data.payment?.state).toBe('pending');
    expect(fixture.payments.of(cartId).map(({ amount, state }) => [amount, state])).toEqual([
      [4_500, 'expired'],
      [9_000, 'pending'],
    ]);
  });

  test('of one of two requests never closes the page that the other one was answered with', async () => {
    const { token, cartId } = await fill();
    const [first, second] = [await buy(token, cardGuest(), 'key-1'), await buy(token, cardGuest(), 'key-2')];
    expect([first.status, second.status, second.data?.id ?? second.code]).toEqual([201, 400, 'cart_empty']);
    expect(fixture.payments.of(cartId)).toMatchObject([{ state: 'pending' }]);
  });

  test('after an unknown outcome the order is cancelled, or the repeat answers with its page', async () => {
    const { token, cartId } = await fill();
    fixture.orders.mishaps.set('checkoutCart', 'lost');
    const cancelled = await buy(token);
    fixture.orders.mishaps.clear();
    expect([cancelled.status, cancelled.body.orderCancelled]).toEqual([500, true]);
    expect(fixture.orders.orders.get(cartId)?.state).toBe('cancelled');

    const other = await fill();
    const [key, body] = [randomUUID(), cardGuest()];
    fixture.orders.mishaps.set('checkoutCart', 'lost').set('cancelAfterFault', 'fails');
    expect((await buy(other.token, body, key)).body.orderCancelled).toBe(false);
    fixture.orders.mishaps.clear();
    const again = await buy(other.token, body, key);
    const [page, ...more] = fixture.payments.of(other.cartId);
    expect([again.status, again.data.payment?.url, more]).toEqual([201, page?.url, []]);
  });
});

describe('the return address', () => {
  const SHOP = 'https://shop.opera.example';
  const at = async () => {
    const { serviceHost } = fixture.catalog.pointOfSale({ returnUrls: [SHOP, 'https://other.example:8443'] });
    const body = createShopper(fixture).itemOf();
    const added = await send('POST', '/shopping-cart/items', { host: serviceHost, body });
    return { host: serviceHost, token: String(added.token), cartId: String(added.data.id) };
  };
  const returning = async (returnUrl?: string) => {
    const { host, token, cartId } = await at();
    const { status, code } = await buy(token, cardGuest({ returnUrl }), undefined, { host });
    return { status, code, host, cartId, sent: openedFor(cartId)[0]?.returnUrl };
  };

  test.each([
    ...[`${SHOP}/thanks?a=1#b`, SHOP, `${SHOP}?a`, 'https://other.example:8443/x', `${PUBLIC_URL}/shop/`],
    ...['HTTPS://SHOP.Opera.example/x', `${SHOP}:443/x`],
  ])('%s reaches the provider unchanged', async (returnUrl) =>
    expect(await returning(returnUrl)).toMatchObject({ status: 201, sent: returnUrl }),
  );

  test('is the page of the order in the shop where none is given', async () => {
    const { host, cartId, sent } = await returning();
    expect(sent).toBe(`${PUBLIC_URL}/shop/${host}/order/${cartId}?new=1`);
  });

  test.each([
    ...['https://evil.example/', 'http://shop.opera.example/', `${SHOP}.evil.example/`, `${SHOP}:444/`, '/thanks'],
    ...[`${SHOP}@evil.example/`, `${SHOP}\\@evil.example/`, `${SHOP}\t.evil.example/`, ` ${SHOP}/`, `${SHOP}/a b`],
    ...[
      'https:shop.opera.example/',
      'https:///shop.opera.example/',
      'https://%73hop.opera.example/',
      'https://shop.opera.example@other.example:8443/',
      `${SHOP}/{CHECKOUT_SESSION_ID}`,
      'javascript:alert(1)',
      'https://other.example/',
    ],
  ])('%j is refused, and nothing is held longer', async (returnUrl) => {
    expect(await returning(returnUrl)).toMatchObject({ status: 400, code: 'invalid_return_url', sent: undefined });
    const { token, id, payment } = await waiting();
    expect((await pay(id, token, { ...CARD, returnUrl })).code).toBe('invalid_return_url');
    expect((await order(token, id)).data.payment).toEqual(payment);
  });
});

describe('who comes back', () => {
  test('sees what the provider says now', async () => {
    const { token, id, payment } = await waiting();
    expect((await order(token, id)).data).toMatchObject({ state: 'payment_pending', payment });
    fixture.payments.settle(id, 'captured');
    const { data } = await order(token, id);
    expect(data).toMatchObject({ state: 'confirmed', payment: { method: 'stripe', state: 'captured', url: null } });
    for (const { barcode } of Object.values(data.items)) expect(barcode).toMatch(/^barcode\./);
  });

  test('is not led to a page that is completed and not decided yet, as long as it waits', async () => {
    const { token, id, payment } = await waiting();
    fixture.payments.complete(id);
    expect((await order(token, id)).data).toMatchObject({
      state: 'payment_pending',
      payment: { ...payment, url: null },
    });
    const { data } = await links.read(await links.tokenOf({ id, token }));
    expect(data).toMatchObject({ payment: { state: 'pending', url: null } });
  });

  test('by a link does so, too', async () => {
    for (const read of [links.read, links.readAlone]) {
      const { token, id } = await waiting();
      const link = await links.tokenOf({ id, token });
      fixture.payments.settle(id, 'captured');
      const { data } = await read(link);
      expect(data).toMatchObject({ state: 'confirmed', payment: { state: 'captured' } });
      if (read === links.read) expect(Object.keys((data as { tickets?: object }).tickets ?? {})).toHaveLength(1);
    }
  });

  test.each(['fails', 'hangs first'] as const)('sees the order as it is while payments %s', async (mishap) => {
    const { token, id, payment } = await waiting();
    fixture.payments.settle(id, 'captured');
    fixture.payments.mishaps.set('lookAtOrder', mishap);
    expect((await order(token, id)).data).toMatchObject({ state: 'payment_pending', payment });
  });

  test('asks nobody about an order that waits for nothing', async () => {
    const { token, cartId } = await fill();
    await buy(token, createGuestCheckout({ paymentMethod: 'external' }));
    const before = bodiesOf('lookAtOrder').length;
    await order(token, cartId);
    const paid = await waiting();
    fixture.payments.settle(paid.id, 'captured');
    await order(paid.token, paid.id);
    await order(paid.token, paid.id);
    expect(bodiesOf('lookAtOrder')).toHaveLength(before + 1);
  });
});

describe('another try', () => {
  test('closes the page before it, and answers with the new one', async () => {
    const { token, id, payment } = await waiting();
    const { status, data, headers } = await pay(id, token);
    expect([status, headers.get('location'), data.state]).toEqual([201, `/tnwr/vexp/orders/${id}`, 'payment_pending']);
    expect(data.payment?.url).not.toBe(payment.url);
    expect(fixture.payments.of(id)).toMatchObject([{ state: 'expired' }, { state: 'pending', url: data.payment?.url }]);
  });

  test.each(['failed', 'expired'] as const)(
    'pays an order whose payment has %s, which then is no cart',
    async (state) => {
      const { token, id } = await waiting();
      fixture.payments.settle(id, state);
      expect((await order(token, id)).data).toMatchObject({ state: 'open', payment: { state, url: null } });
      expect((await cart(token)).data.id).toBe(id);
      expect((await pay(id, token)).data).toMatchObject({ state: 'payment_pending', payment: { state: 'pending' } });
      expect((await cart(token)).data.id).toBeNull();
    },
  );

  test('pays what is due of an order of which a part was paid otherwise', async () => {
    const { token, id } = await waiting();
    fixture.payments.settle(id, 'expired');
    const stored = fixture.orders.orders.get(id);
    Object.assign(stored ?? {}, { paid: 500, due: (stored?.total ?? 0) - 500, payable: false });
    expect((await pay(id, token)).status).toBe(201);
    expect(fixture.payments.of(id).at(-1)).toMatchObject({ state: 'pending', amount: (stored?.total ?? 0) - 500 });
  });

  test('by whoever has the link needs no session', async () => {
    const { token, id } = await waiting();
    const link = await links.tokenOf({ id, token });
    expect((await pay(id, undefined, CARD, undefined, { 'x-order-link': link })).status).toBe(201);
    const other = await waiting();
    expect((await pay(other.id, undefined, CARD, undefined, { 'x-order-link': link })).status).toBe(404);
    expect((await pay(other.id, undefined)).status).toBe(401);
    expect((await pay(other.id, (await fill()).token)).status).toBe(404);
  });

  test('repeated, with or without a key, has one page more', async () => {
    const { token, id } = await waiting();
    const key = randomUUID();
    const [first, again] = [await pay(id, token, CARD, key), await pay(id, token, CARD, key)];
    expect(again.text).toBe(first.text);
    const clicks = await Promise.all([pay(id, token), pay(id, token)]);
    expect(new Set(clicks.map(({ data }) => data?.payment?.url)).size).toBe(1);
    expect(fixture.payments.of(id)).toHaveLength(3);
  });

  test('of an order whose page was paid meanwhile, that has ended, or is not a provider’s is refused', async () => {
    const paid = await waiting();
    fixture.payments.settle(paid.id, 'captured');
    expect((await pay(paid.id, paid.token)).code).toBe('order_not_payable');
    expect((await order(paid.token, paid.id)).data.state).toBe('confirmed');
    const over = await waiting();
    fixture.orders.expire(over.id);
    expect((await pay(over.id, over.token)).code).toBe('order_not_payable');
    const { token, id } = await waiting();
    for (const paymentMethod of ['external', 'on_account', 'simulated'])
      expect((await pay(id, token, { paymentMethod })).code).toBe('payment_method_not_accepted');
    const stored = fixture.orders.orders.get(id);
    const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
    Object.assign(stored ?? {}, { checkout: { ...stored?.checkout, at } });
    expect((await pay(id, token)).code).toBe('order_not_payable');
    expect(fixture.payments.of(id)).toMatchObject([{ state: 'pending' }]);
  });

  test('that orders refuses leaves no page', async () => {
    const { token, id } = await waiting();
    for (const [reason, code] of [
      ['not_payable', 'order_not_payable'],
      ['cart_gone', 'order_not_payable'],
      ['cart_expired', 'order_not_payable'],
      ['places_gone', 'order_not_payable'],
      ['amount_differs', 'order_busy'],
    ] as const) {
      fixture.orders.refuseNext(reason);
      expect((await pay(id, token)).code).toBe(code);
    }
    expect(fixture.payments.of(id).filter(({ state }) => state === 'pending')).toEqual([]);
  });
});

test('where payments does not run, its method does not exist', async () => {
  const without: Fixture = await openFixture({ paymentsUrl: undefined });
  const call: Call = { version: 'vexp' };
  const { data } = await without.call('GET', '/point-of-sale', call);
  const { token } = await createShopper(without).fill();
  const refused = await without.call('POST', '/orders', { ...call, token, body: cardGuest() });
  await without.close();
  expect([data.paymentMethods, refused.code]).toEqual([
    ['on_account', 'external', 'simulated'],
    'payment_method_not_accepted',
  ]);
  const withIt = await fixture.call('GET', '/point-of-sale', call);
  expect(withIt.data.paymentMethods).toContain('stripe');
});
