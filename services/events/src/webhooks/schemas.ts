import {
  createLineSchema,
  createNullableSchema,
  createPageSchema,
  createView,
  listReadOnlyMembers,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { type DeliveryDocument, ERRORS, type WebhookDocument } from '../store.ts';
import { eventTypeNames, TEST_TYPE, typeGroups } from '../types/types.ts';

const Id = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });

const STATES = ['active', 'paused', 'disabled'] as const;

const members = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@]+([/?#]\\S*)?$',
    description:
      'where events are posted: an `https` address without user and password, as is. It may not lead into an ' +
      'internal network (422 `webhook_address_refused`); a name that does not resolve yet is accepted',
  }),
  types: Type.Array(oneOf([...eventTypeNames, ...typeGroups]), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'the types of events to deliver; `order.*` means all types of orders, present and future',
  }),
  description: createNullableSchema(createLineSchema({ maxLength: 200, description: "the partner's own words" })),
};

const state = oneOf(STATES, {
  description:
    '`paused`: events are kept for as long as the feed keeps them, and delivered once it is active. `disabled`: by ' +
    'the service, because the receiver answered 410 or nothing succeeded for five days; events are delivered only if ' +
    'they are redelivered, until it is set to `active`',
});

export const NewWebhook = named(
  'WebhookInput',
  Type.Object({
    url: members.url,
    types: members.types,
    description: Type.Optional(members.description),
    state: Type.Optional(
      oneOf(['active', 'paused'], { default: 'active', description: '`paused`: kept, not sent yet' }),
    ),
  }),
);

/** A state of `disabled` is accepted if it is the present one. */
export const WebhookChanges = named(
  'WebhookChanges',
  Type.Object({
    url: Type.Optional(members.url),
    types: Type.Optional(members.types),
    description: Type.Optional(members.description),
    state: Type.Optional(state),
  }),
);

const LastDelivery = named(
  'LastDelivery',
  Type.Object({
    at: timestamp,
    status: createNullableSchema(
      Type.Integer({ description: 'the HTTP status that the receiver answered; null if it did not answer' }),
    ),
  }),
);

export const Webhook = named(
  'Webhook',
  Type.Object({
    webhookId: Id,
    url: Type.String({ description: 'where events are posted' }),
    types: members.types,
    description: createNullableSchema(Type.String({ description: "the partner's own words" })),
    state,
    disabledReason: createNullableSchema(Type.String({ description: 'why the service has disabled it' })),
    lastDelivery: createNullableSchema(LastDelivery),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

export const WebhookWithSecret = named(
  'WebhookWithSecret',
  Type.Object({
    ...Webhook.properties,
    secret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: '`whsec_` and 32 characters; shown this once, null when the answer is a replay',
    }),
  }),
);

/** A request may send them back unchanged. */
export const READ_ONLY = listReadOnlyMembers(Webhook, WebhookChanges);

export const Delivery = named(
  'Delivery',
  Type.Object({
    deliveryId: Id,
    eventId: Type.String({ description: 'also the `webhook-id` that the receiver got' }),
    type: oneOf([...eventTypeNames, TEST_TYPE], { description: 'of the event' }),
    attempt: Type.Integer({ minimum: 1, description: 'counted from 1' }),
    at: createNullableSchema(
      Type.String({ format: 'date-time', description: 'when the attempt began; null while it is waiting' }),
    ),
    durationMs: createNullableSchema(Type.Integer({ minimum: 0, description: 'until the receiver answered' })),
    outcome: oneOf(['succeeded', 'failed', 'waiting'], {
      description:
        '`waiting`: an attempt that is still to be made, at `nextAttemptAt` or after an earlier one of its resource',
    }),
    httpStatus: createNullableSchema(Type.Integer({ description: 'what the receiver answered; null: nothing' })),
    error: createNullableSchema(oneOf(ERRORS, { description: 'why it failed' })),
    nextAttemptAt: createNullableSchema(
      Type.String({ format: 'date-time', description: 'when the next attempt is due; null if there is none' }),
    ),
  }),
);

export const DeliveryPage = createPageSchema(Delivery);

type Last = Pick<DeliveryDocument, 'at' | 'httpStatus'>;

const viewWebhook = createView(Webhook);
const viewDelivery = createView(Delivery);

export function toWebhookView(webhook: WebhookDocument, last: Last | undefined): Static<typeof Webhook> {
  const lastDelivery = last?.at == null ? null : { at: last.at, status: last.httpStatus };
  return viewWebhook({ ...webhook, webhookId: webhook.id, lastDelivery });
}

export function toDeliveryView(delivery: DeliveryDocument): Static<typeof Delivery> {
  const nextAttemptAt = delivery.outcome === 'waiting' ? toInstant(delivery.dueAt) : delivery.nextAttemptAt;
  const type = delivery.type as Static<typeof Delivery>['type'];
  return viewDelivery({ ...delivery, deliveryId: delivery.id, type, nextAttemptAt });
}

const toInstant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

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

export const newWebhook: Static<typeof NewWebhook> = {
  url: webhook.url,
  types: webhook.types,
  description: webhook.description,
};

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

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

export const testDelivery: Static<typeof Delivery> = {
  ...delivery,
  eventId: 'evt_00mhs1k9f5g7ja3p1y6d',
  type: TEST_TYPE,
  outcome: 'succeeded',
  httpStatus: 204,
  error: null,
  nextAttemptAt: null,
};
