import { selectShopperMembers } from './views.ts';

const createdAt = '2027-02-01T12:00:00.000Z';

export const ids = {
  order: 'ord_00mhs1k9f5g7ja3p1y6d',
  line: 'lin_00mhs1k9f8c2vn5e0r4t',
  payment: 'pay_00mhs1kam3x7qh9w6z1b',
  refund: 'ref_00mhs1kbw4d8ke2j5s0g',
  performance: 'prf_00mhs1k2e7d3kq0w8z1x',
  category: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  tariff: 'trf_00mhs1k1z2s6xe8b0n4m',
  discount: 'dsc_00mhs1k1y5q8wb3g7d2f',
};

const place = (seat: number) => ({ id: `plc_00mhs1k2e7d3kq0w8z1x_0_0_${seat}`, label: `A-${seat}`, row: 'A', seat });

const vat = (gross: number, tax: number) => [
  { taxId: 'tax_00mhs1k1v6n3hd8c5j2r', rate: '2.6', net: gross - tax, tax, gross },
];

const composition = {
  base: 12_000,
  components: [{ kind: 'fee', id: 'fee_00mhs1k1w2p7ke4b9m6t', name: { fr: 'Frais', en: 'Booking fee' }, amount: 500 }],
  amount: 12_500,
  taxes: vat(12_500, 317),
  returnPolicy: {
    ...{ returnableUntil: '2027-03-12T19:30:00.000Z', returnFee: 500 },
    ...{ exchangeableUntil: '2027-03-14T18:30:00.000Z', exchangeFee: 0 },
  },
} as const;

const line = (lineId: string, seat: number, ticketId: string | null) => ({
  id: lineId,
  productId: 'prd_00mhs1k2a4h9rv2c6t5b',
  performanceId: ids.performance,
  startDate: '2027-03-14T19:30:00.000Z',
  seatCategoryId: ids.category,
  tariffId: ids.tariff,
  place: place(seat),
  ...composition,
  currency: 'CHF',
  beneficiary: null as { readonly firstName: string | null; readonly lastName: string | null } | null,
  ticketId,
  replaces: null,
});

const other = 'lin_00mhs1k9f8z6bm1y3q7k';

export const items = [
  { performanceId: ids.performance, seatCategoryId: ids.category, tariffId: ids.tariff, quantity: 2 },
];

const createdBy = { clientId: 'cli_00mhs0z8q4r6t2v9x1yb', userId: 'usr_00mhs0z9c5e7g3k8m2pd' };

export const newOrder = { contactNumber: 'C7K2M9QX4TB03', externalReference: 'agency-4711', items };

export const open = {
  id: ids.order,
  state: 'open',
  version: 2,
  institution: 'opera',
  pointOfSale: null,
  createdBy,
  contactNumber: newOrder.contactNumber,
  externalReference: newOrder.externalReference,
  number: 'k7m2xq9c',
  ticketDelivery: 'print',
  currency: 'CHF',
  lines: [line(ids.line, 14, null), line(other, 15, null)],
  formerLines: [],
  change: null,
  fees: [],
  taxes: vat(25_000, 634),
  codes: [],
  total: 25_000,
  paid: 0,
  refunded: 0,
  due: 25_000,
  credit: 0,
  goodwill: 0,
  paymentStatus: 'unpaid',
  refundStatus: 'none',
  expiresAt: '2027-02-01T12:15:00.000Z',
  dueAt: null,
  confirmedAt: null,
  termsAccepted: false,
  cancellation: null,
  createdAt,
  updatedAt: createdAt,
} as const;

export const extended = {
  ...open,
  version: 4,
  expiresAt: '2027-02-01T12:40:00.000Z',
  updatedAt: '2027-02-01T12:10:00.000Z',
};

export const beneficiary = { firstName: 'Ana', lastName: 'Martin' };

export const namedLine = {
  ...open,
  version: 3,
  lines: [{ ...line(ids.line, 14, null), beneficiary }, line(other, 15, null)],
};

const quotedLine = {
  item: 0,
  performanceId: ids.performance,
  seatCategoryId: ids.category,
  tariffId: ids.tariff,
  ...composition,
};

export const quote = {
  available: false,
  currency: 'CHF',
  total: 25_000,
  lines: [quotedLine, quotedLine],
  fees: [],
  taxes: vat(25_000, 634),
  codes: [],
  refusals: [{ item: 0, status: 'order_places_unavailable', details: 'Not enough places are free for $.items[0].' }],
};

const ofOneLine = { total: 12_500, taxes: composition.taxes };

export const oneLine = { ...open, version: 4, lines: open.lines.slice(0, 1), ...ofOneLine, due: 12_500 };

// In the future, so that trying the example is not refused.
const dueAt = '2037-02-15T23:00:00.000Z';

export const reserved = {
  ...open,
  state: 'reserved',
  version: 4,
  dueAt,
  updatedAt: '2027-02-01T12:05:00.000Z',
} as const;

export const confirmed = {
  ...open,
  state: 'confirmed',
  version: 4,
  lines: [line(ids.line, 14, ids.line.replace('lin_', 'tic_')), line(other, 15, other.replace('lin_', 'tic_'))],
  confirmedAt: '2027-02-01T12:06:30.000Z',
  termsAccepted: false,
  updatedAt: '2027-02-01T12:06:30.000Z',
} as const;

export const paid = { ...confirmed, version: 6, paid: 25_000, due: 0, paymentStatus: 'paid' } as const;

export const cancelled = {
  ...confirmed,
  state: 'cancelled',
  version: 5,
  cancellation: {
    reason: 'the customer is ill',
    requestedAt: '2027-02-03T08:00:00.000Z',
    ticketsCancelled: null,
    controlled: null,
    placesReleased: null,
    settledAt: null,
  },
  updatedAt: '2027-02-03T08:00:00.000Z',
} as const;

export const newPayment = {
  method: 'card',
  amount: 25_000,
  reference: 'psp-9f31',
  status: 'captured',
} as const;

export const payment = {
  id: ids.payment,
  orderId: ids.order,
  ...newPayment,
  provider: null,
  currency: 'CHF',
  changeId: null,
  createdBy,
  createdAt: '2027-02-01T12:06:30.000Z',
  updatedAt: '2027-02-01T12:06:30.000Z',
} as const;

export const newRefund = { amount: 12_500, method: 'card', reference: 'psp-9f31-r1' };

export const refund = {
  id: ids.refund,
  orderId: ids.order,
  ...newRefund,
  provider: null,
  currency: 'CHF',
  state: 'done',
  goodwill: 12_500,
  createdBy,
  createdAt: '2027-02-03T08:10:00.000Z',
} as const;

const { externalReference } = newOrder;

export const listedPayment = { ...payment, externalReference };

export const listedRefund = { ...refund, externalReference };

export const asOf = '2027-02-01T11:59:45.000Z';

export const params = { orderId: ids.order };
export const lineParams = { ...params, lineId: ids.line };

const visitor = { orderId: ids.order, pointOfSale: 'tickets.opera.example', address: '192.0.2.7' };

export const addition = { ...visitor, requestId: 'first', items };

export const cartCode = { ...visitor, currency: 'CHF', code: 'FAMILY-27' };

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

const { currency: _, ...cartLine } = open.lines[0];

const about = {
  institution: 'Opéra du Lac',
  product: { fr: 'La Flûte enchantée', en: 'The Magic Flute' },
  seatCategory: { fr: 'Parterre', en: 'Stalls' },
  tariff: { fr: 'Plein tarif', en: 'Full price' },
  venue: { name: 'Grand Théâtre', city: 'Genève' },
  timeZone: 'Europe/Zurich',
  productType: 'show',
};

const money = { paid: 0, refunded: 0, credit: 0, failedRefunds: [], payment: null, changes: [] };

export const cart = {
  ...money,
  ...selectShopperMembers(open),
  listed: false,
  payable: false,
  pointOfSale: addition.pointOfSale,
  contactNumber: null,
  ticketDelivery: 'electronic',
  ...ofOneLine,
  due: cartLine.amount,
  lines: [{ ...cartLine, criterion: null, beneficiary: { firstName: 'Clara', lastName: 'Haskil' }, about }],
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
  paid: cartLine.amount,
  lines: cart.lines.map((one) => ({ ...one, ticketId: one.id.replace('lin_', 'tic_') })),
  expiresAt: null,
  deadline: null,
  checkout: { requestId: checkout.requestId, paymentMethod: checkout.paymentMethod, at: boughtAt },
  confirmedAt: boughtAt,
  updatedAt: boughtAt,
};

const done = { outcome: 'done', reason: null, details: null } as const;

export const providerPayment = {
  provider: 'stripe',
  mode: 'test',
  reference: 'cs_test_a1b2c3',
  amount: cartLine.amount,
  currency: open.currency,
} as const;

const page = {
  ...providerPayment,
  paymentId: ids.payment,
  url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3',
  expiresAt: '2027-02-01T12:37:30.000Z',
  until: '2027-02-01T12:38:30.000Z',
};

export const anotherTry = { requestId: 'fourth', page };

const pending = {
  ...order,
  state: 'payment_pending',
  due: cartLine.amount,
  paid: 0,
  lines: cart.lines,
  expiresAt: page.until,
  deadline: page.until,
  checkout: { ...order.checkout, paymentMethod: page.provider },
  payment: {
    id: ids.payment,
    method: page.provider,
    provider: page.provider,
    state: 'pending',
    url: page.url,
    expiresAt: page.expiresAt,
  },
  confirmedAt: null,
} as const;

export const paymentReport = { status: 'captured', ...providerPayment } as const;
export const refundReport = { status: 'done', reference: 're_1a2b3c' } as const;
export const disputeReport = { state: 'open', amount: cartLine.amount, reason: 'fraudulent', at: boughtAt } as const;

export const cartDone = { ...done, order: cart };
export const orderDone = { ...done, order };
export const pendingDone = { ...done, order: pending };

export const { performanceId } = cartLine;

export const performanceOrders = {
  orders: [{ id: ids.order, pointOfSale: 'tickets.opera.example', contactNumber: 'C7K2M9QX4TB03' }],
  next: 'further',
};
