import { ids, items, open } from '../api/examples.ts';

// Examples in the description of the point of sale's operations: one evening, one seat.

export const params = { orderId: ids.order };
export const lineParams = { ...params, lineId: ids.line };

export const addition = {
  orderId: ids.order,
  requestId: 'first',
  pointOfSale: 'tickets.opera.example',
  address: '192.0.2.7',
  items,
};

export const lineChange = {
  requestId: 'second',
  beneficiaryFirstName: 'Clara',
  beneficiaryLastName: 'Haskil',
};

export const checkout = {
  requestId: 'third',
  contactNumber: 'C7K2M9QX4TB03',
  paymentMethod: 'simulated',
  paymentToken: 'ok',
} as const;

const { currency: _, ...line } = open.lines[0];

const about = {
  institution: 'Opéra du Lac',
  product: { fr: 'La Flûte enchantée', en: 'The Magic Flute' },
  seatCategory: { fr: 'Parterre', en: 'Stalls' },
  tariff: { fr: 'Plein tarif', en: 'Full price' },
  venue: { name: 'Grand Théâtre', city: 'Genève' },
  timeZone: 'Europe/Zurich',
  productType: 'show',
};

const { institution, createdBy, externalReference, paid, paymentStatus, refundStatus, dueAt, cancellation, ...shown } =
  open;

export const cart = {
  ...shown,
  listed: false,
  payable: false,
  pointOfSale: addition.pointOfSale,
  contactNumber: null,
  ticketDelivery: 'electronic',
  total: line.amount,
  due: line.amount,
  lines: [{ ...line, criterion: null, beneficiary: { firstName: 'Clara', lastName: 'Haskil' }, about }],
  deadline: open.expiresAt,
  checkout: null,
  cancelledAt: null,
} as const;

const boughtAt = '2027-02-01T12:06:30.000Z';

export const order = {
  ...cart,
  state: 'confirmed',
  listed: true,
  version: 4,
  contactNumber: checkout.contactNumber,
  due: 0,
  lines: cart.lines.map((one) => ({ ...one, ticketId: one.id.replace('lin_', 'tic_') })),
  expiresAt: null,
  deadline: null,
  checkout: { requestId: checkout.requestId, paymentMethod: checkout.paymentMethod, at: boughtAt },
  confirmedAt: boughtAt,
  updatedAt: boughtAt,
};

const done = { outcome: 'done', reason: null, details: null } as const;

export const cartDone = { ...done, order: cart };
export const orderDone = { ...done, order };

export const { performanceId } = line;

export const performanceOrders = {
  orders: [{ id: ids.order, pointOfSale: 'tickets.opera.example', contactNumber: 'C7K2M9QX4TB03' }],
  next: 'further',
};
