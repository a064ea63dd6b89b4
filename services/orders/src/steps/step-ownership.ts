import type { OrdersContext } from '../context.ts';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { originalRequest } from './aborted.ts';

/** Leaves the pending step to recovery; does nothing if the step has ended or another process owns it. */
export const leaveToRecovery = async (
  context: OrdersContext,
  { institution, id, pendingStep: left }: OrderDocument,
): Promise<void> => {
  await context.orders
    .of(institution)
    .update(id, ({ pendingStep: pending, ...current }) =>
      pending &&
      left &&
      pending.owner === left.owner &&
      originalRequest(pending.request) === originalRequest(left.request)
        ? { next: { ...current, pendingStep: { ...pending, owner: NO_OWNER } } }
        : undefined,
    );
};

/**
 * Works on the order's pending step. If `act` fails, the step is left to recovery: by the next command on the order,
 * or by the sweep.
 */
export const workOn = async <Done>(
  context: OrdersContext,
  order: OrderDocument,
  act: () => Promise<Done>,
): Promise<Done> => {
  const done = context.lease.work(order.id);
  try {
    return await act();
  } catch (error) {
    await leaveToRecovery(context, order).catch((failure) =>
      context.log.warn('a step could not be left to recovery', { error: failure }),
    );
    throw error;
  } finally {
    done();
  }
};
