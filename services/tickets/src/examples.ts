import { testVector } from './barcode/routes.ts';

export const ids = {
  order: 'ord_00mhs1k9f5g7ja3p1y6d',
  line: 'lin_00mhs1k9f5q2w8e4r6t0',
  ticket: 'tic_00mhs1k9f5q2w8e4r6t0',
  performance: 'prf_00mhs1k2e7d3kq0w8z1x',
  place: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
};

const place = { id: ids.place, label: 'A-14', row: 'A', seat: 14 };
const price = { amount: 12_500, currency: 'CHF' };
const about = {
  lineId: ids.line,
  performanceId: ids.performance,
  seatCategoryId: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  tariffId: 'trf_00mhs1k1z2s6xe8b0n4m',
  place,
};

export const orderedTicket = { ticketId: ids.ticket, ...about, price };

const none = { beneficiary: null, printedAt: null, controlledAt: null, gate: null, replaces: null, replacedBy: null };
const issuedAt = '2027-01-03T18:13:20.000Z';

export const ticket = {
  id: ids.ticket,
  status: 'not_printed',
  orderId: ids.order,
  ...about,
  price: price.amount,
  currency: price.currency,
  ...none,
  barcode: testVector.barcode,
  createdAt: issuedAt,
  updatedAt: issuedAt,
} as const;

export const shopTicket = {
  ...ticket,
  contactNumber: 'C7K2M9QX4TB03',
  productId: 'prd_00mhs1k2a1r9v4c7n3b6',
  startDate: '2027-03-14T19:00:00.000Z',
  about: {
    institution: 'Opéra du Lac',
    product: { fr: 'La Flûte enchantée', en: 'The Magic Flute' },
    seatCategory: { fr: 'Parterre', en: 'Stalls' },
    tariff: { fr: 'Plein tarif', en: 'Full price' },
    venue: { name: 'Grand Théâtre', city: 'Genève' },
    timeZone: 'Europe/Zurich',
    productType: 'show',
  },
} as const;

const printedAt = '2027-01-04T09:12:45.000Z';

export const printed = { ...ticket, status: 'printed', printedAt, updatedAt: printedAt } as const;

export const beneficiary = { firstName: 'Ana', lastName: 'Martin' };

/** Without `at`, which would be refused while that instant is in the future. */
export const control = { gate: 'North' };

export const controlled = {
  ...printed,
  status: 'controlled',
  controlledAt: '2027-03-14T19:02:11.000Z',
  gate: control.gate,
  updatedAt: '2027-03-14T19:02:12.000Z',
} as const;

const scanned = {
  result: 'admitted',
  reason: null,
  ticketId: ids.ticket,
  place,
  seatCategory: shopTicket.about.seatCategory,
  performanceId: ids.performance,
  control: { at: controlled.controlledAt, gate: control.gate },
} as const;

export const scanAnswer = { nonce: 'gate-7.000123', ...scanned } as const;

export const recordedScan = {
  id: 'scn_00mhs1k9f5w3e5r7t9y1',
  ...scanAnswer,
  gate: control.gate,
  at: controlled.controlledAt,
  offline: false,
  receivedAt: controlled.updatedAt,
} as const;

export const ticketStatus = {
  id: ids.ticket,
  status: controlled.status,
  place: place.label,
  row: place.row,
  seat: place.seat,
  seatCategoryId: about.seatCategoryId,
  controlledAt: controlled.controlledAt,
  gate: control.gate,
} as const;

export const replacing = {
  ...printed,
  id: `${ids.ticket}_r1`,
  beneficiary,
  barcode:
    '100YEI TPX30A:P$T926A4CN6$I41B100X30A:PZT99KGM*JRM5WL497N/ H%054WIB$431T.Z1V*SZ1PA*OC1UJ$HWF7EI9CSL$1GQ5O589AG1/3OBQPQVL2DN48RCJED*8%W27SVEJ5UX6R908GK',
  replaces: ids.ticket,
  createdAt: printedAt,
} as const;

export const documentRequest = {
  ticketIds: [ids.ticket],
  languages: ['fr', 'en'],
  pointOfSale: {
    name: 'Billetterie de l’Opéra du Lac',
    branding: {
      colours: { accent: '#9b1c31', ink: '#ffffff', paper: '#1d1b2e' },
      logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><circle cx="1" cy="0.5" r="0.5"/></svg>',
    },
  },
  order: { number: 'k3m9xqw7', buyer: 'Ana Martin' },
};

export const asOf = '2027-02-01T11:59:45.000Z';
