import type { Static } from 'typebox';
import { TEST_TYPE } from '../types/types.ts';
import type { Delivery, NewWebhook, Webhook } from './view.ts';

/** The webhook of the examples. */
export const webhook: Static<typeof Webhook> = {
  webhookId: 'whk_5k2m9qx4tb03vn5e0rw8',
  url: 'https://crm.opera.example/boxoffice',
  types: ['order.*', 'ticket.controlled'],
  description: 'CRM',
  state: 'active',
  disabledReason: null,
  lastDelivery: { at: '2027-02-01T12:00:00.412Z', status: 204 },
  createdAt: '2027-01-15T09:30:00.000Z',
  updatedAt: '2027-01-15T09:30:00.000Z',
};

/** The body of a creation. */
export const newWebhook: Static<typeof NewWebhook> = {
  url: webhook.url,
  types: webhook.types,
  description: webhook.description,
};

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A failed attempt. */
export const delivery: Static<typeof Delivery> = {
  deliveryId: 'dlv_7w2c4n8s0h1d3f5g6j9k',
  eventId: 'evt_5k2m9qx4tb03vn5e0rw',
  type: 'order.confirmed',
  attempt: 1,
  at: '2027-02-01T12:00:00.412Z',
  durationMs: 83,
  outcome: 'failed',
  httpStatus: 503,
  error: 'http_status',
  nextAttemptAt: '2027-02-01T12:00:05.370Z',
};

/** The delivery of a test. */
export const testDelivery: Static<typeof Delivery> = {
  ...delivery,
  eventId: 'evt_00mhs1k9f5g7ja3p1y6d',
  type: TEST_TYPE,
  outcome: 'succeeded',
  httpStatus: 204,
  error: null,
  nextAttemptAt: null,
};
