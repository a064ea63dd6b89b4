import {
  createNullableSchema,
  type DescribedWebhook,
  id,
  institutionId,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { type Static, type TSchema, Type } from 'typebox';
import type { ResourceType, WebhookDocument } from '../store.ts';
import { type EventType, eventTypeNames, eventTypes, TEST_TYPE } from './types.ts';

const PUBLIC_URL = 'https://localhost:8443';
const at = '2027-02-01T12:00:00.000Z';
const orderId = 'ord_00mhs1k9f5g7ja3p1y6d';
const changeId = 'chg_00mhs1k9f5g7ja3p1y6d';
const productId = 'prd_00mhs1k2a4h9rv2c6t5b';
const performanceId = 'prf_00mhs1k2e7d3kq0w8z1x';

const order = {
  state: 'open',
  contactNumber: 'C7K2M9QX4TB03',
  externalReference: 'agency-4711',
  pointOfSale: 'tickets.opera.example',
  performanceIds: [performanceId],
  currency: 'CHF',
  total: 12_500,
  paid: 0,
  refunded: 0,
  due: 12_500,
  credit: 0,
  goodwill: 0,
  expiresAt: '2027-02-01T12:15:00.000Z',
  confirmedAt: null as string | null,
  cancellation: null as object | null,
};
const confirmed = { ...order, state: 'confirmed', paid: 12_500, due: 0, expiresAt: null, confirmedAt: at };
const cancellation = {
  requestedAt: at,
  ticketsCancelled: null,
  controlled: null,
  placesReleased: null,
  settledAt: null,
};
const settled = { requestedAt: at, ticketsCancelled: 1, controlled: 0, placesReleased: 1, settledAt: at };

const ticket = {
  status: 'printed',
  orderId,
  lineId: 'lin_00mhs1k9f8c2vn5e0r4t',
  performanceId,
  seatCategoryId: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  tariffId: 'trf_00mhs1k1z2s6xe8b0n4m',
  placeId: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
  price: 12_500,
  currency: 'CHF',
  printedAt: at as string | null,
  controlledAt: null as string | null,
  replaces: null as string | null,
  replacedBy: null as string | null,
};
const unprinted = { ...ticket, status: 'not_printed', printedAt: null };

const contact = { kind: 'individual', erasedAt: null as string | null };
const product = { type: 'show', state: 'running', startDate: null, endDate: null };
const performance = {
  productId,
  state: 'on_sale',
  startDate: '2027-03-14T19:30:00.000Z',
  salesFrom: null,
  salesTo: null,
};

const data: Readonly<Record<EventType, Readonly<Record<string, unknown>>>> = {
  'order.created': order,
  'order.changed': order,
  'order.confirmed': confirmed,
  'order.expired': { ...order, state: 'expired' },
  'order.cancelled': { ...confirmed, state: 'cancelled', cancellation },
  'order.settled': { ...confirmed, state: 'cancelled', cancellation: settled },
  'order.change_pending': { ...confirmed, changeId },
  'order.lines_changed': {
    ...{ ...confirmed, total: 7_500, credit: 5_000, changeId, returned: [{ lineId: ticket.lineId }] },
    ...{ exchanged: [], difference: -5_000 },
  },
  'order.change_lapsed': { ...confirmed, changeId },
  'order.change_settled': { ...confirmed, changeId },
  'payment.recorded': { orderId, changeId, status: 'captured', amount: 12_500, currency: 'CHF' },
  'payment.failed': { orderId, status: 'failed', amount: 12_500, currency: 'CHF' },
  'payment.disputed': {
    ...{ orderId, status: 'captured', amount: 12_500, currency: 'CHF' },
    ...{ disputed: 'open', reason: 'fraudulent' },
  },
  'refund.recorded': { orderId, state: 'pending', amount: 12_500, currency: 'CHF' },
  'refund.changed': { orderId, state: 'done', amount: 12_500, currency: 'CHF' },
  'ticket.issued': unprinted,
  'ticket.changed': unprinted,
  'ticket.printed': ticket,
  'ticket.printing_reverted': unprinted,
  'ticket.replaced': { ...ticket, status: 'invalidated', replacedBy: 'tic_00mhs1k9f8c2vn5e0r4t_r1' },
  'ticket.controlled': { ...ticket, status: 'controlled', controlledAt: at },
  'ticket.control_reverted': ticket,
  'ticket.cancelled': { ...ticket, status: 'cancelled' },
  'contact.created': contact,
  'contact.changed': contact,
  'contact.erased': { ...contact, erasedAt: at },
  'product.created': { ...product, state: 'preparing' },
  'product.changed': product,
  'performance.created': performance,
  'performance.changed': performance,
  'performance.cancelled': { ...performance, state: 'cancelled' },
};

const ids: Readonly<Record<ResourceType, string>> = {
  order: orderId,
  payment: 'pay_00mhs1k9f6h3kq0w8z1x',
  refund: 'ref_00mhs1k9f6h3kq0w8z1x',
  ticket: 'tic_00mhs1k9f8c2vn5e0r4t',
  contact: 'C7K2M9QX4TB03',
  product: productId,
  performance: performanceId,
};

export function createEventExample(type: EventType) {
  const { resource, path } = eventTypes[type];
  const id = ids[resource];
  return {
    id: 'evt_5k2m9qx4tb03vn5e0rw',
    type,
    sequence: 4_711,
    occurredAt: at,
    institution: 'opera',
    resource: { type: resource, id, version: 4, url: `${PUBLIC_URL}${path(id, data[type])}` },
    data: data[type],
  };
}

const resourceTypes = [...new Set(eventTypeNames.map((type) => eventTypes[type].resource))];

const resource = {
  id,
  version: Type.Integer({ minimum: 1, description: 'grows from event to event of the resource' }),
  url: Type.String({ format: 'uri', description: 'where the resource can be read' }),
};

const EventResource = named(
  'EventResource',
  Type.Object({ type: oneOf(resourceTypes, { description: 'what it is' }), ...resource }),
);

const eventId = Type.String({ description: 'the same wherever the event is shown or delivered' });

const envelope = {
  id: eventId,
  sequence: createNullableSchema(
    Type.Integer({
      minimum: 1,
      description: 'per institution, without gaps, in the order of visibility; null for a client with bounds',
    }),
  ),
  occurredAt: timestamp,
  institution: institutionId,
  resource: EventResource,
};

/** `order.control_reverted` as the name of a schema: `OrderControlRevertedEvent`. */
const nameSchema = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

const createEventSchema = (type: EventType): TSchema =>
  named(
    nameSchema(type),
    Type.Object({ ...envelope, type: oneOf([type], { description: 'what happened' }), data: eventTypes[type].data }),
  );

/** `type` distinguishes them, also in generated code. */
export const Event = named(
  'Event',
  Type.Unsafe<object>({
    description:
      '`data` has ids, states, amounts and instants, and the `externalReference` of orders; no personal data.',
    oneOf: eventTypeNames.map(createEventSchema),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(eventTypeNames.map((type) => [type, `#/components/schemas/${nameSchema(type)}`])),
    },
  }),
);

export const WebhookTestEvent = named(
  'WebhookTestEvent',
  Type.Object(
    {
      id: eventId,
      occurredAt: timestamp,
      institution: institutionId,
      resource: Type.Object(
        {
          ...resource,
          type: oneOf(['webhook'], { description: 'what it is' }),
          version: Type.Integer({ minimum: 1, description: 'of the webhook that is tested' }),
        },
        { description: 'the webhook that is tested' },
      ),
      type: oneOf([TEST_TYPE], { description: 'tells it from events' }),
      data: Type.Object({}, { additionalProperties: false, description: 'empty' }),
    },
    { description: 'Stands for no fact: it has no `sequence`, and the feed does not show it.' },
  ),
);

/** As webhooks receive them and the feed shows them; and the test, which is delivered only. */
export const describedWebhooks: readonly DescribedWebhook[] = [
  ...eventTypeNames.map((type) => ({
    type,
    summary: eventTypes[type].summary,
    body: createEventSchema(type),
    example: createEventExample(type),
  })),
  {
    type: TEST_TYPE,
    summary: 'A webhook was tested: `POST /svc/v3/webhooks/{webhookId}/test`',
    body: WebhookTestEvent,
    example: createTestEvent(
      { id: 'whk_5k2m9qx4tb03vn5e0rw8', revision: 2 },
      { id: 'evt_00mhs1k9f5g7ja3p1y6d', institution: 'opera', at: Date.parse(at), publicUrl: PUBLIC_URL },
    ),
  },
];

interface TestOptions {
  readonly id: string;
  readonly institution: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly publicUrl: string;
}

export function createTestEvent(
  webhook: Pick<WebhookDocument, 'id' | 'revision'>,
  { id, institution, at, publicUrl }: TestOptions,
): Static<typeof WebhookTestEvent> {
  return {
    id,
    type: TEST_TYPE,
    occurredAt: new Date(at).toISOString(),
    institution,
    resource: {
      type: 'webhook',
      id: webhook.id,
      version: webhook.revision,
      url: new URL(`/svc/v3/webhooks/${webhook.id}`, publicUrl).href,
    },
    data: {},
  };
}
