const ids = {
  product: 'prd_01k9q2m8w3',
  performance: 'prf_01k9q2m8x7',
  category: 'cat_01k9q2m8y1',
  tariff: 'trf_01k9q2m8z5',
  place: 'plc_01k9q2m8x7_0_0_1',
  order: 'ord_01k9q2n4b6s8e2v5w7c3',
  line: 'lin_01k9q2n4c8',
  ticket: 'tic_01k9q2n4c8',
  session: 'ses_0h4k2m9qbt7c',
  user: 'usr_0h4k2m9qbt7d',
} as const;

const contactNumber = 'C7K2M9QX4TB03';
const startDate = '2027-03-12T19:00:00.000Z';
const createdAt = '2026-11-20T16:05:12.000Z';
const place = { id: ids.place, label: 'A-1', row: 'A', seat: 1 };

const product = {
  id: ids.product,
  code: 'TOSCA',
  type: 'show',
  name: 'Tosca',
  description: 'Opéra en trois actes',
  startDate,
  endDate: startDate,
  priceFrom: 4_500,
  currency: 'CHF',
  availability: 'available',
  onSale: true,
} as const;

const category = { id: ids.category, name: 'Parterre' };

const productDetail = {
  ...product,
  performances: [
    {
      id: ids.performance,
      startDate,
      durationMinutes: 150,
      venue: { name: 'Grande salle', city: 'Genève' },
      timeZone: 'Europe/Zurich',
      salesFrom: null,
      salesTo: null,
      availability: 'available',
      onSale: true,
      seatCategories: [
        {
          ...category,
          numbered: true,
          free: 120,
          prices: [{ tariffId: ids.tariff, tariff: 'Plein tarif', amount: 4_500 }],
        },
      ],
    },
  ],
} as const;

const localPeriod = { localStartDate: '2027-03-12T20:00:00+01:00', localEndDate: '2027-03-12T20:00:00+01:00' };

const localStart = { localStartDate: localPeriod.localStartDate, startOffset: null };

const image = { url: 'https://images.opera.example/tosca.jpg', alt: 'Tosca sur le rempart' };
const more = { entries: null, image, details: 'En italien, surtitré.\n\nOuverture des portes une heure avant.' };

const listedProduct = { ...product, ...more };

export const policy = {
  returnPolicy: {
    ...{ returnableUntil: '2027-03-12T18:00:00.000Z', returnFee: 500 },
    ...{ exchangeableUntil: '2027-03-12T18:00:00.000Z', exchangeFee: 0 },
  },
  returnText:
    'Retour jusqu’au vendredi 12 mars 2027 à 19:00 pour 5.00 CHF ; échange jusqu’au vendredi 12 mars 2027 à 19:00',
};

const productPage = {
  ...productDetail,
  ...localPeriod,
  ...more,
  performances: productDetail.performances.map((performance) => ({
    ...performance,
    ...localStart,
    seatCategories: performance.seatCategories.map(({ prices, ...category }) => ({
      ...category,
      prices: prices.map((price) => ({ ...price, ...policy })),
    })),
  })),
};

const programme = {
  products: {
    [ids.product]: {
      ...product,
      ...localPeriod,
      performance: {
        id: ids.performance,
        startDate,
        ...localStart,
        timeZone: 'Europe/Zurich',
        venue: { name: 'Grande salle', city: 'Genève' },
      },
      performances: 1,
      entries: null,
      image,
    },
  },
  days: { '2027-03-12': 1 },
  venues: ['Grande salle'],
  types: ['show'],
};

const availabilities = {
  [ids.performance]: { startDate, availability: 'available', seatCategories: [{ ...category, free: 120 }] },
} as const;

const session = {
  id: ids.session,
  user: 'ana.martin@example.org',
  contactNumber,
  expiresAt: '2026-11-21T10:00:00.000Z',
};

const contact = {
  contactNumber,
  kind: 'individual',
  title: null,
  firstName: 'Ana',
  lastName: 'Martin',
  name: null,
  email: 'ana.martin@example.org',
  phone: '+41 22 555 01 02',
  language: 'fr',
  street: 'Boulevard du Théâtre 11',
  postalCode: '1204',
  city: 'Genève',
  country: 'CH',
  criteria: ['member'],
  newsletter: true,
  partners: false,
  createdAt,
  updatedAt: createdAt,
} as const;

const item = {
  id: ids.line,
  productId: ids.product,
  performanceId: ids.performance,
  startDate,
  seatCategoryId: ids.category,
  tariffId: ids.tariff,
  tariff: 'Plein tarif',
  place,
  amount: 4_500,
  beneficiaryFirstName: null,
  beneficiaryLastName: null,
};

const cart = {
  id: ids.order,
  items: { [ids.line]: item },
  total: 4_500,
  currency: 'CHF',
  expiresAt: '2026-11-20T16:20:12.000Z',
};

const noCart = { id: null, items: {}, total: 0, currency: 'CHF', expiresAt: null };

const barcode = 'eyJhbGciOiJFZERTQSJ9.eyJ0aWQiOiJ0aWNfMSJ9.c2lnbmF0dXJl';

const order = {
  id: ids.order,
  state: 'confirmed',
  total: 4_500,
  currency: 'CHF',
  contactNumber,
  paymentMethod: 'simulated',
  items: { [ids.line]: { ...item, ticketId: ids.ticket, barcode } },
  expiresAt: null,
  createdAt,
  updatedAt: createdAt,
} as const;

const ticket = {
  id: ids.ticket,
  status: 'not_printed',
  orderId: ids.order,
  productId: ids.product,
  performanceId: ids.performance,
  startDate,
  seatCategoryId: ids.category,
  place,
  tariffId: ids.tariff,
  price: 4_500,
  currency: 'CHF',
  beneficiaryFirstName: 'Ana',
  beneficiaryLastName: 'Martin',
  barcode,
} as const;

export const examples = {
  ids,
  contactNumber,
  product,
  productDetail,
  listedProduct,
  productPage,
  programme,
  availabilities,
  place: { ...place, seatCategoryId: ids.category, free: true },
  session,
  user: { id: ids.user, login: session.user, contactNumber },
  contact,
  cart,
  noCart,
  order,
  ticket,
};
