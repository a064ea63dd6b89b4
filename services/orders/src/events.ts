import { createNullableSchema, oneOf, timestamp } from '@boxoffice/http';
import {
  type Announcement,
  type BelongsTo,
  type CurrentFacts,
  createAnnouncementExample,
  createAnnouncementSchema,
  repeatAnnouncement,
} from '@boxoffice/service';
import { readAllDocuments } from '@boxoffice/store';
import { Type } from 'typebox';
import { confirmed as confirmedOrder, ids } from './api/examples.ts';
import { toOrderView } from './api/views.ts';
import { catalogValues } from './clients/generated/catalog.ts';
import {
  type ContactNamed,
  createContactNamedFacts,
  createMailRequestedFact,
  createOrderCancelledFact,
  createOrderConfirmedFact,
  createOrderExpiredFact,
  createRefundRequestedFact,
  type DomainFact,
  listClients,
  type MailRequested,
  type OrderCancelled,
  type OrderConfirmed,
  type OrderExpired,
  type RefundRequested,
} from './domain/order/facts.ts';
import { computeLost } from './domain/order/money.ts';
import type { Order } from './domain/order/order.ts';
import { isHidden } from './domain/order/state.ts';
import { type OrderDocument, ordersCollection } from './store.ts';

const ORDER_CONFIRMED = 'order.confirmed' satisfies DomainFact['type'];
const ORDER_CANCELLED = 'order.cancelled' satisfies DomainFact['type'];
const CONTACT_NAMED = 'order.contact_named' satisfies DomainFact['type'];
const MAIL_REQUESTED = 'order.mail_requested' satisfies DomainFact['type'];
const ORDER_EXPIRED = 'order.expired' satisfies DomainFact['type'];
const REFUND_REQUESTED = 'order.refund_requested' satisfies DomainFact['type'];
export const ORDER_RECORDED = 'order.recorded';

const toEventData = (order: OrderDocument): object => {
  const shown = toOrderView(order);
  const { reason: _, ...cancellation } = shown.cancellation ?? {};
  return {
    state: shown.state,
    contactNumber: shown.contactNumber,
    externalReference: shown.externalReference,
    pointOfSale: shown.pointOfSale,
    performanceIds: order.performanceIds,
    currency: shown.currency,
    total: shown.total,
    paid: shown.paid,
    refunded: shown.refunded,
    due: shown.due,
    credit: shown.credit,
    goodwill: shown.goodwill,
    expiresAt: shown.expiresAt,
    confirmedAt: shown.confirmedAt,
    cancellation: shown.cancellation && cancellation,
  };
};

const toOwners = ({ createdBy, pointOfSale }: Order): BelongsTo => ({ clientIds: listClients(createdBy), pointOfSale });

/** None while the order is a cart. */
export function announceOrder(before: OrderDocument | undefined, after: OrderDocument): Announcement[] {
  if (isHidden(after)) return [];
  // An order that one call sells is announced with its sale, and with its first version.
  const created = before?.unseen ? { version: before.version } : {};
  const payments = listMoneyEvents(before?.unseen ? undefined : before, after);
  const types = listOrderTypes(before, after);
  const isChanged = (from: OrderDocument): boolean =>
    hasNewPending(from, after) || serializeVisible(from) !== serializeVisible(after);
  const isOther = types.length === 0 && payments.length === 0 && before && isChanged(before);
  const changes = listChangeEvents(before, after);
  // What an erasure takes along is told by contact.erased.
  const isOwn = isOther && before.erasedContact === after.erasedContact && !hasOtherChange(before, after);
  if (isOwn) types.push('order.changed');
  const toOwn = (type: string, more: object) => ({
    ...{ type, resource: { type: 'order', id: after.id } },
    data: { ...toEventData(after), ...more },
  });
  const own: Announcement[] = [
    ...changes.map(({ type, ...more }) => toOwn(type, more)),
    ...types.map((type) => ({ ...toOwn(type, {}), ...(type === 'order.created' && created) })),
  ];
  const [first, ...rest] = own;
  const all = first?.type === 'order.created' ? [first, ...payments, ...rest] : [...payments, ...own];
  return all.map((announcement) => ({ ...announcement, belongsTo: toOwners(after) }));
}

const listMoneyEvents = (before: Order | undefined, { id: orderId, payments, refunds }: Order): Announcement[] => {
  const statuses = new Map(before?.payments.map(({ id, status }) => [id, status]));
  const known = new Map(before?.refunds.map(({ id, status = 'done' }) => [id, status]));
  const disputes = new Map(before?.payments.map(({ id, disputed }) => [id, disputed]));
  return [
    ...payments.flatMap(({ id, status, amount, currency, changeId }): Announcement[] => {
      if (status === 'pending' || statuses.get(id) === status) return [];
      const type = status === 'captured' ? 'payment.recorded' : 'payment.failed';
      const data = { orderId, ...(changeId && { changeId }), status, amount, currency };
      return [{ type, resource: { type: 'payment', id }, data }];
    }),
    ...refunds.flatMap(({ id, amount, currency, status: state = 'done' }): Announcement[] => {
      if (known.get(id) === state) return [];
      const type = known.has(id) ? 'refund.changed' : 'refund.recorded';
      return [{ type, resource: { type: 'refund', id }, data: { orderId, state, amount, currency } }];
    }),
    ...payments.flatMap(({ id, status, amount, currency, disputed, changeId }): Announcement[] => {
      const known = disputes.get(id);
      if (!disputed || (known?.state === disputed.state && computeLost(known) === computeLost(disputed))) return [];
      const paid = { orderId, ...(changeId && { changeId }), status, amount, currency };
      const data = { ...paid, disputed: disputed.state, reason: disputed.reason };
      return [{ type: 'payment.disputed', resource: { type: 'payment', id }, data }];
    }),
  ];
};

const listOrderTypes = (before: OrderDocument | undefined, after: OrderDocument): string[] => {
  const types: string[] = [];
  if (!before || isHidden(before)) types.push('order.created');
  const { state } = after;
  if (state !== before?.state && (state === 'confirmed' || state === 'expired' || state === 'cancelled'))
    types.push(`order.${state}`);
  const settledAt = after.cancellation?.settledAt ?? null;
  if (settledAt !== null && settledAt !== (before?.cancellation?.settledAt ?? null)) types.push('order.settled');
  return types;
};

interface ChangeEvent {
  readonly type: string;
  readonly changeId: string;
}

/** Of what became of changes; of one that is to be done at once when it is. */
const listChangeEvents = (before: Order | undefined, { changes = [] }: Order): ChangeEvent[] =>
  changes.flatMap((change) => {
    const { id: changeId, state, coveredAt, settlement, returns, exchanges, difference } = change;
    const known = before?.changes?.find(({ id }) => id === changeId);
    const events: ChangeEvent[] = [];
    if (state !== known?.state) {
      if (state === 'pending' && coveredAt === null) events.push({ type: 'order.change_pending', changeId });
      if (state === 'lapsed') events.push({ type: 'order.change_lapsed', changeId });
      if (state === 'done') {
        const returned = returns.map(({ lineId }) => ({ lineId }));
        const exchanged = exchanges.map(({ lineId, newLineId }) => ({ lineId, newLineId }));
        const said = { changeId, returned, exchanged, difference };
        events.push({ type: 'order.lines_changed', ...said });
      }
    }
    const isSettled = settlement.settledAt !== null && !known?.settlement.settledAt;
    return isSettled ? [...events, { type: 'order.change_settled', changeId }] : events;
  });

/** Then whatever else changed belongs to it. */
const hasOtherChange = (before: Order, { changes = [] }: Order): boolean =>
  changes.some((change) => {
    const known = before.changes?.find(({ id }) => id === change.id);
    return (
      known?.state !== change.state || known.coveredAt !== change.coveredAt || known.settlement !== change.settlement
    );
  });

/** A change of the order that need not show elsewhere in it. */
const hasNewPending = (before: Order, { payments }: Order): boolean => {
  const known = new Set(before.payments.map(({ id }) => id));
  return payments.some(({ id, status }) => status === 'pending' && !known.has(id));
};

/** Without what follows from changes elsewhere: ticket ids, counts of a cancellation. */
const serializeVisible = (order: OrderDocument): string => {
  const { lines, cancellation, ...shown } = toOrderView(order);
  const own = lines.map((line) => ({ ...line, ticketId: null }));
  return JSON.stringify({ ...shown, lines: own, reason: cancellation?.reason, version: null, updatedAt: null });
};

/** None while its sale is due, since that publishes one. */
const toCurrentFact = (order: OrderDocument): DomainFact | undefined => {
  const { state, saleDue, cancellation } = order;
  if (saleDue) return undefined;
  if (state === 'confirmed') return createOrderConfirmedFact(order);
  if (state === 'expired') return createOrderExpiredFact(order);
  return state === 'cancelled' && cancellation ? createOrderCancelledFact(order, cancellation) : undefined;
};

/** None of what has ended. */
const listOpenRequests = (order: OrderDocument): readonly DomainFact[] =>
  order.refunds.flatMap((refund) =>
    refund.provider !== undefined && refund.status === 'pending' ? [createRefundRequestedFact(order, refund)] : [],
  );

/** Of confirmed, cancelled and expired orders, and of what a provider has still to do. Carts have no `modifiedAt`. */
export const currentFacts: CurrentFacts = {
  types: [CONTACT_NAMED, ORDER_CONFIRMED, ORDER_CANCELLED, ORDER_EXPIRED, REFUND_REQUESTED, ORDER_RECORDED],
  async *read(store) {
    for await (const order of readAllDocuments(store.collection(ordersCollection))) {
      const said = { resource: 'order', data: toEventData(order), belongsTo: toOwners(order) };
      const last = repeatAnnouncement(order, ORDER_RECORDED, said);
      const { institution, id: key, version, modifiedAt: changedAt } = order;
      const named = order.unseen ? [] : createContactNamedFacts(order);
      for (const fact of [...named, toCurrentFact(order), ...listOpenRequests(order), last])
        if (fact) yield { ...fact, institution, key, version, changedAt };
    }
  },
  async repeat(store, { type, key }) {
    const at = Date.now();
    const { acrossInstitutions } = store.collection(ordersCollection);
    if (type === ORDER_CONFIRMED)
      await acrossInstitutions.moveDue(key, 'issueTickets', null, { at, since: at, tries: 0 });
  },
};

const { id: orderId, createdBy, contactNumber, externalReference, currency } = confirmedOrder;
const [line] = confirmedOrder.lines;
const pointOfSale = 'tickets.opera.example';

/** For the tests of consumers. The key is the order's id, the version is the order's. */
export const examples = {
  [CONTACT_NAMED]: { orderId, contactNumber, clientId: createdBy.clientId, pointOfSale } satisfies ContactNamed['data'],
  [ORDER_CONFIRMED]: {
    orderId,
    number: 'k7m2xq9c',
    contactNumber,
    pointOfSale,
    createdBy,
    ticketDelivery: 'electronic',
    callFollows: true,
    tickets: [
      {
        ticketId: String(line.ticketId),
        lineId: line.id,
        performanceId: line.performanceId,
        seatCategoryId: line.seatCategoryId,
        tariffId: line.tariffId,
        place: line.place,
        price: { amount: line.amount, currency },
        productId: line.productId,
        startDate: line.startDate,
      },
    ],
  } satisfies OrderConfirmed['data'],
  [ORDER_CANCELLED]: {
    orderId,
    hadTickets: true,
    override: false,
    placeIds: [line.place.id],
  } satisfies OrderCancelled['data'],
  [ORDER_EXPIRED]: { orderId, placeIds: [line.place.id] } satisfies OrderExpired['data'],
  [MAIL_REQUESTED]: createMailRequestedFact(
    { id: orderId, pointOfSale, contactNumber },
    Date.parse('2027-02-02T09:30:00.000Z'),
  ).data satisfies MailRequested['data'],
  [REFUND_REQUESTED]: {
    orderId,
    refundId: ids.refund,
    paymentId: ids.payment,
    provider: 'stripe',
    amount: line.amount,
    currency,
    automatic: true,
  } satisfies RefundRequested['data'],
  [ORDER_RECORDED]: createAnnouncementExample({
    type: 'order.confirmed',
    resource: { type: 'order', id: orderId },
    data: {
      state: 'confirmed',
      contactNumber,
      externalReference,
      pointOfSale,
      performanceIds: [line.performanceId],
      currency,
      total: line.amount,
      paid: line.amount,
      refunded: 0,
      due: 0,
      credit: 0,
      goodwill: 0,
      expiresAt: null,
      confirmedAt: confirmedOrder.confirmedAt,
      cancellation: null,
    },
    belongsTo: { clientIds: [createdBy.clientId], pointOfSale },
  }),
} as const;

const id = Type.String();
const name = createNullableSchema(Type.String());

/** Consumers may rely on these members, and later releases keep them. */
export const schemas = {
  [CONTACT_NAMED]: Type.Object(
    { orderId: id, contactNumber: name, clientId: name, pointOfSale: Type.Optional(name) },
    {
      description: 'An order of a client or of a point of sale names a contact, another one, or (null) none any more.',
    },
  ),
  [ORDER_CONFIRMED]: Type.Object(
    {
      orderId: id,
      number: Type.Optional(Type.String({ description: 'of the order, for people' })),
      contactNumber: name,
      pointOfSale: name,
      createdBy: Type.Optional(
        Type.Object({ clientId: Type.Optional(id), userId: Type.Optional(id), pointOfSale: Type.Optional(id) }),
      ),
      ticketDelivery: Type.Optional(oneOf(catalogValues['Hold.pointOfSale.ticketDelivery'])),
      callFollows: Type.Optional(Type.Literal(true)),
      tickets: Type.Array(
        Type.Object({
          ticketId: id,
          lineId: id,
          performanceId: id,
          seatCategoryId: id,
          tariffId: id,
          place: Type.Object({ id, label: Type.String(), row: name, seat: createNullableSchema(Type.Integer()) }),
          price: Type.Object({ amount: Type.Integer(), currency: Type.String() }),
          productId: id,
          startDate: timestamp,
        }),
      ),
    },
    { description: 'An order is sold; tickets are issued for its lines.' },
  ),
  [ORDER_CANCELLED]: Type.Object(
    { orderId: id, hadTickets: Type.Boolean(), override: Type.Boolean(), placeIds: Type.Array(id) },
    { description: 'An order is cancelled; its places are free, its tickets cancelled.' },
  ),
  [ORDER_EXPIRED]: Type.Object(
    { orderId: id, placeIds: Type.Array(id) },
    { description: 'An order was not paid in time; its places are free.' },
  ),
  [MAIL_REQUESTED]: Type.Object(
    {
      orderId: id,
      pointOfSale: name,
      contactNumber: name,
      kind: oneOf(['confirmation', 'lines_returned'], {
        description: 'lines_returned: a performance is cancelled, and the order has others, too',
      }),
      changeId: Type.Optional(Type.String({ description: 'that returned the lines' })),
      requestedAt: timestamp,
    },
    {
      description:
        'The buyer of an order is to get a mail: one again that the institution asked for, or about returned lines.',
    },
  ),
  [REFUND_REQUESTED]: Type.Object(
    {
      orderId: id,
      refundId: id,
      paymentId: id,
      provider: Type.String(),
      amount: Type.Integer({ description: "in the currency's minor unit" }),
      currency: Type.String(),
      automatic: Type.Boolean({ description: 'true: nobody has asked for it, the money was credit' }),
    },
    { description: 'A refund of a payment by a provider is recorded, and the provider is to make it.' },
  ),
  [ORDER_RECORDED]: createAnnouncementSchema(
    'An order, a payment or a refund was created or changed, as the event of partners tells it.',
  ),
} as const;
