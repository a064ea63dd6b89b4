import type { Change, Stamp } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { type Decision, isRefused, type Refusal } from '../domain/order/decision.ts';
import { expire } from '../domain/order/expiry.ts';
import { faultOf, notFound } from '../faults.ts';
import type { OrderDocument } from '../store.ts';

/** Which order. */
export interface Target {
  readonly institution: string;
  readonly orderId: string;
}

/** A rule of the domain, applied to the order as it is now. */
export type Rule = (order: OrderDocument, now: number) => Decision<OrderDocument>;

/** What a step led to: the order as it is after it, or why nothing was written. `answer`: written, and still refused. */
export type Outcome =
  | { readonly order: OrderDocument; readonly answer?: Refusal | undefined }
  | { readonly refused: Refusal; readonly order: OrderDocument };

/** The decision does not go with the stamp that the write has, or has not. */
class AnswerTimingChanged extends Error {}

/** An answer that follows from this write, and is a success, is remembered in it; a mark's answer follows later. */
const isAnswerFinal = (decision: Decision<OrderDocument>): boolean =>
  !isRefused(decision) && decision.answer === undefined && decision.next.begun === null;

/** A step that is begun or gone on with belongs to this process. */
const owned = (current: OrderDocument, next: OrderDocument, owner: string): OrderDocument =>
  next.begun === null || next.begun === current.begun ? next : { ...next, begun: { ...next.begun, owner } };

const changeOf = (
  current: OrderDocument,
  decision: Decision<OrderDocument>,
  owner: string,
): Change<OrderDocument> | undefined =>
  isRefused(decision) || decision.next === current
    ? undefined
    : { next: owned(current, decision.next, owner), events: decision.facts };

/**
 * Applies a step to an order in one write, with its facts and, if its answer is final, with the stamp; `startsStep` says that it
 * will hardly be. What the step throws aborts it. @throws Fault `not_found` for unknown orders and drafts
 */
export const attempt = async (
  context: OrdersContext,
  { institution, orderId }: Target,
  step: Rule,
  { stamp, startsStep = false }: { stamp?: Stamp<OrderDocument> | undefined; startsStep?: boolean } = {},
): Promise<Outcome> => {
  const orders = context.orders.of(institution);
  const owner = await context.lease.hold();
  for (let stamped = stamp !== undefined && !startsStep; ; stamped = !stamped) {
    let decision: Decision<OrderDocument> | undefined;
    const decide = (current: OrderDocument): Change<OrderDocument> | undefined => {
      if (current.state === 'draft') throw notFound();
      decision = step(current, context.now());
      const change = changeOf(current, decision, owner);
      if (change && stamp && isAnswerFinal(decision) !== stamped) throw new AnswerTimingChanged();
      return change;
    };
    try {
      const order = await orders.update(orderId, decide, stamped ? { stamp } : {});
      if (!order || !decision) throw notFound();
      if (isRefused(decision)) return { ...decision, order };
      context.limit.record(order, order.id, order.heldPlaces);
      return { order, answer: decision.answer };
    } catch (error) {
      if (!(error instanceof AnswerTimingChanged)) throw error;
    }
  }
};

/** Writes how a step ended that had begun before. @throws Fault for whatever the step refuses */
export const finish = async (
  context: OrdersContext,
  target: Target,
  step: Rule,
  stamp?: Stamp<OrderDocument>,
): Promise<OrderDocument> => {
  const outcome = await attempt(context, target, step, { stamp });
  if ('refused' in outcome) throw faultOf(outcome.refused);
  if (outcome.answer) throw faultOf(outcome.answer);
  return outcome.order;
};

/** Writes the expiry of an order that is past due; answers the order as it then is. */
export const expireNow = async (context: OrdersContext, target: Target): Promise<OrderDocument> =>
  (await attempt(context, target, expire)).order;

/** Writes what a step makes of the order, whatever it would answer; for ends that nobody waits for. */
export const conclude = async (context: OrdersContext, target: Target, step: Rule): Promise<OrderDocument> =>
  (await attempt(context, target, step)).order;

/** The target that an order is. */
export const targetOf = ({ institution, id }: OrderDocument): Target => ({ institution, orderId: id });

/** How many requests an order remembers to have been brought to their end. */
const REMEMBERED = 20;

/** The order, remembering that this request has its effect: a repeat of it finds its work done. */
export const doneBy = <O extends OrderDocument>(order: O, request: string): O =>
  order.recovered?.includes(request)
    ? order
    : { ...order, recovered: [...(order.recovered ?? []), request].slice(-REMEMBERED) };

/** The order, remembering that recovery finishes this request of its pending. */
export const finishedBy = (order: OrderDocument, request: string): OrderDocument =>
  order.begun?.request === request ? doneBy(order, request) : order;
