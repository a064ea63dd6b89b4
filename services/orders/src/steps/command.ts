import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Request } from '@boxoffice/http';
import type { Stamp } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { checkedOut, isCart } from '../domain/cart.ts';
import type { Refused } from '../domain/order/decision.ts';
import { isHidden } from '../domain/order/state.ts';
import { faultOf, notFound } from '../faults.ts';
import { requestNameOf } from '../ids.ts';
import type { OrderDocument } from '../store.ts';
import { isAborted } from './aborted.ts';
import { recover } from './recover.ts';
import { attempt, expireNow, type Rule, type Target } from './write.ts';

/** How long a command waits for another one on the same order. */
const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 40;

/** A command as a request brings it. */
export interface Command extends Target {
  /** Throws unless the request's If-Match allows this version. */
  readonly ifMatch: (version: string) => void;
  /** Throws if the request would change what it cannot. */
  readonly unchanged?: (order: OrderDocument) => void;
  readonly stamp?: Stamp<OrderDocument> | undefined;
  /** The name of the request, if no stamp gives it one: a repeat of it takes up what the first try began. */
  readonly request?: string;
  /** What the command is for: listed orders (unless told otherwise), carts, or both. The others do not exist for it. */
  readonly appliesTo?: 'orders' | 'carts' | 'both';
}

type HttpRequest = Pick<
  Request<{ readonly orderId: string }, unknown, unknown>,
  'caller' | 'params' | 'ifMatch' | 'remember'
>;

/** A request as the commands take it; `answer` is what it will be answered with. */
export const commandOf = (
  { caller, params, ifMatch, remember }: HttpRequest,
  answer: (order: OrderDocument) => Answer,
): Command => ({
  institution: caller.institution,
  orderId: params.orderId,
  ifMatch,
  stamp: remember(answer),
});

/** Why the command does not apply to what is there, or undefined. @throws Fault `not_found` where a cart must not be seen */
const misplaced = (order: OrderDocument, appliesTo: Command['appliesTo'] = 'orders'): Refused | undefined => {
  if (appliesTo === 'orders' && isHidden(order)) throw notFound();
  return appliesTo === 'carts' && !isCart(order) ? checkedOut() : undefined;
};

/** The command was finished by recovery: an earlier try of the same request had begun it. */
export interface CommandResult {
  readonly order: OrderDocument;
  readonly done: boolean;
}

export interface CommandOptions {
  /** The command begins a step, so that its answer follows later. */
  readonly startsStep?: boolean;
  /** Whether the order has the command's effect already, by an earlier try of the same request. */
  readonly knows?: (order: OrderDocument) => boolean;
}

/** A repeat of a request whose first try died takes its mark up, and needs no If-Match any more. */
const resumed = (order: OrderDocument, request: string, now: number): OrderDocument | undefined =>
  order.begun?.request === request && !isAborted(request)
    ? { ...order, begun: { ...order.begun, since: now } }
    : undefined;

/**
 * Runs a command's first write: If-Match, then the rule, which is given the name of the request. Waits for another step that is
 * under way, finishes one whose process died, writes an expiry that is due. @throws Fault for what the rule refuses
 */
export const runCommand = async (
  context: OrdersContext,
  { institution, orderId, ifMatch, unchanged, stamp, request = requestNameOf(stamp), appliesTo }: Command,
  step: (order: OrderDocument, request: string, now: number) => ReturnType<Rule>,
  { startsStep = false, knows = () => false }: CommandOptions = {},
): Promise<CommandResult> => {
  const target = { institution, orderId };
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    let done = false;
    const outcome = await attempt(
      context,
      target,
      (order, now) => {
        const misfit = misplaced(order, appliesTo);
        if (misfit) return misfit;
        done = order.recovered?.includes(request) === true || (order.begun === null && knows(order));
        if (done) return { next: order, facts: [] };
        const mine = resumed(order, request, now);
        if (mine) return { next: mine, facts: [] };
        ifMatch(String(order.version));
        unchanged?.(order);
        return step(order, request, now);
      },
      { stamp, startsStep },
    );
    const { order } = outcome;
    if (!('refused' in outcome)) {
      if (outcome.answer) throw faultOf(outcome.answer);
      return { order, done };
    }
    const { refused } = outcome;
    if (refused.reason === 'past_due') await expireNow(context, target);
    else if (refused.reason !== 'busy' || performance.now() > deadline) throw faultOf(refused);
    else {
      await recover(context, order);
      await delay(LOOK_EVERY_MS);
    }
  }
};
