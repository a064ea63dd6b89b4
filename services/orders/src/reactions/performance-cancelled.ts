import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { accept } from '../domain/order/decision.ts';
import { abandon } from '../domain/order/pending-step.ts';
import { busy } from '../domain/order/state.ts';
import { attemptWhenFree } from '../steps/wait.ts';
import { type Rule, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import { textIn } from './event-data.ts';

const REASON = 'the performance was cancelled';
const PAGE = 200;
/** Orders cancelled concurrently. */
const WIDTH = 16;
/** Milliseconds to wait for a pending step; after that the message is redelivered. */
const MAX_WAIT_MS = 4_000;

/** Abandons the pending step of a draft: its places are still being held, and it must not become an order. */
const abandonDraftStep = async (
  context: OrdersContext,
  { institution, id }: OrderDocument,
): Promise<OrderDocument | undefined> =>
  context.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.pendingStep) return undefined;
    const pendingStep = abandon(current.pendingStep, 'not_on_sale');
    return pendingStep === current.pendingStep ? undefined : { next: { ...current, pendingStep } };
  });

/**
 * Cancels one order if it is live. A controlled ticket does not prevent this: it stays controlled and its place stays
 * sold.
 */
const cancelLive = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const rule: Rule = (current, now) => {
    if (current.performanceIds.includes(performanceId))
      return cancel(current, { reason: REASON, override: false, controlled: 0 }, now);
    // The lines being added may belong to the performance.
    return current.pendingStep?.step === 'lines' ? busy() : accept(current);
  };
  const outcome = await attemptWhenFree(context, targetOf(order), rule, { waitMs: MAX_WAIT_MS });
  if ('refused' in outcome && outcome.refused.reason === 'busy')
    throw new Error('an order stayed busy for too long; the event is redelivered');
};

const cancelOne = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const now = order.state === 'draft' ? await abandonDraftStep(context, order) : order;
  if (now && now.state !== 'draft') await cancelLive(context, now, performanceId);
};

/** Runs `act` on all items concurrently, then throws the first failure, so that a repeat has less to do. */
const each = async <Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> => {
  const rest = [...items];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await act(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, rest.length) }, work));
  if (failures.length > 0) throw failures[0];
};

/**
 * performance.cancelled: cancels every order with a place of the performance, drafts included. It skips orders that
 * are already cancelled, so it may be interrupted and repeated.
 */
export const onPerformanceCancelled = async (context: OrdersContext, message: Message): Promise<void> => {
  const performanceId = textIn(message, 'performanceId');
  const orders = context.orders.of(message.institution);
  const links = context.links.of(message.institution);
  const where = { performanceId };
  for (let last = ''; ; ) {
    const found = await orders.find({ where, orderBy: 'id', after: { value: last, id: last }, limit: PAGE });
    await each(found, (order) => cancelOne(context, order, performanceId));
    if (found.length < PAGE) break;
    last = found.at(-1)?.id ?? last;
  }
  for (let last = ''; ; ) {
    const found = await links.find({ where, orderBy: 'id', after: { value: last, id: last }, limit: PAGE });
    await each(found, async ({ orderId }) => {
      const order = await orders.get(orderId);
      if (order) await cancelOne(context, order, performanceId);
    });
    if (found.length < PAGE) break;
    last = found.at(-1)?.id ?? last;
  }
};
