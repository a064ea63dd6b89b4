import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { accept } from '../domain/order/decision.ts';
import { decided } from '../steps/command.ts';
import { attempt, type Rule, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import { textIn } from './event-data.ts';

const REASON = 'the performance was cancelled';
const PAGE = 200;
/** Orders cancelled concurrently. */
const WIDTH = 16;

/**
 * Cancels one order if it is live. A controlled ticket does not prevent this: it stays controlled and its place stays
 * sold.
 */
const cancelOne = async (context: OrdersContext, order: OrderDocument, performanceId: string): Promise<void> => {
  const rule: Rule = (current, now) =>
    current.performanceIds.includes(performanceId)
      ? cancel(current, { reason: REASON, override: false, controlled: 0 }, now)
      : accept(current);
  await decided(context, targetOf(order), () => attempt(context, targetOf(order), rule));
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
 * performance.cancelled: cancels every order with a place of the performance. It skips orders that are already
 * cancelled, so it may be interrupted and repeated. Lines that are being added meanwhile are not found: their places
 * are not sold, since the catalog sells none of a cancelled performance, and the order expires.
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
