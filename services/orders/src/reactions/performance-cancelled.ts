import type { Message } from '@boxoffice/messaging';
import { cancelOfPerformances } from '../cancellation/performances.ts';
import type { OrdersContext } from '../context.ts';
import { textIn } from './event-data.ts';

const PAGE = 200;
/** Orders cancelled concurrently. */
const WIDTH = 16;

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
 * cancelled, so it may be interrupted and repeated.
 */
export const onPerformanceCancelled = async (context: OrdersContext, message: Message): Promise<void> => {
  const performanceId = textIn(message, 'performanceId');
  const orders = context.orders.of(message.institution);
  const links = context.links.of(message.institution);
  const where = { performanceId };
  // Before the search: an order that it does not find yet finds this (`cancelIfOver`).
  await context.cancelledPerformances.of(message.institution).insertMany([{ id: performanceId }]);
  for (let last = ''; ; ) {
    const found = await orders.find({ where, orderBy: 'id', after: { value: last, id: last }, limit: PAGE });
    await each(found, (order) => cancelOfPerformances(context, order, [performanceId]));
    if (found.length < PAGE) break;
    last = found.at(-1)?.id ?? last;
  }
  for (let last = ''; ; ) {
    const found = await links.find({ where, orderBy: 'id', after: { value: last, id: last }, limit: PAGE });
    await each(found, async ({ orderId }) => {
      const order = await orders.get(orderId);
      if (order) await cancelOfPerformances(context, order, [performanceId]);
    });
    if (found.length < PAGE) break;
    last = found.at(-1)?.id ?? last;
  }
};
