import { createdAt, ids } from '../examples.ts';

export const newPerformance = {
  startDate: '2027-03-14T19:30:00.000Z',
  durationMinutes: 165,
  venue: { name: 'Grand Théâtre', city: 'Genève' },
  timeZone: 'Europe/Zurich',
  salesFrom: '2027-01-15T09:00:00.000Z',
  salesTo: '2027-03-14T19:00:00.000Z',
  seatCategories: [
    {
      code: 'STALLS',
      name: { fr: 'Parterre', en: 'Stalls' },
      numbered: true,
      capacity: 42,
      rows: [
        { row: 'A', seats: 20 },
        { row: 'B', seats: 22 },
      ],
    },
  ],
  prices: [{ seatCategory: 'STALLS', tariffId: ids.tariff, amount: 12_500 }],
};

export const performance = {
  ...newPerformance,
  id: ids.performance,
  productId: ids.product,
  state: 'on_sale' as const,
  seatCategories: [{ ...newPerformance.seatCategories[0], id: ids.category }],
  prices: [{ seatCategoryId: ids.category, tariffId: ids.tariff, amount: 12_500, currency: 'CHF' }],
  createdAt,
  updatedAt: createdAt,
};

export const availability = {
  performanceId: ids.performance,
  asOf: '2027-02-01T12:00:00.000Z',
  seatCategories: [{ id: ids.category, code: 'STALLS', capacity: 42, free: 30, held: 2, sold: 10 }],
};
