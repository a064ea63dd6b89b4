import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { busy } from '../domain/order/state.ts';
import { offSale } from '../steps/aborted.ts';
import { recover } from '../steps/recover.ts';
import { attempt, expireNow, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import { textIn } from './event-data.ts';

const REASON = 'the performance was cancelled';
const PAGE = 200;
/** Orders cancelled concurrently. */
const WIDTH = 16;
/** Milliseconds to wait for a pending step; after that the message is redelivered. */
const MAX_WAIT_MS = 4_000;
const POLL_EVERY_MS = 50;

/** Aborts the pending step of a draft: its places are still being held, and it must not become an order. */
const abortDraftStep = async (
  context: OrdersContext,
  { institution, id }: OrderDocument,
): Promise<OrderDocument | undefined> =>
  context.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.pendingStep) return undefined;
    const request = offSale(current.pendingStep.request);
    return request === current.pendingStep.request
      ? undefined
      : { next: { ...current, pendingStep: { ...current.pendingStep, request } } };
  });

/**
 * Cancels one order if it is live. A controlled ticket does not prevent this: it stays controlled and its place stays
 * sold.
 */
const cancelLive = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const target = targetOf(order);
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const outcome = await attempt(context, target, (current, now) => {
      if (current.performanceIds.includes(performanceId))
        return cancel(current, { reason: REASON, override: false, controlled: 0 }, now);
      // The lines being added may belong to the performance.
      return current.pendingStep?.step === 'lines' ? busy() : { next: current, facts: [] };
    });
    if (!('refused' in outcome)) return;
    const { refused, order: found } = outcome;
    if (refused.reason === 'past_due') await expireNow(context, target);
    else if (refused.reason !== 'busy') return;
    else if (performance.now() > deadline)
      throw new Error('an order stayed busy for too long; the event is redelivered');
    else {
      await recover(context, found);
      await delay(POLL_EVERY_MS);
    }
  }
};

const cancelOne = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const now = order.state === 'draft' ? await abortDraftStep(context, order) : order;
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
