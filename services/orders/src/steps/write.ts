import type { Change, IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { type Decision, isRefused, type Refusal } from '../domain/order/decision.ts';
import { handled } from '../domain/order/handled.ts';
import { faultOf, notFound } from '../faults.ts';
import type { OrderDocument } from '../store.ts';

/** The order that a write is for. */
export interface Target {
  readonly institution: string;
  readonly orderId: string;
}

/** A rule of the domain, applied to the current order. */
export type Rule = (order: OrderDocument, now: number) => Decision<OrderDocument>;

/**
 * What a rule led to: the order after the write, or the refusal. `answer`: the write happened, and the command is
 * still refused.
 */
export type Outcome =
  | { readonly order: OrderDocument; readonly answer?: Refusal | undefined }
  | { readonly refused: Refusal; readonly order: OrderDocument };

/** Whether the idempotency record can be written with this decision: a successful answer without a pending step. */
const isAnswerFinal = (decision: Decision<OrderDocument>): boolean =>
  !isRefused(decision) && decision.answer === undefined && decision.next.pendingStep === null;

/** Makes this process the owner of a step that the write begins or resumes. */
const owned = (current: OrderDocument, next: OrderDocument, owner: string): OrderDocument =>
  next.pendingStep === null || next.pendingStep === current.pendingStep
    ? next
    : { ...next, pendingStep: { ...next.pendingStep, owner } };

const changeOf = (
  current: OrderDocument,
  decision: Decision<OrderDocument>,
  owner: string,
): Change<OrderDocument> | undefined =>
  isRefused(decision) || decision.next === current
    ? undefined
    : {
        next: owned(current, decision.next, owner),
        events: decision.facts,
        remember: isAnswerFinal(decision),
      };

/**
 * Applies a rule to an order in one write, with its events and, if the answer is final, the idempotency record. An
 * exception from the rule aborts the write. @throws Fault `not_found` for unknown orders and drafts
 */
export const attempt = async (
  context: OrdersContext,
  { institution, orderId }: Target,
  step: Rule,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<Outcome> => {
  const owner = await context.lease.hold();
  let decision: Decision<OrderDocument> | undefined;
  const decide = (current: OrderDocument): Change<OrderDocument> | undefined => {
    if (current.state === 'draft') throw notFound();
    decision = step(current, context.now());
    return changeOf(current, decision, owner);
  };
  const order = await context.orders.of(institution).update(orderId, decide, { idempotencyRecord });
  if (!order || !decision) throw notFound();
  if (isRefused(decision)) return { ...decision, order };
  context.limit.record(order, order.id, order.heldPlaces);
  return { order, answer: decision.answer };
};

/** The request that a step ends for. */
export interface Ending {
  readonly request: string;
  /** Absent for recovery and for shoppers: then the order lists the request as handled. */
  readonly idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined;
}

/** Lists the request as handled, if the write that it succeeds with has no idempotency record. */
const listed = (
  current: OrderDocument,
  decision: Decision<OrderDocument>,
  { request, idempotencyRecord }: Ending,
): Decision<OrderDocument> =>
  idempotencyRecord || isRefused(decision) || decision.answer || decision.next === current
    ? decision
    : { ...decision, next: handled(decision.next, request) };

/**
 * Writes the end of a pending step, so that a repeat of its request is recognised. @throws Fault for each refusal of
 * the rule
 */
export const finish = async (
  context: OrdersContext,
  target: Target,
  step: Rule,
  ending: Ending,
): Promise<OrderDocument> => {
  const rule: Rule = (current, now) => listed(current, step(current, now), ending);
  const outcome = await attempt(context, target, rule, ending.idempotencyRecord);
  if ('refused' in outcome) throw faultOf(outcome.refused);
  if (outcome.answer) throw faultOf(outcome.answer);
  return outcome.order;
};

/** Writes the end of a step whose refusal concerns no request. */
export const conclude = async (context: OrdersContext, target: Target, step: Rule): Promise<OrderDocument> =>
  (await attempt(context, target, step)).order;

/** The target that an order is. */
export const targetOf = ({ institution, id }: OrderDocument): Target => ({ institution, orderId: id });
