import { type Answer, created, ok } from '@boxoffice/http';
import type { Static } from 'typebox';
import { hasNames } from '../domain/order/facts.ts';
import { due, paid, paymentStatus, refundStatus, total } from '../domain/order/money.ts';
import type { Cancellation, Line, VisibleState } from '../domain/order/order.ts';
import { addressOf } from '../ids.ts';
import type * as schemas from '../schemas.ts';
import type { OrderDocument } from '../store.ts';
import { instant, instantOrNull } from '../time.ts';

const cancellationView = (cancellation: Cancellation): NonNullable<Static<typeof schemas.Order>['cancellation']> => ({
  reason: cancellation.reason,
  requestedAt: instant(cancellation.requestedAt),
  ticketsCancelled: cancellation.ticketsCancelled,
  controlled: cancellation.controlled,
  placesReleased: cancellation.placesReleased,
  settledAt: instantOrNull(cancellation.settledAt),
});

/** A line as its order shows it. */
export const lineView = (line: Line, { currency }: Pick<OrderDocument, 'currency'>): Static<typeof schemas.Line> => {
  const { place, beneficiary } = line;
  return {
    id: line.id,
    productId: line.productId,
    performanceId: line.performanceId,
    startDate: line.startDate,
    seatCategoryId: line.seatCategoryId,
    tariffId: line.tariffId,
    place: { id: place.id, label: place.label, row: place.row, seat: place.seat },
    amount: line.amount,
    currency,
    beneficiary: beneficiary ? { firstName: beneficiary.firstName, lastName: beneficiary.lastName } : null,
    ticketId: line.ticketId,
  };
};

/** An order as it is answered. */
export const orderView = (order: OrderDocument): Static<typeof schemas.Order> => ({
  id: order.id,
  state: order.state as VisibleState,
  version: order.version,
  institution: order.institution,
  pointOfSale: order.pointOfSale,
  contactNumber: order.contactNumber,
  externalReference: order.externalReference,
  ticketDelivery: order.ticketDelivery ?? 'print',
  currency: order.currency,
  lines: order.lines.map((line) => lineView(line, order)),
  total: total(order),
  paid: paid(order),
  due: due(order),
  paymentStatus: paymentStatus(order),
  refundStatus: refundStatus(order),
  expiresAt: instantOrNull(order.expiresAt),
  dueAt: instantOrNull(order.dueAt),
  confirmedAt: instantOrNull(order.confirmedAt),
  cancellation: order.cancellation && cancellationView(order.cancellation),
  createdAt: instant(order.createdAt),
  updatedAt: instant(order.modifiedAt ?? order.createdAt),
});

/**
 * The ETag of an answer about an order, and the subjects whose erasure deletes the answer stored for the
 * Idempotency-Key: the buyer, and the order if it names beneficiaries.
 */
export const answerMeta = (order: OrderDocument): Pick<Answer, 'etag' | 'subjects'> => ({
  etag: String(order.version),
  subjects: [...(order.contactNumber === null ? [] : [order.contactNumber]), ...(hasNames(order) ? [order.id] : [])],
});

/** 200 with the order. */
export const orderAnswer = (order: OrderDocument) => ok(orderView(order), answerMeta(order));

/** 201 with the order. */
export const createdOrderAnswer = (order: OrderDocument) =>
  created(orderView(order), addressOf(order.id), answerMeta(order));
