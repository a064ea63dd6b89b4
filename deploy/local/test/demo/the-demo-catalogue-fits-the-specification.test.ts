import { describe, expect, test } from '@jest/globals';
import { bodiesOf, type DemoInstitution, type NewProduct } from '../../src/demo/institution.ts';
import { museum } from '../../src/demo/museum.ts';
import { opera } from '../../src/demo/opera.ts';

const now = new Date('2027-05-05T10:00:00.000Z');

const productsOf = (institution: DemoInstitution): NewProduct[] =>
  bodiesOf(institution, Object.fromEntries(institution.tariffs.map(({ code }) => [code, `id of ${code}`])), now);

const capacityOf = ({ performances }: NewProduct): number =>
  performances.flatMap(({ seatCategories }) => seatCategories).reduce((sum, { capacity }) => sum + capacity, 0);

describe('the demo catalogue', () => {
  test('has exactly 254 running shows at the opera, and some of every other type', () => {
    const products = productsOf(opera);
    const shows = products.filter(({ type }) => type === 'show');
    expect(shows).toHaveLength(254);
    expect(new Set(shows.map(({ name }) => name.en)).size).toBe(254);
    expect(new Set(products.map(({ state }) => state))).toEqual(new Set(['running']));
    expect(new Set(products.map(({ type }) => type))).toEqual(
      new Set(['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package']),
    );
  });

  test('has at most 30,000 places', () => {
    const places = [opera, museum].flatMap(productsOf).reduce((sum, product) => sum + capacityOf(product), 0);
    expect(places).toBeGreaterThan(10_000);
    expect(places).toBeLessThanOrEqual(30_000);
  });

  for (const institution of [opera, museum])
    test(`${institution.id}: names in every language, prices for every tariff, a member's tariff, sales open, dates ahead`, () => {
      const products = productsOf(institution);
      expect(new Set(products.map(({ code }) => code)).size).toBe(products.length);
      expect(institution.tariffs.some(({ criterion }) => criterion === 'member')).toBe(true);
      for (const { name, description, performances } of products) {
        expect(Object.keys(name).sort()).toEqual([...institution.languages].sort());
        expect(Object.keys(description).sort()).toEqual([...institution.languages].sort());
        for (const performance of performances) {
          expect(performance.startDate > now.toISOString()).toBe(true);
          expect(performance.salesFrom < now.toISOString()).toBe(true);
          expect(performance.salesTo > now.toISOString()).toBe(true);
          for (const { code, capacity, rows } of performance.seatCategories) {
            expect(performance.prices.some(({ seatCategory, tariffId }) => seatCategory === code && tariffId)).toBe(
              true,
            );
            if (rows) expect(rows.reduce((sum, { seats }) => sum + seats, 0)).toBe(capacity);
          }
        }
      }
    });

  for (const institution of [opera, museum])
    test(`${institution.id}: the fixtures are what they are called`, () => {
      const byCode = new Map(productsOf(institution).map((product) => [product.code, product]));
      const { soldOut, numbered, twoLeft } = institution.fixtures;
      const show = (code: string): NewProduct => {
        const product = byCode.get(code);
        expect(product?.type).toBe('show');
        expect(product?.performances).toHaveLength(1);
        return product as NewProduct;
      };
      // One seat category, so that selling it down to none or two places leaves none or two of the show.
      for (const code of [soldOut, twoLeft]) expect(show(code).performances[0]?.seatCategories).toHaveLength(1);
      expect(capacityOf(show(soldOut))).toBeGreaterThan(0);
      expect(capacityOf(show(twoLeft))).toBeGreaterThan(2);
      expect(show(numbered).performances[0]?.seatCategories.every((category) => category.numbered)).toBe(true);
    });
});
