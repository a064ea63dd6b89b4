import type { Answer, Request } from '@boxoffice/http';
import type { IdempotencyRecord } from '@boxoffice/store';
import { createNotFoundFault, isOvertaken, isUnavailable, RefusedOrder } from '../api/faults.ts';
import type { ContextOf, OrdersContext } from '../context.ts';
import { isCart } from '../domain/cart.ts';
import { accept, type Decision, isRefused, type Refused, refuse } from '../domain/decisions.ts';
import { isHandled, isHidden, markHandled } from '../domain/order/state.ts';
import { deriveIdFromKey } from '../ids.ts';
import type { OrderDocument } from '../store.ts';
import { doPaidChange } from './change.ts';
import { expireNow, releaseSold, sell } from './sell.ts';
import { attempt, isAnswerFinal, type Outcome, type Rule, requireAccepted, type Target } from './write.ts';

export interface Command extends Target {
  /** Throws unless the request's If-Match allows this version; absent: internal requests have none. */
  readonly ifMatch?: (version: string) => void;
  readonly requireUnchanged?: (order: OrderDocument) => void;
  readonly idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined;
  /** Of a shopper, or with a record that is written later: the order lists it, so that a repeat finds its effect. */
  readonly request?: string;
  /** The order has what the request makes, because an earlier attempt made it. */
  readonly isMade?: (order: OrderDocument) => boolean;
  /** Default: listed orders. The others are `not_found`. */
  readonly appliesTo?: 'orders' | 'carts' | 'both';
}

type HttpRequest = Pick<
  Request<{ readonly orderId: string }, unknown, unknown>,
  'caller' | 'params' | 'ifMatch' | 'remember'
>;

export function toCommand(
  { caller, params, ifMatch, remember }: HttpRequest,
  answer: (order: OrderDocument) => Answer,
): Command {
  return {
    institution: caller.institution,
    orderId: params.orderId,
    ifMatch,
    idempotencyRecord: remember(answer),
  };
}

/** `answer` builds also the answer of a repeat. */
export function createHandler<A extends Answer>(contextOf: ContextOf, answer: (order: OrderDocument) => A) {
  return <Params extends { readonly orderId: string }, Body>(
    run: (context: OrdersContext, command: Command, request: Request<Params, unknown, Body>) => Promise<OrderDocument>,
  ) =>
    async (request: Request<Params, unknown, Body>): Promise<A> =>
      answer(await run(contextOf(request.caller), toCommand(request, answer), request));
}

/** `done`: an earlier attempt of the same request already had the effect. */
interface CommandResult {
  readonly order: OrderDocument;
  readonly done: boolean;
}

/** A command decides anew, since others change the order. */
const TRIES = 8;

/** After the expiry of an order past due, the sale of one that is paid in full, and the change that is paid for. */
export async function decideUntilSettled<Result extends Outcome>(
  context: OrdersContext,
  target: Target,
  decide: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await decide();
    const reason = outcome.refused?.reason;
    if (reason === 'past_due' && tries < TRIES) await expireNow(context, target);
    else if (reason === 'sale_due' && tries < TRIES) {
      try {
        await (outcome.order.saleDue ? sell : doPaidChange)(context, outcome.order);
      } catch (error) {
        if (isUnavailable(error)) return outcome;
        if (!(error instanceof RefusedOrder)) throw error;
      }
    } else return outcome;
  }
}

/** If-Match, then the rule; a repeat finds its effect. @throws Fault for each refusal of the rule */
export async function runCommand(context: OrdersContext, command: Command, rule: Rule): Promise<CommandResult> {
  const own = guardRule(command, rule);
  const order = requireAccepted(
    await decideUntilSettled(context, command, () => attempt(context, command, own.rule, command.idempotencyRecord)),
  );
  return { order, done: own.isDone() };
}

/** Does the command apply, has it been done, does If-Match hold. */
const guardRule = (
  { ifMatch, requireUnchanged, idempotencyRecord, request, isMade, appliesTo }: Command,
  rule: Rule,
): { readonly rule: Rule; readonly isDone: () => boolean } => {
  const name = request ?? deriveIdFromKey(idempotencyRecord, 'req');
  let done = false;
  return {
    isDone: () => done,
    rule(order, now) {
      const refusal = refuseOtherKind(order, appliesTo);
      if (refusal) return refusal;
      done = (name !== undefined && isHandled(order, name)) || isMade?.(order) === true;
      if (done) return accept(order);
      ifMatch?.(String(order.version));
      requireUnchanged?.(order);
      const decision = rule(order, now);
      if (name === undefined || isRefused(decision) || decision.answer || decision.next === order) return decision;
      const isRecorded = request === undefined && isAnswerFinal(decision, order);
      return isRecorded ? decision : { ...decision, next: markHandled(decision.next, name) };
    },
  };
};

/** @throws Fault `not_found` where a cart must stay hidden */
const refuseOtherKind = (order: OrderDocument, appliesTo: Command['appliesTo'] = 'orders'): Refused | undefined => {
  if (appliesTo === 'orders' && isHidden(order)) throw createNotFoundFault();
  return appliesTo === 'carts' && !isCart(order) ? refuse('cart_gone') : undefined;
};

interface StockFirst<Effect> {
  /** Before the effect; nothing is written. */
  readonly rule: Rule;
  /** In the catalog, idempotent; `next` is the order as `rule` would leave it. */
  readonly effect: (order: OrderDocument, next: OrderDocument) => Promise<Effect>;
  /** After the effect; by default `rule` again. */
  readonly write?: (effect: Effect) => Rule;
  readonly sold?: (effect: Effect) => readonly string[];
}

/**
 * Begins anew if the order changed meanwhile: then it may have sold the place of a removed line, which is released once
 * the order is confirmed or cancelled. @throws Fault for each refusal of the rules and of the catalog
 */
export async function runStockFirst<Effect>(
  context: OrdersContext,
  command: Command,
  stockFirst: StockFirst<Effect>,
): Promise<CommandResult> {
  const soldIds: string[] = [];
  const release = async (order: OrderDocument | undefined): Promise<void> => {
    const isFinal = order?.state === 'confirmed' || order?.state === 'cancelled';
    if (isFinal) await releaseSold(context, order, { sold: soldIds, version: order.version });
  };
  try {
    const result = await tryStockFirst(context, command, stockFirst, soldIds);
    await release(result.order);
    return result;
  } catch (error) {
    if (soldIds.length > 0) await release(await context.orders.of(command.institution).get(command.orderId));
    throw error;
  }
}

const tryStockFirst = async <Effect>(
  context: OrdersContext,
  command: Command,
  { rule, effect, write = () => rule, sold = () => [] }: StockFirst<Effect>,
  soldIds: string[],
): Promise<CommandResult> => {
  for (let tries = 1; ; tries += 1) {
    const own = guardRule(command, rule);
    const before = await decideUntilSettled<Outcome & { readonly next: OrderDocument }>(context, command, () =>
      preview(context, command, own.rule),
    );
    const order = requireAccepted(before);
    if (own.isDone()) return { order, done: true };
    try {
      const had = await effect(order, before.next);
      soldIds.push(...sold(had));
      return await runCommand(context, command, unlessOvertaken(order, write(had)));
    } catch (error) {
      if (!isOvertaken(error) || tries === TRIES) throw error;
    }
  }
};

/** `next` is the order as it would be written. */
const preview = async (context: OrdersContext, { institution, orderId }: Target, rule: Rule) => {
  const order = await context.orders.of(institution).get(orderId);
  if (!order) throw createNotFoundFault();
  const decision: Decision<OrderDocument> = rule(order, context.now());
  return isRefused(decision) ? { order, refused: decision.refused, next: order } : { order, next: decision.next };
};

/** With other lines or another deadline the effect would not fit, and a line removed since has a release under way. */
const unlessOvertaken =
  ({ version }: OrderDocument, rule: Rule): Rule =>
  (order, now) =>
    order.version === version ? rule(order, now) : refuse('overtaken');
