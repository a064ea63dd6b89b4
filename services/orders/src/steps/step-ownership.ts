import type { OrdersContext } from '../context.ts';
import { NO_OWNER } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Leaves the pending step of the order, as the caller read it, to recovery; does nothing if the step has ended or
 * another process owns it.
 */
export const leaveToRecovery = async (
  context: OrdersContext,
  { institution, id, pendingStep: read }: OrderDocument,
): Promise<void> => {
  await context.orders
    .of(institution)
    .update(id, ({ pendingStep: current, ...order }) =>
      current && read && current.owner === read.owner && current.request === read.request
        ? { next: { ...order, pendingStep: { ...current, owner: NO_OWNER } } }
        : undefined,
    );
};

/**
 * Runs `act` while this process counts as working on the pending step of `order`. Rethrows what `act` throws, after
 * leaving the step to recovery: by the next command on the order, or by the sweep. If that write fails too, the step
 * stays owned: this process takes it over after `OWN_LEFT_MS`, another process once the lease has lapsed.
 */
export const whileOwningStep = async <Done>(
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
