import { Fault } from '@boxoffice/envelope';
import type { TObject } from 'typebox';
import type { ResourceType } from '../store.ts';
import {
  ContactEventData,
  OrderEventData,
  PaymentEventData,
  PerformanceEventData,
  ProductEventData,
  RefundEventData,
  TicketEventData,
} from './data.ts';

/** What the events of one kind of resource have in common. */
export interface Subject {
  readonly resource: ResourceType;
  /** Who may read the resource may see its events. */
  readonly scope: string;
  readonly data: TObject;
  /** The path of the resource. */
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

/** Every type of event in the feed, with what it says in a sentence. */
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
  'payment.recorded': { ...payment, summary: 'A payment was captured' },
  'payment.failed': { ...payment, summary: 'A pending payment failed' },
  'refund.recorded': { ...refund, summary: 'A refund was recorded' },
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

/** What the test of a webhook delivers: it stands for no fact, so the feed does not have it. */
export const TEST_TYPE = 'webhook.test';

/** The names of all types, in the order of the table. */
export const eventTypeNames = Object.keys(eventTypes) as EventType[];

/** Whether the text names a type. */
export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/** `order.*` and so on: every type of one kind of resource. */
export const typeGroups: readonly string[] = [
  ...new Set(eventTypeNames.map((type) => `${type.slice(0, type.indexOf('.'))}.*`)),
];

/** The types that a type or a group names; none if it names nothing. */
const namedBy = (selector: string): readonly EventType[] =>
  selector.endsWith('.*')
    ? eventTypeNames.filter((type) => type.startsWith(selector.slice(0, -1)))
    : eventTypeNames.filter((type) => type === selector);

/**
 * The types that a list of types and groups names, each once, in the order of the table.
 * @throws {Fault} `invalid_parameter` for a name that is neither
 */
export const expandTypes = (selectors: readonly string[]): readonly EventType[] => {
  const found = new Set(
    selectors.flatMap((selector) => {
      const types = namedBy(selector);
      if (types.length > 0) return types;
      throw new Fault('invalid_parameter', `There is no type of event "${selector}".`);
    }),
  );
  return eventTypeNames.filter((type) => found.has(type));
};

/** The types whose resource the holder of these scopes may read. */
export const typesVisibleTo = (scopes: readonly string[]): readonly EventType[] =>
  eventTypeNames.filter((type) => scopes.includes(eventTypes[type].scope));
