import { Fault } from '@boxoffice/envelope';
import { createInstantSchema, createNullableSchema, currency, id, named, oneOf, timestamp } from '@boxoffice/http';
import { type TObject, Type } from 'typebox';
import type { ResourceType } from '../store.ts';

const amount = Type.Integer({ description: 'in the minor unit of the currency' });
const count = createNullableSchema(Type.Integer({ minimum: 0, description: 'how many; null until known' }));
const describeState = (noun: string) => ({ description: `of the ${noun} after the change` });

const Cancellation = named(
  'OrderEventCancellation',
  Type.Object({
    requestedAt: timestamp,
    ticketsCancelled: count,
    controlled: count,
    placesReleased: count,
    settledAt: createNullableSchema(createInstantSchema('when tickets and places had followed')),
  }),
);

/** The order after the change. */
const OrderEventData = named(
  'OrderEventData',
  Type.Object({
    state: oneOf(['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'], describeState('order')),
    contactNumber: createNullableSchema({ ...id, description: 'the buyer' }),
    // Absent in events of earlier releases.
    externalReference: Type.Optional(
      createNullableSchema(
        Type.String({ maxLength: 200, description: 'the own reference of institution or reseller' }),
      ),
    ),
    pointOfSale: createNullableSchema({ ...id, description: 'its service host' }),
    performanceIds: Type.Array(id),
    currency,
    total: amount,
    paid: amount,
    // These three are absent in events of earlier releases.
    refunded: Type.Optional(amount),
    due: amount,
    credit: Type.Optional(amount),
    goodwill: Type.Optional(amount),
    expiresAt: createNullableSchema(timestamp),
    confirmedAt: createNullableSchema(timestamp),
    cancellation: createNullableSchema(Cancellation),
  }),
);

const ChangeEventData = named(
  'OrderChangeEventData',
  Type.Object({ ...OrderEventData.properties, changeId: { ...id, description: 'of the order' } }),
);

const lineId = { ...id, description: 'a line that left the order' };
const LinesChangedEventData = named(
  'OrderLinesChangedEventData',
  Type.Object({
    ...ChangeEventData.properties,
    returned: Type.Array(named('ReturnedLineEventData', Type.Object({ lineId }))),
    exchanged: Type.Array(
      named(
        'ExchangedLineEventData',
        Type.Object({ lineId, newLineId: { ...id, description: 'the line that took its place' } }),
      ),
    ),
    difference: Type.Integer({ description: 'of the total after the change to that before, its fees included' }),
  }),
);

const PaymentEventData = named(
  'PaymentEventData',
  Type.Object({
    orderId: id,
    changeId: Type.Optional({ ...id, description: 'of the change of the order that it pays, if it pays one' }),
    status: oneOf(['captured', 'failed'], describeState('payment')),
    amount,
    currency,
  }),
);

const DisputeEventData = named(
  'DisputeEventData',
  Type.Object({
    ...PaymentEventData.properties,
    disputed: oneOf(['open', 'won', 'lost'], { description: 'by the buyer; lost: the money is gone' }),
    reason: Type.String({ description: "the provider's code" }),
  }),
);

const RefundEventData = named(
  'RefundEventData',
  Type.Object({
    orderId: id,
    // Absent in events of earlier releases.
    state: Type.Optional(oneOf(['pending', 'done', 'failed'], describeState('refund'))),
    amount,
    currency,
  }),
);

/** Without barcode and beneficiary. */
const TicketEventData = named(
  'TicketEventData',
  Type.Object({
    status: oneOf(['not_printed', 'printed', 'controlled', 'invalidated', 'cancelled'], describeState('ticket')),
    orderId: id,
    lineId: id,
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    placeId: id,
    price: amount,
    currency,
    printedAt: createNullableSchema(timestamp),
    controlledAt: createNullableSchema(timestamp),
    replaces: createNullableSchema({ ...id, description: 'the ticket that this one replaces' }),
    replacedBy: createNullableSchema({ ...id, description: 'the ticket that replaces this one' }),
  }),
);

const ContactEventData = named(
  'ContactEventData',
  Type.Object({
    kind: oneOf(['individual', 'structure'], { description: 'a person, or a company' }),
    erasedAt: createNullableSchema(timestamp),
  }),
);

const ProductEventData = named(
  'ProductEventData',
  Type.Object({
    type: oneOf(['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'], {
      description: 'of product',
    }),
    state: oneOf(['preparing', 'validated', 'running', 'suspended', 'closed', 'cancelled'], describeState('product')),
    startDate: createNullableSchema(timestamp),
    endDate: createNullableSchema(timestamp),
  }),
);

const PerformanceEventData = named(
  'PerformanceEventData',
  Type.Object({
    productId: id,
    state: oneOf(['on_sale', 'closed', 'cancelled'], describeState('performance')),
    startDate: timestamp,
    salesFrom: createNullableSchema(timestamp),
    salesTo: createNullableSchema(timestamp),
  }),
);

interface Subject {
  readonly resource: ResourceType;
  /** Who may read the resource may see its events. */
  readonly scope: string;
  readonly data: TObject;
  readonly path: (id: string, data: Readonly<Record<string, unknown>>) => string;
}

const order: Subject = {
  resource: 'order',
  scope: 'orders:read',
  data: OrderEventData,
  path: (id) => `/svc/v3/orders/${id}`,
};

const payment: Subject = {
  resource: 'payment',
  scope: 'orders.sensitive:read',
  data: PaymentEventData,
  path: (id, { orderId }) => `/svc/v3/orders/${orderId}/payments/${id}`,
};

const refund: Subject = {
  resource: 'refund',
  scope: 'orders.sensitive:read',
  data: RefundEventData,
  path: (id, { orderId }) => `/svc/v3/orders/${orderId}/refunds/${id}`,
};

const ticket: Subject = {
  resource: 'ticket',
  scope: 'tickets:read',
  data: TicketEventData,
  path: (id) => `/svc/v3/tickets/${id}`,
};

const contact: Subject = {
  resource: 'contact',
  scope: 'contacts:read',
  data: ContactEventData,
  path: (id, { kind }) => `/svc/v3/contacts/${kind === 'structure' ? 'structures' : 'individuals'}/${id}`,
};

const product: Subject = {
  resource: 'product',
  scope: 'catalog:read',
  data: ProductEventData,
  path: (id) => `/svc/v3/catalog/products/${id}`,
};

const performance: Subject = {
  resource: 'performance',
  scope: 'catalog:read',
  data: PerformanceEventData,
  path: (id) => `/svc/v3/catalog/performances/${id}`,
};

/** With what each says in a sentence. */
export const eventTypes = {
  'order.created': { ...order, summary: 'An order was created, or a cart became one at its checkout' },
  'order.changed': {
    ...order,
    summary: 'An order changed in a way that has no type of its own; also a payment that is pending',
  },
  'order.confirmed': { ...order, summary: 'An order was confirmed: its places are sold' },
  'order.expired': { ...order, summary: 'An order expired: its places are free again' },
  'order.cancelled': { ...order, summary: 'An order was cancelled; its tickets and places follow' },
  'order.settled': {
    ...order,
    summary: 'The cancellation of an order ended: its tickets are cancelled and its places free again',
  },
  'order.change_pending': {
    ...order,
    data: ChangeEventData,
    summary: 'A change of the lines of a confirmed order waits for its payment',
  },
  'order.lines_changed': {
    ...order,
    data: LinesChangedEventData,
    summary: 'Lines of a confirmed order were returned or exchanged; tickets and places follow',
  },
  'order.change_lapsed': {
    ...order,
    data: ChangeEventData,
    summary: 'A change of a confirmed order was not paid in time, or was given up: what it held is free again',
  },
  'order.change_settled': {
    ...order,
    data: ChangeEventData,
    summary: 'A change of a confirmed order ended: the old tickets are cancelled and the old places free',
  },
  'payment.recorded': { ...payment, summary: 'A payment was captured' },
  'payment.failed': { ...payment, summary: 'A pending payment failed' },
  'payment.disputed': {
    ...payment,
    data: DisputeEventData,
    summary: 'The buyer disputes a payment by a provider, or the dispute has ended',
  },
  'refund.recorded': { ...refund, summary: 'A refund was recorded' },
  'refund.changed': { ...refund, summary: 'A refund by a provider was done, or failed' },
  'ticket.issued': { ...ticket, summary: 'A ticket was issued, also in the place of another' },
  'ticket.changed': { ...ticket, summary: 'A ticket changed in a way that has no type of its own' },
  'ticket.printed': { ...ticket, summary: 'A ticket was printed' },
  'ticket.printing_reverted': { ...ticket, summary: 'The printing of a ticket was reverted' },
  'ticket.replaced': { ...ticket, summary: 'A ticket is not valid any more: another one replaces it' },
  'ticket.controlled': { ...ticket, summary: 'A ticket was controlled at the door' },
  'ticket.control_reverted': { ...ticket, summary: 'The control of a ticket was reverted' },
  'ticket.cancelled': { ...ticket, summary: 'A ticket was cancelled with its order' },
  'contact.created': { ...contact, summary: 'A contact was created' },
  'contact.changed': { ...contact, summary: 'A contact changed, but not in its sensitive data alone' },
  'contact.erased': { ...contact, summary: 'The personal data of a contact was erased' },
  'product.created': { ...product, summary: 'A product was created' },
  'product.changed': { ...product, summary: 'A product changed, or its state' },
  'performance.created': { ...performance, summary: 'A performance was created' },
  'performance.changed': { ...performance, summary: 'A performance changed' },
  'performance.cancelled': { ...performance, summary: 'A performance was cancelled' },
} as const satisfies Record<string, Subject & { readonly summary: string }>;

export type EventType = keyof typeof eventTypes;

/** It stands for no fact, so the feed does not have it. */
export const TEST_TYPE = 'webhook.test';

/** In the order of the table. */
export const eventTypeNames = Object.keys(eventTypes) as EventType[];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventTypes, text);
}

/** `order.*` and so on. */
export const typeGroups: readonly string[] = [
  ...new Set(eventTypeNames.map((type) => `${type.slice(0, type.indexOf('.'))}.*`)),
];

/** Each once, in the order of the table. @throws {Fault} `invalid_parameter` for a name of neither type nor group */
export function expandTypes(selectors: readonly string[]): readonly EventType[] {
  const found = new Set(
    selectors.flatMap((selector) => {
      const types = selectTypes(selector);
      if (types.length > 0) return types;
      throw new Fault('invalid_parameter', `There is no type of event "${selector}".`);
    }),
  );
  return eventTypeNames.filter((type) => found.has(type));
}

/** None if the selector names nothing. */
const selectTypes = (selector: string): readonly EventType[] =>
  selector.endsWith('.*')
    ? eventTypeNames.filter((type) => type.startsWith(selector.slice(0, -1)))
    : eventTypeNames.filter((type) => type === selector);

export function listVisibleTypes(scopes: readonly string[]): readonly EventType[] {
  return eventTypeNames.filter((type) => scopes.includes(eventTypes[type].scope));
}
