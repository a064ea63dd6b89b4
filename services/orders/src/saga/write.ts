import type { Change, IdempotencyRecord } from '@boxoffice/store';
import { createNotFoundFault, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { findPendingChange, findUnsettledChange } from '../domain/changes/change.ts';
import { type Accepted, type Decision, isRefused, type Refusal } from '../domain/decisions.ts';
import { countRenames } from '../domain/order/state.ts';
import type { OrderDocument } from '../store.ts';

export interface Target {
  readonly institution: string;
  readonly orderId: string;
}

export function toTarget({ institution, id }: OrderDocument): Target {
  return { institution, orderId: id };
}

export type Rule = (order: OrderDocument, now: number) => Decision<OrderDocument>;

/** `answer`: the write happened, and the command is still refused. */
export interface Outcome {
  readonly order: OrderDocument;
  readonly refused?: Refusal | undefined;
  readonly answer?: Refusal | undefined;
}

/**
 * Whether the idempotency record can be written with this decision: a successful answer that no other write follows: a
 * sale, that of a new name by tickets, that of a hold by the catalog that ends sooner, a release, or those of a change
 * of a confirmed order.
 */
export function isAnswerFinal({ next, answer }: Accepted<OrderDocument>, current: OrderDocument): boolean {
  const isShortened = next.shorteningDue != null && next.shorteningDue !== current.shorteningDue;
  const isReleasing = next.removedPlaces != null && next.removedPlaces !== current.removedPlaces;
  const isChanging =
    next.changes !== current.changes &&
    (findPendingChange(next)?.coveredAt != null || findUnsettledChange(next) !== undefined);
  const isFollowed =
    isChanging || next.saleDue != null || countRenames(next) !== countRenames(current) || isShortened || isReleasing;
  return answer === undefined && !isFollowed;
}

/** One write with its events and, if the answer is final, the idempotency record. @throws Fault `not_found` */
export async function attempt(
  context: OrdersContext,
  { institution, orderId }: Target,
  rule: Rule,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<Outcome> {
  let decision: Decision<OrderDocument> | undefined;
  const decide = (current: OrderDocument): Change<OrderDocument> | undefined => {
    decision = rule(current, context.now());
    return changeOf(current, decision);
  };
  const order = await context.orders.of(institution).update(orderId, decide, { idempotencyRecord });
  if (!order || !decision) throw createNotFoundFault();
  if (isRefused(decision)) return { order, refused: decision.refused };
  context.limit.record(order, order.id, order.heldPlaces);
  return { order, answer: decision.answer };
}

const changeOf = (current: OrderDocument, decision: Decision<OrderDocument>): Change<OrderDocument> | undefined =>
  isRefused(decision) || decision.next === current
    ? undefined
    : { next: decision.next, events: decision.facts, remember: isAnswerFinal(decision, current) };

/** @throws Fault if the command is refused */
export function requireAccepted({ order, refused, answer }: Outcome): OrderDocument {
  const refusal = refused ?? answer;
  if (refusal) throw toFault(refusal);
  return order;
}
