import { createCheck } from '@boxoffice/http';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeLevel } from '../../src/domain/capacity.ts';
import { performanceStates } from '../../src/domain/performance.ts';
import { productStates } from '../../src/domain/product.ts';
import {
  computePublicEtag,
  isPublic,
  PublicAvailability,
  PublicPerformance,
  PublicProduct,
  selectPublicTariffs,
  toPublicAvailability,
  toPublicPerformance,
  toPublicProduct,
  toPublicTariff,
} from '../../src/feed/projection.ts';
import { computeTicketFees } from '../../src/pricing/ticket-fees.ts';
import type { PerformanceDocument, PointOfSaleDocument, ProductDocument, TariffDocument } from '../../src/store.ts';

const AT = '2031-01-01T00:00:00.000Z';
const stored = { version: 1, institution: 'opera', createdAt: AT };
const TARIFFS = ['tar_full', 'tar_member', 'tar_unsold', 'tar_web'];

const instant = fc
  .integer({ min: 0, max: 1_000 })
  .map((day) => new Date(Date.parse(AT) + day * 86_400_000).toISOString());

const tariff = (id: string): fc.Arbitrary<TariffDocument> =>
  fc
    .record({
      id: fc.constant(id),
      code: fc.constant(`code of ${id}`),
      name: fc.constant({ en: id }),
      criterion: fc.constantFrom(null, 'member' as const),
      updatedAt: instant,
    })
    .map((one) => ({ ...stored, ...one }));

const pointOfSale: fc.Arbitrary<PointOfSaleDocument> = fc
  .record({ tariffIds: fc.subarray(TARIFFS), updatedAt: instant })
  .map(({ tariffIds, updatedAt }) => ({
    ...stored,
    id: 'shop.example',
    serviceHost: 'shop.example',
    name: 'Shop',
    languages: ['en'],
    currency: 'CHF',
    corsOrigins: [],
    tariffIds,
    paymentMethods: [],
    maxPlacesPerOrder: 8,
    holdMinutes: 15,
    updatedAt,
  }));

const performance = (index: number): fc.Arbitrary<PerformanceDocument> =>
  fc
    .record({
      state: fc.constantFrom(...performanceStates),
      startDate: instant,
      updatedAt: instant,
      capacity: fc.integer({ min: 0, max: 5_000 }),
      numbered: fc.boolean(),
      prices: fc.array(fc.record({ tariffId: fc.constantFrom(...TARIFFS), amount: fc.nat({ max: 100_000 }) })),
      revision: fc.integer({ min: 1, max: 50 }),
    })
    .map(({ capacity, numbered, prices, updatedAt, ...one }) => ({
      ...stored,
      id: `prf_${index}`,
      productId: 'prd_1',
      durationMinutes: null,
      venue: { name: 'Hall', city: null },
      timeZone: 'Europe/Zurich',
      salesFrom: null,
      salesTo: null,
      soleOf: null,
      seatCategories: [
        {
          id: `cat_${index}`,
          code: 'STALLS',
          name: { en: 'Stalls' },
          numbered,
          capacity,
          rows: numbered ? [{ row: 'A', seats: capacity }] : [],
          made: capacity,
        },
      ],
      prices: prices.map((price) => ({ seatCategoryId: `cat_${index}`, currency: 'CHF', ...price })),
      updatedAt,
      modifiedAt: updatedAt,
      ...one,
    }));

const product: fc.Arbitrary<ProductDocument> = fc
  .record({ state: fc.constantFrom(...productStates), updatedAt: instant, revision: fc.integer({ min: 1, max: 50 }) })
  .map(({ state, updatedAt, revision }) => ({
    ...stored,
    id: 'prd_1',
    code: 'TOSCA',
    type: 'show',
    name: { en: 'Tosca' },
    description: null,
    startDate: null,
    endDate: null,
    state,
    publishedAt: AT,
    revision,
    updatedAt,
    modifiedAt: updatedAt,
  }));

const catalog = fc.record({
  product,
  performances: fc.tuple(performance(1), performance(2), performance(3)),
  tariffs: fc.tuple(...TARIFFS.map(tariff)),
  pointsOfSale: fc.array(pointOfSale, { maxLength: 2 }),
});

const fits = {
  product: createCheck(PublicProduct),
  performance: createCheck(PublicPerformance),
  availability: createCheck(PublicAvailability),
};

const FORBIDDEN = ['"capacity"', '"rows"', '"seats"', '"free"', '"held"', '"sold"', '"criterion":"member"', '"closed"'];

const expectNoneOf = (text: string, words: readonly string[]): void => {
  for (const word of words) expect(text).not.toContain(word);
};

describe('the public projection', () => {
  test('shows nothing but the declared members, of running products and performances that are not closed', () => {
    fc.assert(
      fc.property(catalog, ({ product, performances, tariffs, pointsOfSale }) => {
        const shown = selectPublicTariffs(tariffs, pointsOfSale, computeTicketFees([]));
        const hidden = tariffs
          .filter(
            ({ id, criterion }) => criterion !== null || !pointsOfSale.some(({ tariffIds }) => tariffIds.includes(id)),
          )
          .map(({ id }) => id);
        const view = toPublicProduct(product, performances, 'CHF', shown);
        expect(view === undefined).toBe(product.state !== 'running');
        for (const one of tariffs) expect(toPublicTariff(one, shown) === undefined).toBe(hidden.includes(one.id));
        for (const one of performances) {
          const alone = toPublicPerformance(one, product, shown);
          expect(alone === undefined).toBe(product.state !== 'running' || one.state === 'closed');
          expect(isPublic(one, product)).toBe(alone !== undefined);
          expect(view?.performances.find(({ id }) => id === one.id)).toEqual(alone);
          if (!alone) continue;
          fits.performance(alone);
          expectNoneOf(JSON.stringify(alone), [...FORBIDDEN, ...hidden]);
        }
        if (!view) return;
        fits.product(view);
        const closed = performances.filter(({ state }) => state === 'closed').map(({ id }) => id);
        expectNoneOf(JSON.stringify(view), [...FORBIDDEN, ...hidden, ...closed]);
        const amounts = view.performances.filter(({ state }) => state === 'on_sale').flatMap(({ prices }) => prices);
        expect(view.priceFrom).toBe(amounts.length > 0 ? Math.min(...amounts.map(({ amount }) => amount)) : null);
      }),
    );
  });

  test('and its ETag do not depend on anything that it does not show', () => {
    fc.assert(
      fc.property(catalog, performance(9), ({ product, performances, tariffs, pointsOfSale }, other) => {
        const shown = selectPublicTariffs(tariffs, pointsOfSale, computeTicketFees([]));
        const changed = performances.map((one): PerformanceDocument => {
          if (one.state === 'closed') return { ...other, id: one.id, state: 'closed' };
          return {
            ...one,
            revision: one.revision + 1,
            modifiedAt: other.modifiedAt,
            seatCategories: one.seatCategories.map((category) => ({ ...category, capacity: 7, rows: [], made: 7 })),
            prices: [...one.prices, { seatCategoryId: 'cat_9', tariffId: 'tar_nowhere', amount: 1, currency: 'CHF' }],
          };
        });
        const before = toPublicProduct(product, performances, 'CHF', shown);
        const after = toPublicProduct({ ...product, revision: 99, modifiedAt: AT }, changed, 'CHF', shown);
        expect(after).toEqual(before);
        if (before && after) expect(computePublicEtag(after)).toBe(computePublicEtag(before));
      }),
    );
  });

  test('shows levels instead of numbers of places', () => {
    const category = fc
      .record({ capacity: fc.nat({ max: 500 }), free: fc.nat({ max: 500 }) })
      .filter(({ capacity, free }) => free <= capacity)
      .map(({ capacity, free }) => ({ id: 'cat_1', code: 'STALLS', capacity, free, held: capacity - free, sold: 0 }));
    fc.assert(
      fc.property(fc.array(category, { minLength: 1, maxLength: 4 }), (seatCategories) => {
        const view = toPublicAvailability({ performanceId: 'prf_1', asOf: AT, seatCategories });
        fits.availability(view);
        expectNoneOf(JSON.stringify(view), FORBIDDEN);
        expect(view.seatCategories.map(({ availability }) => availability)).toEqual(
          seatCategories.map(({ free, capacity }) => computeLevel(free, capacity)),
        );
        expect(view.availability === 'sold_out').toBe(seatCategories.every(({ free }) => free === 0));
      }),
    );
    expect([
      computeLevel(0, 100),
      computeLevel(5, 100),
      computeLevel(50, 1_000),
      computeLevel(51, 1_000),
      computeLevel(6, 100),
    ]).toEqual(['sold_out', 'few', 'few', 'available', 'available']);
  });
});
