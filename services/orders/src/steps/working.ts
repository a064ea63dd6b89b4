import type { OrdersContext } from '../context.ts';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { originalRequest } from './aborted.ts';

/** Leaves what this process works on to whoever comes next; nothing if the step has ended, or another process has it. */
export const leave = async (context: OrdersContext, { institution, id, begun: left }: OrderDocument): Promise<void> => {
  await context.orders
    .of(institution)
    .update(id, ({ begun, ...current }) =>
      begun && left && begun.owner === left.owner && originalRequest(begun.request) === originalRequest(left.request)
        ? { next: { ...current, begun: { ...begun, owner: NO_OWNER } } }
        : undefined,
    );
};

/**
 * Works on the order's pending step. However that ends, the step is not this process's any more: what a failure leaves of it is for
 * the next one who meets the order, or the sweep.
 */
export const working = async <Done>(
  context: OrdersContext,
  order: OrderDocument,
  act: () => Promise<Done>,
): Promise<Done> => {
  const done = context.lease.work(order.id);
  try {
    return await act();
  } catch (error) {
    await leave(context, order).catch((failure) => context.log.warn('a step could not be left', { error: failure }));
    throw error;
  } finally {
    done();
  }
};
