import { ids, open, orderDone } from '../api/examples.ts';

const lineId = open.lines[1].id;

export const quoteInput = { returns: [{ lineId }] };

export const quote = {
  available: true,
  difference: -12_000,
  fee: 500,
  due: 0,
  credit: 12_000,
  lines: [],
  refusals: [],
};

export const input = { returns: [{ lineId, reason: 'one fewer' }], difference: -12_000, refund: { method: 'cash' } };

const at = '2027-02-03T09:30:00.000Z';

export const change = {
  id: 'chg_00mhs1kc4t7n9rw3e6y2',
  orderId: ids.order,
  state: 'done',
  reason: null,
  returns: [{ lineId, reason: 'one fewer', fee: 500 }],
  exchanges: [],
  difference: -12_000,
  fee: 500,
  due: 0,
  credit: 12_000,
  refundId: 'ref_00mhs1kc5v2b8dq7m4x1',
  expiresAt: null,
  createdBy: open.createdBy,
  createdAt: at,
  doneAt: at,
  settlement: { ticketsCancelled: 1, controlled: 0, placesReleased: 1, settledAt: '2027-02-03T09:30:00.120Z' },
} as const;

export const lapsed = {
  ...change,
  state: 'lapsed',
  returns: [],
  exchanges: [{ lineId, newLineId: 'lin_00mhs1kc6w4g9ht2p5z8', fee: 0 }],
  difference: 2_500,
  fee: 0,
  due: 2_500,
  credit: 0,
  refundId: null,
  doneAt: null,
  settlement: { ticketsCancelled: null, controlled: null, placesReleased: null, settledAt: null },
} as const;

export const shopQuote = {
  ...quote,
  available: false,
  refusals: [{ lineId, reason: 'not_changeable', details: 'Too late.' }],
};

export const shopInput = { requestId: 'c-2', returns: [{ lineId }], difference: -12_000 };

export const shopDone = { ...orderDone, changeId: change.id };
