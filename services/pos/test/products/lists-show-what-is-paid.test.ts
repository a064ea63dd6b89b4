// rule commerce.4: Family B shows what is paid, in v1, too | services/pos/src/domain/list-price.ts
// rule commerce.4: list prices are as for one place bought alone | services/pos/src/domain/list-price.ts
// rule commerce.4: an automatic discount that unlocks shows it to those whom it admits, in v1, too | services/pos/src/domain/list-price.ts
// rule commerce.4: Under vexp a session whose cart has such a code sees it | services/pos/src/products/routes.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import type { ProductDetail } from '../../src/description/products.ts';
import { createDiscount, createFee } from '../fixture/catalog.ts';
import { type Call, openFixture, waitUntil } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

type Product = Static<typeof ProductDetail>;
type Products = Readonly<Record<string, Product>>;
type Rules = Parameters<typeof fixture.catalog.price>[1];

/** A point of sale of a new institution, where a show costs 10000, and 2000 at the hidden tariff. */
const openHouse = (toRules: (house: { host: string; productId: string; performanceId: string }) => Rules) => {
  const institution = `i${Math.random().toString(36).slice(2)}`;
  const { full, secret } = fixture.catalog;
  const { serviceHost: host } = fixture.catalog.pointOfSale({ institution });
  const prices = { [full.id]: 10_000, [secret.id]: 2_000 };
  const { product, performanceId } = fixture.catalog.show({ institution, prices });
  const house = { host, productId: product.id, performanceId };
  fixture.catalog.price(institution, toRules(house));
  return { ...house, institution };
};

const openWith = (...discounts: NonNullable<Rules['discounts']>) => openHouse(() => ({ discounts }));

type Version = 'v1' | 'vexp';
interface House {
  readonly host: string;
  readonly productId: string;
}

/** What is shown of the show, wherever it is, by tariff. */
const readIn = async (version: Version, { host, productId }: House, query = '', call: Call = {}) => {
  const get = async <Data>(path: string) => {
    const { status, data } = await fixture.call<Data>('GET', `${path}${query}`, { ...call, host, version });
    expect(status).toBe(200);
    return data;
  };
  const { priceFrom, performances } = await get<Product>(`/products/${productId}`);
  const amounts = performances.flatMap(({ seatCategories }) => seatCategories.flatMap(({ prices }) => prices));
  const listed = await get<Products>('/products');
  const found = version === 'vexp' ? (await get<{ products: Products }>('/programme')).products : listed;
  const from = [priceFrom, listed[productId]?.priceFrom, found[productId]?.priceFrom];
  const lowest = amounts.length > 0 ? Math.min(...amounts.map(({ amount }) => amount)) : null;
  expect(from).toEqual(from.map(() => lowest));
  return Object.fromEntries(amounts.map(({ tariffId, amount }) => [tariffId.slice('trf_'.length), amount]));
};

/** The same in both versions. */
const readPrices = async (house: House, query = '', call: Call = {}) => {
  const [v1, vexp] = [await readIn('v1', house, query, call), await readIn('vexp', house, query, call)];
  expect(vexp).toEqual(v1);
  return v1;
};

const ten = { percent: '10' };
const elsewhere = { pointsOfSale: ['elsewhere.example'], clientIds: [] };

describe('lists and details show what one place costs that is bought alone', () => {
  test('without fees and discounts its price, and no hidden tariff', async () => {
    expect(await readPrices(openWith())).toEqual({ full: 10_000 });
  });

  test('with the fees per ticket of everybody and of this point of sale, after the discount', async () => {
    const fees = (host: string) => [
      createFee({ amount: 150 }),
      createFee({ percent: '2', channels: { pointsOfSale: [host], clientIds: [] } }),
      createFee({ amount: 7, channels: elsewhere }),
      createFee({ amount: 1_000, per: 'order' }),
    ];
    const cases = [
      [[], 10_350],
      [[createDiscount(ten)], 9_330],
      [[createDiscount({ price: 0 })], 0],
    ] as const;
    for (const [discounts, full] of cases)
      expect(await readPrices(openHouse(({ host }) => ({ fees: fees(host), discounts })))).toEqual({ full });
  });

  test.each([
    ['of another product', { productIds: ['prd_other'] }],
    ['of another performance', { performanceIds: ['prf_other'] }],
    ['of another tariff', { tariffIds: ['trf_other'] }],
    ['of two places', { minPlaces: 2 }],
    ['of another point of sale', { channels: elsewhere }],
    ['that has not begun', { validFrom: '2099-01-01T00:00:00.000Z' }],
    ['that has ended', { validTo: '2020-01-01T00:00:00.000Z' }],
    ['of which nothing is free', { free: 0 }],
    ['for members', { criterion: 'member' as const }],
  ])('without an automatic discount %s', async (_, more) => {
    const house = openWith(createDiscount({ price: 1 }, more), createDiscount(ten));
    expect(await readPrices(house)).toEqual({ full: 9_000 });
  });

  test('after the one that makes it cheapest, which may be of this show alone', async () => {
    const house = openHouse(({ productId, performanceId }) => ({
      discounts: [
        createDiscount(ten),
        createDiscount({ amount: 2_500 }, { productIds: [productId], free: 1 }),
        createDiscount({ amount: 3_000 }, { performanceIds: [performanceId] }),
      ],
    }));
    const { institution } = house;
    const { product } = fixture.catalog.show({ institution, prices: { [fixture.catalog.full.id]: 10_000 } });
    expect(await readPrices(house)).toEqual({ full: 7_000 });
    expect(await readPrices({ ...house, productId: product.id })).toEqual({ full: 9_000 });
  });

  test('with what the contact may have, if it is named', async () => {
    const house = openWith(createDiscount(ten, { criterion: 'member' }));
    const { institution, host } = house;
    const member = await fixture.user(['member'], { ...fixture.pointOfSale, institution, serviceHost: host });
    const token = await fixture.logIn(member, { host });
    expect(await readPrices(house, '', { token })).toEqual({ full: 10_000 });
    expect(await readPrices(house, `?contactNumber=${member.contactNumber}`, { token })).toEqual({ full: 9_000 });
  });

  test('a discount without free uses is left off within a second, though the products are as before', async () => {
    const house = openWith(createDiscount(ten, { free: 1 }));
    expect(await readPrices(house)).toEqual({ full: 9_000 });
    fixture.catalog.price(house.institution, { discounts: [createDiscount(ten, { free: 0 })] });
    await waitUntil(async () => {
      const { data } = await fixture.call<Product>('GET', `/products/${house.productId}`, { host: house.host });
      return data.priceFrom === 10_000;
    });
  });
});

describe('a hidden tariff', () => {
  const unlocks = () => [fixture.catalog.secret.id];

  test('is shown by an automatic discount that unlocks it, at its price with that discount', async () => {
    const house = openWith(createDiscount({ amount: 500 }, { unlocks: unlocks(), tariffIds: [] }), createDiscount(ten));
    expect(await readPrices(house)).toEqual({ full: 9_000, secret: 1_500 });
  });

  test('is shown by one that only unlocks, for the show that it names', async () => {
    const named = openHouse(({ productId }) => ({
      discounts: [createDiscount(null, { unlocks: unlocks(), productIds: [productId] })],
    }));
    expect(await readPrices(named)).toEqual({ full: 10_000, secret: 2_000 });
    const other = openWith(createDiscount(null, { unlocks: unlocks(), productIds: ['prd_other'] }));
    expect(await readPrices(other)).toEqual({ full: 10_000 });
  });

  test.each([
    ['elsewhere', { channels: elsewhere }],
    ['for members', { criterion: 'member' as const }],
    ['with two places', { minPlaces: 2 }],
    ['while it has uses', { free: 0 }],
  ])('is absent if it is unlocked only %s', async (_, more) => {
    const house = openWith(createDiscount({ price: 1 }, { unlocks: unlocks(), ...more }));
    expect(await readPrices(house)).toEqual({ full: 10_000 });
  });
});

describe('a code in the cart', () => {
  test('shows under vexp the hidden tariff that it unlocks, at its price with it, to its session alone', async () => {
    const code = `PRESS-${Math.random().toString(36).slice(2)}`;
    const discountId = fixture.orders.discount(code, 0);
    const unlocks = [fixture.catalog.secret.id];
    // As one for ten places whose last use the cart has.
    const coded = { trigger: 'code' as const, unlocks, minPlaces: 10, codes: [{ code, id: 'cod_1', free: 0 }] };
    const house = openWith(createDiscount({ percent: '50' }, coded));
    const { host, productId } = house;
    const paths = ['/products', `/products/${productId}`, `/products/${productId}/availabilities`];
    const readShared = async (token?: string) => {
      const answers = ['v1', 'vexp'].flatMap((version) =>
        paths.map((path) => fixture.call('GET', path, { host, token, version: version as Version })),
      );
      return (await Promise.all(answers)).map(({ headers }) => headers.get('x-internal-keep'));
    };
    expect(await readPrices(house)).toEqual({ full: 10_000 });

    const given = await fixture.call('POST', '/shopping-cart/codes', { host, version: 'vexp', body: { code } });
    const token = String(given.token);
    expect(await readIn('vexp', house, '', { token })).toEqual({ full: 10_000, secret: 1_000 });
    expect(await readIn('v1', house, '', { token })).toEqual({ full: 10_000 });
    expect(await readPrices(house)).toEqual({ full: 10_000 });
    // Others' answers are shared, and none of them with a session that has codes.
    expect(await readShared()).not.toContain(null);
    expect(new Set(await readShared(token))).toEqual(new Set([null]));

    await fixture.call('DELETE', `/shopping-cart/codes/${discountId}`, { host, token, version: 'vexp' });
    expect(await readPrices(house, '', { token })).toEqual({ full: 10_000 });
  });
});
