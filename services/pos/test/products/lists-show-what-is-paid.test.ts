// rule commerce.4: Family B shows what is paid, in v1, too | services/pos/src/domain/list-price.ts
// rule commerce.4: list prices are as for one place bought alone | services/pos/src/domain/list-price.ts
// rule commerce.4: an automatic discount that unlocks shows it to those whom it admits, in v1, too | services/pos/src/domain/list-price.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createDiscount, createFee } from '../fixture/catalog.ts';
import { type Call, openFixture, waitUntil } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

interface Product {
  readonly priceFrom: number | null;
  readonly performances: readonly {
    readonly seatCategories: readonly {
      readonly prices: readonly { readonly tariffId: string; readonly amount: number }[];
    }[];
  }[];
}

type Rules = Parameters<typeof fixture.catalog.price>[1];

/** A point of sale of a new institution, where a show costs 10000, and 2000 at the hidden tariff. */
const openHouse = (rules: Rules | ((house: { host: string; productId: string; performanceId: string }) => Rules)) => {
  const institution = `i${Math.random().toString(36).slice(2)}`;
  const { full, secret } = fixture.catalog;
  const { serviceHost: host } = fixture.catalog.pointOfSale({ institution });
  const { product, performanceId } = fixture.catalog.show({
    institution,
    prices: { [full.id]: 10_000, [secret.id]: 2_000 },
  });
  const house = { host, productId: product.id, performanceId };
  fixture.catalog.price(institution, typeof rules === 'function' ? rules(house) : rules);
  return { ...house, institution };
};

/** What is shown of the show, wherever it is, by tariff; the same under each version. */
const readPrices = async ({ host, productId }: { host: string; productId: string }, query = '', call: Call = {}) => {
  const seen = (['v1', 'vexp'] as const).map(async (version) => {
    const get = async <Data>(path: string) => {
      const { status, data } = await fixture.call<Data>('GET', `${path}${query}`, { ...call, host, version });
      expect(status).toBe(200);
      return data;
    };
    const { priceFrom, performances } = await get<Product>(`/products/${productId}`);
    const amounts = performances.flatMap(({ seatCategories }) => seatCategories.flatMap(({ prices }) => prices));
    const byTariff = Object.fromEntries(amounts.map(({ tariffId, amount }) => [tariffId.slice('trf_'.length), amount]));
    const listed = await get<Record<string, Product>>('/products');
    const found =
      version === 'vexp' ? (await get<{ products: Record<string, Product> }>('/programme')).products : listed;
    const from = [priceFrom, listed[productId]?.priceFrom, found[productId]?.priceFrom];
    const lowest = amounts.length > 0 ? Math.min(...amounts.map(({ amount }) => amount)) : null;
    expect(from).toEqual(from.map(() => lowest));
    return byTariff;
  });
  const [v1, vexp] = await Promise.all(seen);
  expect(vexp).toEqual(v1);
  return v1;
};

const ten = { percent: '10' };
const elsewhere = { pointsOfSale: ['elsewhere.example'], clientIds: [] };

describe('lists and details show what one place costs that is bought alone', () => {
  test('without fees and discounts its price, and no hidden tariff', async () => {
    expect(await readPrices(openHouse({}))).toEqual({ full: 10_000 });
  });

  test('with the fees per ticket of everybody and of this point of sale, after the discount', async () => {
    const fees = (host: string) => [
      createFee({ amount: 150 }),
      createFee({ percent: '2', channels: { pointsOfSale: [host], clientIds: [] } }),
      createFee({ amount: 7, channels: elsewhere }),
      createFee({ amount: 1_000, per: 'order' }),
    ];
    expect(await readPrices(openHouse(({ host }) => ({ fees: fees(host) })))).toEqual({ full: 10_350 });
    const reduced = openHouse(({ host }) => ({ fees: fees(host), discounts: [createDiscount(ten)] }));
    expect(await readPrices(reduced)).toEqual({ full: 9_330 });
    const free = openHouse(({ host }) => ({ fees: fees(host), discounts: [createDiscount({ price: 0 })] }));
    expect(await readPrices(free)).toEqual({ full: 0 });
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
    const discounts = [createDiscount({ price: 1 }, more), createDiscount(ten)];
    expect(await readPrices(openHouse({ discounts }))).toEqual({ full: 9_000 });
  });

  test('after the one that makes it cheapest, which may be of this show alone', async () => {
    const house = openHouse(({ productId, performanceId }) => ({
      discounts: [
        createDiscount(ten),
        createDiscount({ amount: 2_500 }, { productIds: [productId], free: 1 }),
        createDiscount({ amount: 3_000 }, { performanceIds: [performanceId] }),
      ],
    }));
    const { product } = fixture.catalog.show({
      institution: house.institution,
      prices: { [fixture.catalog.full.id]: 10_000 },
    });
    expect(await readPrices(house)).toEqual({ full: 7_000 });
    expect(await readPrices({ ...house, productId: product.id })).toEqual({ full: 9_000 });
  });

  test('with what the contact may have, if it is named', async () => {
    const discounts = [createDiscount(ten, { criterion: 'member' })];
    const house = openHouse({ discounts });
    const { institution, host } = house;
    const member = await fixture.user(['member'], { ...fixture.pointOfSale, institution, serviceHost: host });
    const token = await fixture.logIn(member, { host });
    expect(await readPrices(house, '', { token })).toEqual({ full: 10_000 });
    expect(await readPrices(house, `?contactNumber=${member.contactNumber}`, { token })).toEqual({ full: 9_000 });
  });

  test('a discount without free uses is left off within a second, though the products are as before', async () => {
    const house = openHouse({ discounts: [createDiscount(ten, { free: 1 })] });
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
    const discounts = [createDiscount({ amount: 500 }, { unlocks: unlocks(), tariffIds: [] }), createDiscount(ten)];
    expect(await readPrices(openHouse({ discounts }))).toEqual({ full: 9_000, secret: 1_500 });
  });

  test('is shown by one that only unlocks, for the show that it names', async () => {
    const named = openHouse(({ productId }) => ({
      discounts: [createDiscount(null, { unlocks: unlocks(), productIds: [productId] })],
    }));
    expect(await readPrices(named)).toEqual({ full: 10_000, secret: 2_000 });
    const other = openHouse({ discounts: [createDiscount(null, { unlocks: unlocks(), productIds: ['prd_other'] })] });
    expect(await readPrices(other)).toEqual({ full: 10_000 });
  });

  test.each([
    ['elsewhere', { channels: elsewhere }],
    ['for members', { criterion: 'member' as const }],
    ['with two places', { minPlaces: 2 }],
    ['while it has uses', { free: 0 }],
  ])('is absent if it is unlocked only %s', async (_, more) => {
    const discounts = [createDiscount({ price: 1 }, { unlocks: unlocks(), ...more })];
    expect(await readPrices(openHouse({ discounts }))).toEqual({ full: 10_000 });
  });
});
