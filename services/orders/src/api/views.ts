import { type Answer, created, type Listed, ok } from '@boxoffice/http';
import type { Static } from 'typebox';
import { findPendingChange } from '../domain/changes/change.ts';
import { resolveReturnPolicy } from '../domain/changes/policy.ts';
import { hasNames } from '../domain/order/facts.ts';
import { changeFeeNames, type OrderFee } from '../domain/order/line.ts';
import {
  computeCredit,
  computeDue,
  computePaid,
  computePaymentStatus,
  computeRefunded,
  computeRefundStatus,
  computeTotal,
} from '../domain/order/money.ts';
import type { Cancellation, Line, MoneyRecord, Order, Payment, Refund } from '../domain/order/order.ts';
import { computeBase, listLineTaxes, listOrderTaxes } from '../domain/price.ts';
import { formatOrderPath } from '../ids.ts';
import type { OrderDocument } from '../store.ts';
import { createNotFoundFault } from './faults.ts';
import type { ReturnPolicy } from './return-policy-schema.ts';
import type * as schemas from './schemas.ts';
import type { IncludedTickets } from './ticket-schema.ts';

export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function formatInstantOrNull(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : formatInstant(epochMs);
}

export function toLineView(line: Line, { currency }: Pick<OrderDocument, 'currency'>): Static<typeof schemas.Line> {
  const { place, beneficiary } = line;
  return {
    id: line.id,
    productId: line.productId,
    performanceId: line.performanceId,
    startDate: line.startDate,
    seatCategoryId: line.seatCategoryId,
    tariffId: line.tariffId,
    place: { id: place.id, label: place.label, row: place.row, seat: place.seat },
    base: computeBase(line),
    components: [...(line.price?.components ?? [])],
    amount: line.amount,
    taxes: [...listLineTaxes(line)],
    currency,
    beneficiary: beneficiary ? { firstName: beneficiary.firstName, lastName: beneficiary.lastName } : null,
    ticketId: line.ticketId,
    replaces: line.replaces ?? null,
    returnPolicy: toReturnPolicyView(line),
  };
}

export function toReturnPolicyView(line: Parameters<typeof resolveReturnPolicy>[0]): Static<typeof ReturnPolicy> {
  const policy = resolveReturnPolicy(line);
  if (!policy) return null;
  const { returnableUntil, returnFee, exchangeableUntil, exchangeFee } = policy;
  return {
    ...{ returnableUntil: formatInstantOrNull(returnableUntil), returnFee },
    ...{ exchangeableUntil: formatInstantOrNull(exchangeableUntil), exchangeFee },
  };
}

export function toOrderView(order: OrderDocument): Static<typeof schemas.Order> {
  return {
    id: order.id,
    state: order.state,
    version: order.version,
    institution: order.institution,
    pointOfSale: order.pointOfSale,
    createdBy: order.createdBy ?? null,
    contactNumber: order.contactNumber,
    externalReference: order.externalReference,
    number: order.shortNumber,
    ticketDelivery: order.ticketDelivery ?? 'print',
    currency: order.currency,
    lines: order.lines.map((line) => toLineView(line, order)),
    formerLines: (order.formerLines ?? []).map((line) => ({
      ...toLineView(line, order),
      changeId: line.changeId,
      leftAt: formatInstant(line.leftAt),
    })),
    change: findPendingChange(order)?.id ?? null,
    fees: (order.fees ?? []).map(toFeeView),
    taxes: listOrderTaxes(order),
    codes: [...(order.codes ?? [])],
    total: computeTotal(order),
    paid: computePaid(order),
    refunded: computeRefunded(order),
    due: computeDue(order),
    credit: computeCredit(order),
    goodwill: order.goodwill ?? 0,
    paymentStatus: computePaymentStatus(order),
    refundStatus: computeRefundStatus(order),
    expiresAt: formatInstantOrNull(order.expiresAt),
    dueAt: formatInstantOrNull(order.dueAt),
    confirmedAt: formatInstantOrNull(order.confirmedAt),
    termsAccepted: order.checkout?.termsAccepted === true,
    cancellation: order.cancellation && toCancellationView(order.cancellation),
    createdAt: formatInstant(order.createdAt),
    updatedAt: formatInstant(order.modifiedAt ?? order.createdAt),
  };
}

const toFeeView = (one: OrderFee): Static<typeof schemas.Order>['fees'][number] => {
  const shown = { id: one.id, amount: one.amount, taxes: [...one.taxes] };
  if ('fee' in one)
    return { ...shown, kind: 'order', feeId: one.fee.id, lineId: null, changeId: null, name: one.fee.name };
  const { changeId, lineId, kind } = one.change;
  return { ...shown, kind: 'change', feeId: null, lineId, changeId, name: changeFeeNames[kind] };
};

const toCancellationView = (cancellation: Cancellation): NonNullable<Static<typeof schemas.Order>['cancellation']> => ({
  reason: cancellation.reason,
  requestedAt: formatInstant(cancellation.requestedAt),
  ticketsCancelled: cancellation.ticketsCancelled,
  controlled: cancellation.controlled,
  placesReleased: cancellation.placesReleased,
  settledAt: formatInstantOrNull(cancellation.settledAt),
});

export function selectShopperMembers<
  Whole extends Record<Exclude<keyof typeof schemas.Order.properties, 'tickets'>, unknown> & { tickets?: unknown },
>({
  institution,
  createdBy,
  externalReference,
  paid,
  refunded,
  credit,
  goodwill,
  paymentStatus,
  refundStatus,
  dueAt,
  cancellation,
  tickets,
  ...shown
}: Whole) {
  return shown;
}

export function answerOrder(order: OrderDocument) {
  return ok(toOrderView(order), toAnswerMeta(order));
}

/** 200 with the order and its tickets; without an ETag, since they change without the order. */
export function answerOrderWithTickets(order: OrderDocument, tickets: IncludedTickets) {
  return ok({ ...toOrderView(order), tickets });
}

/** `subjects`: the buyer, and the order if it names beneficiaries; their erasure deletes the recorded answer. */
const toAnswerMeta = (order: OrderDocument): Pick<Answer, 'etag' | 'subjects'> => ({
  etag: String(order.version),
  subjects: [...(order.contactNumber === null ? [] : [order.contactNumber]), ...(hasNames(order) ? [order.id] : [])],
});

export function answerCreatedOrder(order: OrderDocument) {
  return created(toOrderView(order), formatOrderPath(order.id), toAnswerMeta(order));
}

/** 201 with the order and its tickets. */
export function answerCreatedOrderWithTickets(order: OrderDocument, tickets: IncludedTickets) {
  return created({ ...toOrderView(order), tickets }, formatOrderPath(order.id), toAnswerMeta(order));
}

/** Without the scope the member `reference` is absent. */
const toRecordView = (
  { id: orderId }: Pick<Order, 'id'>,
  { id, amount, currency, method, provider, reference, createdBy, createdAt }: MoneyRecord,
  scopes: readonly string[],
) => {
  const shown = scopes.includes('orders.sensitive:read') ? { reference } : {};
  const made = { createdBy: createdBy ?? null, createdAt: formatInstant(createdAt) };
  return { id, orderId, amount, currency, method, provider: provider ?? null, ...shown, ...made };
};

export function toRefundView(
  order: Pick<Order, 'id'>,
  refund: Refund,
  scopes: readonly string[],
): Static<typeof schemas.Refund> {
  const { status: state = 'done', goodwill = 0, paymentId } = refund;
  const byProvider = paymentId === undefined ? {} : { paymentId };
  return { ...toRecordView(order, refund, scopes), ...byProvider, state, goodwill };
}

export function toPaymentView(
  order: Pick<Order, 'id'>,
  payment: Payment,
  scopes: readonly string[],
): Static<typeof schemas.Payment> {
  const { status, mode, disputed, changeId = null, updatedAt } = payment;
  const byProvider = mode === undefined ? {} : { mode, disputed: disputed?.state ?? null };
  return {
    ...toRecordView(order, payment, scopes),
    ...byProvider,
    status,
    changeId,
    updatedAt: formatInstant(updatedAt),
  };
}

/** They are stored in order of creation. */
export function toPagedList<Entry extends { readonly id: string }>(records: readonly Entry[]): Listed<Entry> {
  return {
    find: async ({ after, limit }) => {
      const start = after === undefined ? 0 : records.findIndex(({ id }) => id === after.id) + 1;
      return records.slice(start, limit === undefined ? undefined : start + limit);
    },
  };
}

/** @throws Fault `not_found` */
export function requireRecord<Entry extends { readonly id: string }>(records: readonly Entry[], wanted: string): Entry {
  const record = records.find(({ id }) => id === wanted);
  if (!record) throw createNotFoundFault();
  return record;
}

/** Of an answer about a payment or refund, which contains no personal data, so it survives an erasure. */
export function toOrderEtag({ version }: OrderDocument): Pick<Answer, 'etag'> {
  return { etag: String(version) };
}
