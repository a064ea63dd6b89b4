import type { Change, IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { type Decision, isRefused, type Refusal } from '../domain/order/decision.ts';
import { expire } from '../domain/order/expiry.ts';
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

/** Whether the answer is final changed between two attempts of the write. */
class AnswerTimingChanged extends Error {}

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
    : { next: owned(current, decision.next, owner), events: decision.facts };

/**
 * Applies a rule to an order in one write, with its events and, if the answer is final, the idempotency record.
 * `startsStep`: the answer is probably not final. An exception from the rule aborts the write. @throws Fault
 * `not_found` for unknown orders and drafts
 */
export const attempt = async (
  context: OrdersContext,
  { institution, orderId }: Target,
  step: Rule,
  {
    idempotencyRecord,
    startsStep = false,
  }: { idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined; startsStep?: boolean } = {},
): Promise<Outcome> => {
  const orders = context.orders.of(institution);
  const owner = await context.lease.hold();
  for (let withRecord = idempotencyRecord !== undefined && !startsStep; ; withRecord = !withRecord) {
    let decision: Decision<OrderDocument> | undefined;
    const decide = (current: OrderDocument): Change<OrderDocument> | undefined => {
      if (current.state === 'draft') throw notFound();
      decision = step(current, context.now());
      const change = changeOf(current, decision, owner);
      if (change && idempotencyRecord && isAnswerFinal(decision) !== withRecord) throw new AnswerTimingChanged();
      return change;
    };
    try {
      const order = await orders.update(orderId, decide, withRecord ? { idempotencyRecord } : {});
      if (!order || !decision) throw notFound();
      if (isRefused(decision)) return { ...decision, order };
      context.limit.record(order, order.id, order.heldPlaces);
      return { order, answer: decision.answer };
    } catch (error) {
      if (!(error instanceof AnswerTimingChanged)) throw error;
    }
  }
};

/** Writes the end of a pending step. @throws Fault for each refusal of the rule */
export const finish = async (
  context: OrdersContext,
  target: Target,
  step: Rule,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> => {
  const outcome = await attempt(context, target, step, { idempotencyRecord });
  if ('refused' in outcome) throw faultOf(outcome.refused);
  if (outcome.answer) throw faultOf(outcome.answer);
  return outcome.order;
};

/** Writes the expiry of an order past due; returns the order after it. */
export const expireNow = async (context: OrdersContext, target: Target): Promise<OrderDocument> =>
  (await attempt(context, target, expire)).order;

/** Writes the end of a step whose refusal concerns no request. */
export const conclude = async (context: OrdersContext, target: Target, step: Rule): Promise<OrderDocument> =>
  (await attempt(context, target, step)).order;

/** The target that an order is. */
export const targetOf = ({ institution, id }: OrderDocument): Target => ({ institution, orderId: id });

/** Maximum number of completed requests that an order records. */
const REMEMBERED = 20;

/** Records in the order that the request has had its effect, so that a repeat does nothing. */
export const recordDone = <O extends OrderDocument>(order: O, request: string): O =>
  order.recovered?.includes(request)
    ? order
    : { ...order, recovered: [...(order.recovered ?? []), request].slice(-REMEMBERED) };

/** The same for the request of the pending step that recovery completes. */
export const recordRecovered = (order: OrderDocument, request: string): OrderDocument =>
  order.pendingStep?.request === request ? recordDone(order, request) : order;
