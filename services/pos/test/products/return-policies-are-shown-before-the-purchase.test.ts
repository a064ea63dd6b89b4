// rule commerce.5: is shown before: catalogue, quotes, vexp prices and cart | services/pos/src/orders/return-text.ts

import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { createShopper } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());

const { fill } = createShopper(fixture);

interface Shown {
  readonly returnPolicy?: object | null;
  readonly returnText?: string | null;
}

interface Product {
  readonly performances: readonly { readonly seatCategories: readonly { readonly prices: readonly Shown[] }[] }[];
}

/** 100 days and an hour before a start on 1 May 2031, at half past eight by the clocks of the venue. */
const TERMS = { returnMinutes: 144_060, returnFee: { percent: '10' }, exchangeMinutes: null, exchangeFee: null };
const POLICY = {
  ...{ returnableUntil: '2031-01-21T17:30:00.000Z', returnFee: 450 },
  ...{ exchangeableUntil: null, exchangeFee: 0 },
};

const pricesOf = async (id: string, version: 'v1' | 'vexp', language = 'en') => {
  const headers = { 'accept-language': language };
  const { status, data } = await fixture.call<Product>('GET', `/products/${id}`, { version, headers });
  expect(status).toBe(200);
  return data.performances.flatMap(({ seatCategories }) => seatCategories.flatMap(({ prices }) => prices));
};

test('prices under vexp have the policy of their performance, with a sentence by the clocks of the venue', async () => {
  const { product } = fixture.catalog.show({ returnPolicy: TERMS });
  const [price] = await pricesOf(product.id, 'vexp');
  expect(price).toMatchObject({ returnPolicy: POLICY });
  // In winter the clocks there are one hour ahead of UTC, on the evening itself two.
  expect(price?.returnText?.replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(
    'Return until Tuesday, 21 January 2031 at 18:30 for CHF 4.50; no exchange',
  );
  const [french] = await pricesOf(product.id, 'vexp', 'fr');
  expect(french?.returnText).toContain('Retour jusqu’au mardi 21 janvier 2031 à 18:30');
  expect((await pricesOf(product.id, 'v1'))[0]).not.toHaveProperty('returnPolicy');
});

test('prices without a policy have none; what is over, or never was, is denied', async () => {
  const { product } = fixture.catalog.show();
  expect(await pricesOf(product.id, 'vexp')).toMatchObject([{ returnPolicy: null, returnText: null }]);
  const over = fixture.catalog.show({ returnPolicy: { ...TERMS, returnMinutes: 5_256_000, exchangeMinutes: 0 } });
  const [price] = await pricesOf(over.product.id, 'vexp');
  expect(price?.returnText).toBe('No return; exchange until Thursday, 1 May 2031 at 20:30');
  const never = fixture.catalog.show({ returnPolicy: { ...TERMS, returnMinutes: null } });
  expect((await pricesOf(never.product.id, 'vexp'))[0]?.returnText).toBe('No return; no exchange');
});

test('a cart says what its items may do, as of their hold', async () => {
  const { token, cartId } = await fill();
  const order = fixture.orders.orders.get(cartId);
  if (order) Object.assign(order, { lines: order.lines.map((line) => ({ ...line, returnPolicy: POLICY })) });
  const { data } = await fixture.call<{ items: Record<string, Shown> }>('GET', '/shopping-cart', {
    version: 'vexp',
    token,
    headers: { 'accept-language': 'en' },
  });
  expect(Object.values(data.items)).toMatchObject([
    { returnPolicy: POLICY, returnText: expect.stringMatching(/^Return until Tuesday, 21 January 2031 at 18:30 for/) },
  ]);
});
