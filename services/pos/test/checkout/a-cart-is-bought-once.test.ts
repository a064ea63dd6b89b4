import { randomUUID } from 'node:crypto';
import { sendEightAtOnce, useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Login, openFixture } from '../fixture/fixture.ts';
import { toGuestNumber } from '../fixture/orders.ts';
import { createGuestCheckout, createShopper, createUserCheckout, PAID, type Shown } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
let user: Login;
beforeAll(async () => {
  user = await fixture.user();
});

const { fill, buy, itemOf } = createShopper(fixture);
const paidGuest = () => createGuestCheckout(PAID);

describe('a purchase', () => {
  test('by a guest returns the order with the id of the cart and the barcodes; the cart is empty', async () => {
    const { token, cartId } = await fill(undefined, { quantity: 2 });
    const { status, headers, data } = await buy(token, paidGuest());
    expect([status, headers.get('location')]).toEqual([201, `/tnwr/v1/orders/${cartId}`]);
    expect(data).toMatchObject({ id: cartId, state: 'confirmed', total: 9_000, currency: 'CHF' });
    for (const { ticketId, barcode } of Object.values(data.items))
      expect([ticketId, barcode]).toEqual([expect.stringMatching(/^tic_/), expect.stringMatching(/^barcode\./)]);
    expect((await fixture.call('GET', '/shopping-cart', { token })).data).toMatchObject({ id: null, items: {} });
    expect((await fixture.call<Shown>('GET', `/orders/${cartId}`, { token })).data).toEqual(data);
  });

  test('is simulated only with a paymentToken', async () => {
    const { token } = await fill();
    expect(await buy(token, createGuestCheckout({ paymentMethod: 'simulated' }))).toMatchObject({
      status: 400,
      code: 'bad_request',
    });
    expect((await buy(token, paidGuest())).data.state).toBe('confirmed');
  });

  test('by a user buys the cart that passed to the login', async () => {
    const { token: before, cartId } = await fill();
    const token = await fixture.logIn(user, { token: before });
    const { data } = await buy(token, createUserCheckout(user, { paymentMethod: 'on_account' }));
    expect(data).toMatchObject({ id: cartId, contactNumber: user.contactNumber });
  });

  test('with an external payment waits until the institution captures it', async () => {
    const { token, cartId } = await fill();
    const { data } = await buy(token, createGuestCheckout());
    expect(data.state).toBe('payment_pending');
    for (const { ticketId, barcode } of Object.values(data.items)) expect([ticketId, barcode]).toEqual([null, null]);
    const order = fixture.orders.orders.get(cartId);
    if (order) order.state = 'confirmed';
    expect((await fixture.call<Shown>('GET', `/orders/${cartId}`, { token })).data.state).toBe('confirmed');
  });

  test('whose payment is declined leaves the cart unchanged', async () => {
    const { token, cartId } = await fill();
    const declined = createGuestCheckout({ ...PAID, paymentToken: 'declined' });
    const refused = await buy(token, declined);
    expect([refused.status, refused.code]).toEqual([400, 'payment_declined']);
    expect((await fixture.call('GET', '/shopping-cart', { token })).data.id).toBe(cartId);
    expect((await fixture.call('GET', '/orders', { token })).data).toEqual({});
    expect((await buy(token, { ...declined, paymentToken: 'ok' })).status).toBe(201);
  });

  test('by a guest passes the guest to orders and does not call contacts', async () => {
    const { token, cartId } = await fill();
    const before = fixture.contacts.calls.length;
    const contact = { firstName: 'Ana', lastName: 'Martin', email: ` ${randomUUID()}@example.org ` };
    const { data } = await buy(token, { contact, ...PAID });
    expect(data.contactNumber).toBe(toGuestNumber(cartId));
    expect(fixture.contacts.calls).toHaveLength(before);
    const { body } = fixture.orders.calls.findLast(({ operation }) => operation === 'checkoutCart') ?? {};
    const expected = { firstName: 'Ana', lastName: 'Martin', email: expect.stringMatching(/^\S+$/), language: 'fr' };
    expect(body).toMatchObject({ guest: expected });
  });

  test('by a guest needs one name, which becomes the last name of the contact', async () => {
    const email = `a..${randomUUID()}.@docomo.ne.jp`;
    for (const [names, passed] of [
      [{ firstName: ' Suharto ' }, { lastName: 'Suharto' }],
      [{ lastName: 'Suharto' }, { lastName: 'Suharto' }],
      [
        { firstName: 'Ana', lastName: 'Martin' },
        { firstName: 'Ana', lastName: 'Martin' },
      ],
    ]) {
      const { token } = await fill();
      const { status } = await buy(token, { contact: { ...names, email }, paymentMethod: 'external' });
      const { body } = fixture.orders.calls.findLast(({ operation }) => operation === 'checkoutCart') ?? {};
      expect([status, body]).toEqual([201, expect.objectContaining({ guest: { ...passed, email, language: 'fr' } })]);
    }
    const { token } = await fill();
    for (const names of [{}, { firstName: ' ' }, { firstName: '\u3164', lastName: 'Martin' }]) {
      const refused = await buy(token, { contact: { ...names, email }, paymentMethod: 'external' });
      expect([refused.status, refused.code]).toEqual([400, 'validation_error']);
    }
    const nameless = await buy(token, { contact: { email }, paymentMethod: 'external' });
    expect(nameless.text).toContain('$.contact must have at least 2 members.');
  });
});

describe('a purchase is refused', () => {
  test('without a contact, with two, or with the contact of another user', async () => {
    const { token } = await fill();
    expect((await buy(token, { paymentMethod: 'external' })).code).toBe('contact_required');
    const { contactNumber } = user;
    expect((await buy(token, { contactNumber, paymentMethod: 'external' })).code).toBe('login_required');
    const { token: own } = await fill(await fixture.logIn(user));
    const both = { contactNumber, ...createGuestCheckout() };
    expect((await buy(own, both)).code).toBe('validation_error');
  });

  test('with an empty cart or without one', async () => {
    const { token } = await fill();
    await fixture.call('DELETE', '/shopping-cart', { token });
    expect((await buy(token, paidGuest())).code).toBe('cart_empty');
    expect((await buy(await fixture.logIn(await fixture.user()), paidGuest())).code).toBe('cart_empty');
  });

  test('with a method that the point of sale does not accept', async () => {
    const { serviceHost } = fixture.catalog.pointOfSale({ paymentMethods: ['external'] });
    const { token } = await fixture.call('POST', '/shopping-cart/items', { host: serviceHost, body: itemOf() });
    const refused = await fixture.call('POST', '/orders', {
      host: serviceHost,
      token: String(token),
      body: paidGuest(),
    });
    expect(refused.code).toBe('payment_method_not_accepted');
    expect((await buy((await fill()).token, { ...paidGuest(), paymentMethod: 'cash' })).code).toBe('validation_error');
  });

  test('on account without the criterion, and with a tariff that the contact may not buy', async () => {
    const { token } = await fill();
    fixture.orders.refuseNext('account_required');
    const account = await buy(token, createGuestCheckout({ paymentMethod: 'on_account' }));
    expect([account.status, account.code]).toEqual([403, 'payment_method_not_accessible']);
    fixture.orders.refuseNext('tariff_not_accessible');
    const tariff = await buy(token, paidGuest());
    expect([tariff.status, tariff.code]).toEqual([403, 'tariff_not_accessible']);
  });
});

test.each([
  ['without the setting', 'never', true, 400],
  ['at a point of sale outside the demo data', 'demo data', false, 400],
  ['no longer at a point of sale of the demo data', 'demo data', true, 201],
  ['no longer with the setting', 'always', false, 201],
] as const)('the simulated method is refused %s', async (_, simulatedPayments, demo, status) => {
  const real = await openFixture({ simulatedPayments });
  const { serviceHost: host } = real.catalog.pointOfSale({ demo });
  const body = createShopper(real).itemOf();
  const { token } = await real.call('POST', '/shopping-cart/items', { host, body });
  const answer = await real.call('POST', '/orders', { host, token: String(token), body: paidGuest() });
  await real.close();
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.code).toBe('payment_method_not_accepted');
});

describe('a repeat with the same Idempotency-Key never buys twice', () => {
  test('it returns the first answer', async () => {
    const { token } = await fill();
    const [key, body] = [randomUUID(), paidGuest()];
    const first = await buy(token, body, key);
    const again = await buy(token, body, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.text).toBe(first.text);
  });

  test('also concurrently', async () => {
    const { token } = await fill();
    const body = paidGuest();
    expect((await sendEightAtOnce([token], (of, key) => buy(of, body, key))).status).toBe(201);
    expect(Object.keys((await fixture.call('GET', '/orders', { token })).data)).toHaveLength(1);
  });

  test('without a key two concurrent requests return the same order; a third one finds the cart empty', async () => {
    const { token, cartId } = await fill();
    const answers = await Promise.all([buy(token, paidGuest()), buy(token, paidGuest())]);
    for (const { status, data } of answers) expect([status, data?.id, data?.state]).toEqual([201, cartId, 'confirmed']);
    expect(fixture.orders.orders.get(cartId)?.requests.size).toBe(2);
    expect((await buy(token, paidGuest())).code).toBe('cart_empty');
  });
});

describe('an unforeseen error at the checkout', () => {
  test('is not visible if one retry succeeds', async () => {
    const { token } = await fill();
    fixture.orders.mishaps.set('checkoutCart', 'lost');
    const buying = buy(token, paidGuest());
    const before = fixture.orders.calls.length;
    while (!fixture.orders.calls.slice(before).some(({ operation }) => operation === 'checkoutCart'))
      await new Promise((resolve) => setImmediate(resolve));
    fixture.orders.mishaps.clear();
    expect((await buying).status).toBe(201);
  });

  test('does not follow from an outage of tickets', async () => {
    const { token } = await fill();
    fixture.tickets.mishaps.set('*', 'fails');
    const { status, data } = await buy(token, paidGuest());
    fixture.tickets.mishaps.clear();
    expect([status, data.state]).toEqual([201, 'confirmed']);
    for (const { ticketId, barcode } of Object.values(data.items))
      expect([typeof ticketId, barcode]).toEqual(['string', null]);
  });
});
