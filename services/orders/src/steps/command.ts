// Steps of the saga: commands that begin them, their effects in other services, and their recovery.

import type { Answer, Request } from '@boxoffice/http';
import type { IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { isCart } from '../domain/cart.ts';
import { accept, type Refused, refuse } from '../domain/order/decision.ts';
import { isHandled } from '../domain/order/handled.ts';
import { isAbandoned } from '../domain/order/pending-step.ts';
import { isHidden } from '../domain/order/state.ts';
import { faultOf, notFound } from '../faults.ts';
import { requestNameOf } from '../ids.ts';
import type { OrderDocument } from '../store.ts';
import { isLeft } from './recover.ts';
import { attemptWhenFree } from './wait.ts';
import type { Rule, Target } from './write.ts';

/** Commands: the parameters common to all of them. */
export interface Command extends Target {
  /** Throws unless the request's If-Match allows this version. */
  readonly ifMatch: (version: string) => void;
  /** Throws if the request changes a read-only member. */
  readonly unchanged?: (order: OrderDocument) => void;
  readonly idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined;
  /** The request id, if no idempotency record provides one: a repeat resumes the step that the first attempt began. */
  readonly request?: string;
  /** Which documents the command finds: listed orders (default), carts, or both. The others are `not_found`. */
  readonly appliesTo?: 'orders' | 'carts' | 'both';
}

type HttpRequest = Pick<
  Request<{ readonly orderId: string }, unknown, unknown>,
  'caller' | 'params' | 'ifMatch' | 'remember'
>;

/** The command of an HTTP request; `answer` builds the answer that a repeat gets. */
export const commandOf = (
  { caller, params, ifMatch, remember }: HttpRequest,
  answer: (order: OrderDocument) => Answer,
): Command => ({
  institution: caller.institution,
  orderId: params.orderId,
  ifMatch,
  idempotencyRecord: remember(answer),
});

/**
 * The refusal of a command that does not apply to the document, or undefined. @throws Fault `not_found` where a cart
 * must stay hidden
 */
const misplaced = (order: OrderDocument, appliesTo: Command['appliesTo'] = 'orders'): Refused | undefined => {
  if (appliesTo === 'orders' && isHidden(order)) throw notFound();
  return appliesTo === 'carts' && !isCart(order) ? refuse('cart_gone') : undefined;
};

/** What a command led to. `done`: an earlier attempt of the same request already had the effect. */
export interface CommandResult {
  readonly order: OrderDocument;
  readonly done: boolean;
}

/** Milliseconds for which a repeat waits for an earlier attempt, before it takes its step over. */
const PATIENCE_MS = 1_500;

/**
 * A repeat of a request waits for an attempt that is under way, and resumes the pending step of one that died;
 * If-Match was checked then.
 */
const resumed = (context: OrdersContext, order: OrderDocument, request: string, isPatient: boolean, now: number) => {
  if (order.pendingStep?.request !== request || isAbandoned(order.pendingStep)) return undefined;
  if (isPatient && !isLeft(context, order)) return refuse('busy');
  return accept({ ...order, pendingStep: { ...order.pendingStep, since: now } });
};

export interface CommandOptions {
  /** Whether the order has what the request makes, because an earlier attempt made it. */
  readonly isMade?: (order: OrderDocument) => boolean;
}

/**
 * Runs the first write of a command: If-Match, then the rule, which receives the request id. Waits for another
 * pending step, recovers the step of a dead process and writes an expiry that is due. A repeat resumes the step that
 * the first attempt began, or finds its effect. @throws Fault for each refusal of the rule
 */
export const runCommand = async (
  context: OrdersContext,
  {
    institution,
    orderId,
    ifMatch,
    unchanged,
    idempotencyRecord,
    request = requestNameOf(idempotencyRecord),
    appliesTo,
  }: Command,
  step: (order: OrderDocument, request: string, now: number) => ReturnType<Rule>,
  { isMade = () => false }: CommandOptions = {},
): Promise<CommandResult> => {
  let done = false;
  const patientUntil = performance.now() + PATIENCE_MS;
  const rule: Rule = (order, now) => {
    const misfit = misplaced(order, appliesTo);
    if (misfit) return misfit;
    const again = resumed(context, order, request, performance.now() < patientUntil, now);
    if (again) return again;
    done = isHandled(order, request) || (order.pendingStep === null && isMade(order));
    if (done) return accept(order);
    ifMatch(String(order.version));
    unchanged?.(order);
    return step(order, request, now);
  };
  const outcome = await attemptWhenFree(context, { institution, orderId }, rule, { idempotencyRecord });
  if ('refused' in outcome) throw faultOf(outcome.refused);
  if (outcome.answer) throw faultOf(outcome.answer);
  return { order: outcome.order, done };
};
