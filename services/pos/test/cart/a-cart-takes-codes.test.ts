// rule commerce.4: also before the first item | services/pos/src/cart/routes.ts
import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { openFixture, runWithFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, PAID } from '../fixture/shopper.ts';

interface Cart {
  readonly id: string;
  readonly items: Readonly<Record<string, { readonly amount: number }>>;
  readonly total: number;
  readonly codes: readonly object[];
}

const fixture = useFixture(() => openFixture());

const { fill } = createShopper(fixture);

const call = (method: string, path: string, token?: string, body?: object) =>
  fixture.call<Cart>(method, `/shopping-cart${path}`, { version: 'vexp', token, body });

const give = (code: string, token?: string) => call('POST', '/codes', token, { code });

const createCode = (lowering = 500) => {
  const code = randomUUID().slice(0, 8);
  return { code, discountId: fixture.orders.discount(code, lowering) };
};

describe('a code', () => {
  test('before the first item makes the session and the cart, then it applies to the items', async () => {
    const { code } = createCode();
    const first = await give(code);
    const token = String(first.token);
    expect([first.status, first.headers.get('location')]).toEqual([201, '/tnwr/vexp/shopping-cart']);
    const empty = { items: {}, total: 0, codes: [{ code, state: 'not_matching' }], expiresAt: null };
    expect(first.data).toMatchObject(empty);
    await fill(token);
    const { data } = await call('GET', '', token);
    expect([data.id, data.total, Object.keys(data.items)]).toEqual([first.data.id, 4_000, [expect.any(String)]]);
  });

  test('of a cart answers the cart; one that is there changes nothing, in upper or lower case', async () => {
    const { code } = createCode();
    const { token } = await fill();
    const given = await give(code, token);
    expect([given.status, given.token, given.data.total]).toEqual([200, null, 4_000]);
    const again = await give(code.toUpperCase(), token);
    expect([again.status, again.data.total, again.data.codes.length]).toEqual([200, 4_000, 1]);
  });

  test('goes with all of its discount; a discount without one is 404, and so is a cart that there is not', async () => {
    const { code, discountId } = createCode();
    const { token } = await fill();
    await give(code, token);
    const { status, data } = await call('DELETE', `/codes/${discountId}`, token);
    expect([status, data.total, data.codes]).toEqual([200, 4_500, []]);
    const without = await fixture.logIn(await fixture.user());
    for (const one of [token, without])
      expect((await call('DELETE', `/codes/${discountId}`, one)).code).toBe('not_found');
    expect((await call('DELETE', `/codes/${discountId}`)).code).toBe('session_required');
  });

  test.each([
    ['unknown_code', 400, 'discount_unknown_code'],
    ['code_not_applicable', 400, 'discount_not_applicable'],
    ['code_used_up', 400, 'discount_limit_reached'],
    ['too_many_codes', 400, 'validation_error'],
    ['tariff_locked', 403, 'tariff_not_accessible'],
    ['busy', 400, 'order_busy'],
  ] as const)('that orders refuses with %s is %i %s, and makes no session', async (reason, status, code) => {
    fixture.orders.refuseNext(reason);
    const refused = await give('SPRING-27');
    expect([refused.status, refused.code, refused.token]).toEqual([status, code, null]);
  });

  test('that no code can be is refused without a question', async () => {
    const before = fixture.orders.calls.length;
    for (const code of ['abc', 'a'.repeat(41), 'with space', 'ünder'])
      expect((await give(code)).code).toBe('validation_error');
    expect(fixture.orders.calls.length).toBe(before);
  });

  test('is 429 once too many of the address were unknown, with the seconds to wait', () =>
    runWithFixture(async ({ orders, call: send }) => {
      orders.limitCodes();
      const late = await send('POST', '/shopping-cart/codes', { version: 'vexp', body: { code: 'SPRING-27' } });
      expect([late.status, late.code, late.headers.get('retry-after')]).toEqual([429, 'too_many_requests', '42']);
    }));

  test('of an expired cart begins another cart', async () => {
    const { code } = createCode();
    const { token, cartId } = await fill();
    fixture.orders.expire(cartId);
    const { status, data } = await give(code, token);
    expect([status, data.items, data.codes.length, data.id === cartId]).toEqual([200, {}, 1, false]);
  });

  test('is none of v1', async () => {
    expect((await fixture.call('POST', '/shopping-cart/codes', { body: { code: 'SPRING-27' } })).status).toBe(404);
  });
});

test('cart and order say what their prices are made of, in the language of the answer; v1 says what is paid', async () => {
  const { code } = createCode();
  const { token, cartId } = await fill();
  await give(code, token);
  const stored = fixture.orders.orders.get(cartId);
  const fee = { id: 'fli_1', kind: 'order' as const, feeId: 'fee_1', lineId: null, changeId: null, amount: 250 };
  const untaxed = (gross: number) => [{ taxId: null, rate: null, net: gross, tax: 0, gross }];
  const named = { ...fee, name: { fr: 'Envoi', en: 'Postage' }, taxes: untaxed(250) };
  if (stored) Object.assign(stored, { fees: [named], taxes: untaxed(4_250), total: 4_250 });
  const made = {
    ...{ base: 4_500, amount: 4_000, taxes: untaxed(4_000) },
    components: [{ kind: 'discount', id: expect.any(String), name: 'Discount', amount: -500 }],
  };
  const charged = { total: 4_250, fees: [{ ...named, name: 'Postage' }], taxes: untaxed(4_250) };
  const cart = await call('GET', '?lang=en', token);
  expect(cart.data).toMatchObject(charged);
  expect(Object.values(cart.data.items)).toMatchObject([made]);
  const { data: v1 } = await fixture.call<Cart>('GET', '/shopping-cart', { token });
  expect([v1.total, Object.values(v1.items).map(({ amount }) => amount)]).toEqual([4_250, [4_000]]);
  for (const member of ['fees', 'taxes', 'codes', 'base', 'components'])
    for (const one of [v1, ...Object.values(v1.items)]) expect(one).not.toHaveProperty(member);
  const bought = { version: 'vexp' as const, token, body: createGuestCheckout(PAID) };
  const { data: order } = await fixture.call<Cart>('POST', '/orders?lang=en', bought);
  expect(order).toMatchObject({ ...charged, codes: [{ code }] });
  expect(Object.values(order.items)).toMatchObject([made]);
});

test('a buyer for whom the cart is dearer gets 403, before a page of a provider is opened', async () => {
  const { token } = await fill();
  for (const payment of [PAID, { paymentMethod: 'stripe' }]) {
    fixture.orders.refuseNext('dearer');
    const body = createGuestCheckout(payment);
    const refused = await fixture.call('POST', '/orders', { version: 'vexp', token, body });
    expect([refused.status, refused.code]).toEqual([403, 'tariff_not_accessible']);
  }
  expect(fixture.payments.calls.filter(({ operation }) => operation === 'openPage')).toEqual([]);
  expect((await fixture.call<Cart>('GET', '/shopping-cart', { token })).data.total).toBe(4_500);
});
