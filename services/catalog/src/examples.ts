// The examples of the API description: a performance at an opera house.

const createdAt = '2027-01-11T09:00:00.000Z';

export const institution = { id: 'opera', name: 'Opéra du Lac', currency: 'CHF', languages: ['fr', 'en', 'de'] };

export const ids = {
  product: 'prd_00mhs1k2a4h9rv2c6t5b',
  performance: 'prf_00mhs1k2e7d3kq0w8z1x',
  category: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  place: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
  tariff: 'trf_00mhs1k1z2s6xe8b0n4m',
  order: 'ord_00mhs1k9f5g7ja3p1y6d',
};

export const newTariff = { code: 'FULL', name: { fr: 'Plein tarif', en: 'Full price' } };

export const tariff = { id: ids.tariff, ...newTariff, criterion: null, createdAt, updatedAt: createdAt };

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

export const newProduct = {
  code: 'TOSCA-2027',
  type: 'show' as const,
  name: { fr: 'Tosca', en: 'Tosca' },
  description: { en: 'Opera in three acts by Giacomo Puccini' },
  state: 'running' as const,
  startDate: '2027-03-14T19:30:00.000Z',
  endDate: '2027-03-28T22:15:00.000Z',
};

export const product = {
  ...newProduct,
  id: ids.product,
  priceFrom: 12_500,
  currency: 'CHF',
  performances: [performance],
  createdAt,
  updatedAt: createdAt,
};

export const newPointOfSale = {
  serviceHost: 'tickets.opera.example',
  name: 'Web shop',
  languages: ['fr', 'en', 'de'],
  currency: 'CHF',
  corsOrigins: ['https://www.opera.example'],
  tariffIds: [ids.tariff],
  paymentMethods: ['external' as const],
  maxPlacesPerOrder: 8,
  holdMinutes: 15,
};

export const pointOfSale = { ...newPointOfSale, createdAt, updatedAt: createdAt };

/** `asOf` of lists. */
export const asOf = '2027-02-01T11:59:45.000Z';
