import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { busy } from '../domain/order/state.ts';
import { offSale } from '../steps/aborted.ts';
import { recover } from '../steps/recover.ts';
import { attempt, expireNow, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import { textIn } from './record.ts';

const REASON = 'the performance was cancelled';
const PAGE = 200;
/** So many orders are cancelled at once. */
const WIDTH = 16;
/** How long a step under way is waited for; then the message is tried again later. */
const PATIENCE_MS = 4_000;
const LOOK_EVERY_MS = 50;

/** The places of a draft are on their way: when they come, it must not become an order. */
const spoil = async (context: OrdersContext, { institution, id }: OrderDocument): Promise<OrderDocument | undefined> =>
  context.orders.of(institution).update(id, (current) => {
    if (current.state !== 'draft' || !current.begun) return undefined;
    const request = offSale(current.begun.request);
    return request === current.begun.request
      ? undefined
      : { next: { ...current, begun: { ...current.begun, request } } };
  });

/** Cancels one order if it is live. Nobody is asked for leave: a ticket that is controlled stays so, and its place sold, but the order ends. */
const cancelLive = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const target = targetOf(order);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const outcome = await attempt(context, target, (current, now) => {
      if (current.performanceIds.includes(performanceId))
        return cancel(current, { reason: REASON, override: false, controlled: 0 }, now);
      // The lines that are on their way may be of the performance.
      return current.begun?.step === 'lines' ? busy() : { next: current, facts: [] };
    });
    if (!('refused' in outcome)) return;
    const { refused, order: found } = outcome;
    if (refused.reason === 'past_due') await expireNow(context, target);
    else if (refused.reason !== 'busy') return;
    else if (performance.now() > deadline) throw new Error('an order is being changed for too long');
    else {
      await recover(context, found);
      await delay(LOOK_EVERY_MS);
    }
  }
};

const cancelOne = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const now = order.state === 'draft' ? await spoil(context, order) : order;
  if (now && now.state !== 'draft') await cancelLive(context, now, performanceId);
};

/** All of a kind, several at once; the first failure is told when the others are done, so that a repeat has less to do. */
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
 * Cancels every order that has a place of the performance, drafts included. Again: those that are still live. So it may be
 * interrupted and repeated.
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
